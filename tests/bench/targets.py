#!/usr/bin/env python3
"""Prints which targets a run of weft-bench reached, as Markdown: targets.py [RESULTS.csv].

Without an argument: the newest run of all suites in tests/bench/results.
"""

import sys

from results_table import Results, geometric_mean, newest_results

# Case, maximum time as a multiple of a device copy of the same bytes.
TIMES_COPY = {
    "u8 gray 3×3": 1.3, "u8 gray 5×5": 1.4, "u8 gray 7×7": 1.5, "u8 gray 9×9": 1.7,
    "u8 gray 11×11": 2.1, "u8 gray 15×15": 2.7, "u8 gray 31×31": 8,
    "u8 Gaussian 5×5": 1.3, "u8 Gaussian 15×15": 1.4, "u8 Gaussian 31×31": 1.6,
    "u8 box 5×5": 1.3, "u8 box 31×31": 1.3, "u8 box 101×101": 1.3,
    "f32 gray 3×3": 1.2, "f32 gray 5×5": 1.2, "f32 gray 7×7": 1.3, "f32 gray 15×15": 4.5,
    "u8 Sobel magnitude": 1.4, "RGBA Gaussian 9×9": 1.4, "NV12 Gaussian 9×9": 1.4,
}

# Title, cases, peers, minimum speedup (geometric mean).
DENSE = [f"u8 gray {k}×{k}" for k in (3, 5, 7, 9, 11, 15)]
TIMES_PEER = [
    ("u8 dense 3…15", DENSE, ("npp/",), 10),
    *((f"u8 Gaussian {k}×{k}", [f"u8 Gaussian {k}×{k}"], ("npp/gauss", "npp/row_column"), 5)
      for k in (5, 15, 31)),
    ("u8 box 15×15", ["u8 box 15×15"], ("npp/",), 10),
    ("f32 dense 7×7", ["f32 gray 7×7"], ("npp/",), 4),
    ("f32 dense 15×15", ["f32 gray 15×15"], ("npp/",), 4),
    ("u8 Sobel magnitude", ["u8 Sobel magnitude"], ("npp/",), 3),
    ("RGBA Gaussian 9×9", ["RGBA Gaussian 9×9"], ("npp/",), 3),
    ("NV12 Gaussian 9×9", ["NV12 Gaussian 9×9"], ("npp/",), 3),
]
FP32 = ("cudnn/heuristic", "cudnn/fastest", "cudnn/implicit", "cudnn/graph")


def line(name, target, reached, met):
    verdict = "not measured" if met is None else "met" if met else "missed"
    print(f"| {name} | {target} | {reached} | {verdict} |")


def times_copy(results):
    for case, most in TIMES_COPY.items():
        ours, copy = results.ours(case), results.time(case, "copy")
        if not ours or not copy:
            line(case, f"≤ {most} × copy", "–", None)
            continue
        ratio = ours[0] / copy
        line(case, f"≤ {most} × copy", f"{ratio:.2f} ({ours[0]:.1f} µs, {ours[1]})", ratio <= most)


def never_slower(results):
    for case in DENSE + ["u8 gray 31×31"]:
        ours, npp = results.ours(case), results.peer(case, "npp/")
        if ours and npp:
            line(case, "≥ 1 × NPP", f"{npp[0] / ours[0]:.2f}", npp[0] >= ours[0])


def ratio_line(results, title, cases, peer_of, least, whom):
    pairs = [(results.ours(c), peer_of(c)) for c in cases]
    ratios = [peer[0] / ours[0] for ours, peer in pairs if ours and peer]
    mean = geometric_mean(ratios)
    line(title, f"≥ {least} × {whom}", f"{mean:.2f} ({len(ratios)} cases)" if mean else "–",
         mean >= least if mean else None)


def peers(results):
    for title, cases, prefixes, least in TIMES_PEER:
        ratio_line(results, title, cases, lambda c, p=prefixes: results.peer(c, *p), least, "NPP")

    def cudnn(case):
        return results.fastest(case, lambda kernel: kernel.startswith(FP32) and
                               "tf32" not in kernel)

    for taps, least in ((3, 3.5), (5, 6)):
        cases = results.cases(lambda n, k=taps: n.startswith("dw") and f" k{k} " in n and
                              "b128 f32 nchw" in n)
        floors = [results.ours(c)[0] / results.floor(c) for c in cases if results.ours(c)]
        mean = geometric_mean(floors)
        line(f"depthwise {taps}×{taps}, batch 128, f32", "≤ 1.25 × byte floor",
             f"{mean:.2f} (worst {max(floors):.2f})" if mean else "–",
             max(floors) <= 1.25 if mean else None)
        ratio_line(results, f"depthwise {taps}×{taps}, batch 128, f32", cases, cudnn, least, "cuDNN")
    for size in ("7x7", "11x11"):
        ratio_line(results, f"RGB to 16 maps {size}",
                   results.cases(lambda n, s=size: "bank" in n and s in n and "f32" in n), cudnn, 1.3,
                   "cuDNN")
    sparse = results.cases(lambda n: "zero" in n and "f32" in n)
    tiled = [results.time(c, "sparse_direct") / results.time(c, "sparse_direct_tiled")
             for c in sparse if results.time(c, "sparse_direct") and
             results.time(c, "sparse_direct_tiled")]
    mean = geometric_mean(tiled)
    line("sparse layers, tiled", "≥ 1.4 × untiled", f"{mean:.2f} ({len(tiled)} cases)" if mean
         else "–", mean >= 1.4 if mean else None)

    for prefix, least, whom in (("cublas/", 1.3, "cuBLAS fp32"), ("cusparse/", 1.4, "cuSPARSE")):
        ratio_line(results, "sparse layers", sparse, lambda c, p=prefix: results.peer(c, p), least,
                   whom)


def main():
    results = Results(sys.argv[1]) if len(sys.argv) > 1 else newest_results()
    print("| target | wanted | reached | |\n|---|---|---|---|")
    times_copy(results)
    never_slower(results)
    peers(results)


main()
