#!/usr/bin/env python3
"""Writes the tables of docs/performance.md and README.md from runs in tests/bench/results: those of
pictures from the newest of the suite image, those of layers from the newest of all suites.

performance_tables.py           puts them between the markers of both pages
performance_tables.py --check   exit 1 if the pages differ from that run
"""

import pathlib
import sys

from results_table import geometric_mean, is_peer, machine_name, newest_results

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN = "<!-- tables of tests/bench/performance_tables.py: begin -->\n"
END = "<!-- tables of tests/bench/performance_tables.py: end -->\n"
DASH = "–"


def microseconds(value):
    if value is None:
        return DASH
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def times(value):
    if value is None:
        return DASH
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def named(found):
    return f"{microseconds(found[0])} `{found[1]}`" if found else DASH


def line(*cells):
    return "| " + " | ".join(cells) + " |\n"


def heading(*cells):
    return line(*cells) + "|---" * len(cells) + "|\n"


def is_image(name):
    return not name.startswith(("dw ", "bank ")) and " b1" not in name and " b64" not in name


def image_table(results):
    out = heading("3840×2160, µs", "device copy", "planned kernel", "× copy", "fastest peer",
                  "peer ÷ ours")
    for case in results.cases(is_image):
        ours, peer, copy = results.planned(case), results.fastest_peer(case), results.time(case, "copy")
        out += line(case, microseconds(copy), named(ours),
                    times(ours[0] / copy) if ours else DASH, named(peer),
                    times(peer[0] / ours[0]) if ours and peer else DASH)
    return out


# The widest table that is still readable; the other cases are in the results.
KERNEL_CASES = ["u8 gray 3×3", "u8 gray 9×9", "u8 gray 15×15", "u8 gray 31×31", "u8 RGBA 9×9",
                "f32 gray 7×7", "f32 gray 31×31", "u8 Gaussian 15×15", "u8 box 31×31",
                "u8 motion 63×63"]


def kernel_table(results):
    """Each kernel of ours on some pictures, the fastest at 9×9 first."""
    kernels = []
    for case in KERNEL_CASES:
        for name in results.times.get(case, {}):
            if not is_peer(name) and name not in ("copy", "opencv_cpu") and name not in kernels:
                kernels.append(name)
    kernels.sort(key=lambda k: results.time("u8 gray 9×9", k) or float("inf"))
    out = heading("3840×2160, µs", *KERNEL_CASES)
    for kernel in kernels:
        out += line(f"`{kernel}`", *(microseconds(results.time(c, kernel)) for c in KERNEL_CASES))
    return out


LAYERS = [
    ("depthwise 3×3, batch 128, f32 nchw", lambda n: "dw" in n and "k3" in n and "b128 f32 nchw" in n),
    ("depthwise 5×5, batch 128, f32 nchw", lambda n: "dw" in n and "k5" in n and "b128 f32 nchw" in n),
    ("depthwise, batch 128, f32 nhwc", lambda n: "dw" in n and "b128 f32 nhwc" in n),
    ("depthwise, batch 128, f16 nchw", lambda n: "dw" in n and "b128 f16 nchw" in n),
    ("depthwise, batch 128, f16 nhwc", lambda n: "dw" in n and "b128 f16 nhwc" in n),
    ("depthwise, batch 1, f32 nchw", lambda n: "dw" in n and "b1 f32 nchw" in n),
    ("depthwise, batch 1, f16 nhwc", lambda n: "dw" in n and "b1 f16 nhwc" in n),
    ("RGB to 16 maps 7×7, f32 nchw", lambda n: "bank" in n and "7x7" in n and "f32" in n),
    ("RGB to 16 maps 11×11, f32 nchw", lambda n: "bank" in n and "11x11" in n and "f32" in n),
]
for batch in (1, 64, 128):
    LAYERS.append((f"dense layers, batch {batch}, f32 nchw",
                   lambda n, b=batch: n[0] in "AGR" and "zero" not in n and f"b{b} f32" in n))
for batch in (1, 64, 128):
    LAYERS.append((f"sparse layers, batch {batch}, f32 nchw",
                   lambda n, b=batch: n[0] in "AGR" and "zero" in n and f"b{b} f32" in n))


def layer_table(results):
    fp32 = ("cudnn/heuristic", "cudnn/fastest", "cudnn/implicit", "cudnn/graph")
    peers = [("cuDNN", lambda case: results.fastest(
                 case, lambda kernel: kernel.startswith(fp32) and "tf32" not in kernel)),
             ("cuDNN TF32", lambda case: results.peer(case, "cudnn/fastest_tf32", "cudnn/graph_tf32")),
             ("cuBLAS", lambda case: results.peer(case, "cublas/")),
             ("cuSPARSE", lambda case: results.peer(case, "cusparse/"))]
    out = heading("geometric means", "layers", "ours ÷ byte floor", *(f"{p} ÷ ours" for p, _ in peers))
    for title, wanted in LAYERS:
        cases = [case for case in results.cases(wanted) if results.ours(case)]
        if not cases:
            continue
        cells = [title, str(len(cases)),
                 times(geometric_mean(results.ours(c)[0] / results.floor(c) for c in cases))]
        for _, find in peers:
            cells.append(times(geometric_mean(find(c)[0] / results.ours(c)[0]
                                              for c in cases if find(c))))
        out += line(*cells)
    return out


# The rows of README.md: what a user cares about.
README_CASES = [("8-bit 3×3 matrix", "u8 gray 3×3"), ("8-bit 9×9 matrix", "u8 gray 9×9"),
                ("8-bit Gaussian 15×15", "u8 Gaussian 15×15"),
                ("8-bit Sobel magnitude", "u8 Sobel magnitude"), ("fp32 7×7 matrix", "f32 gray 7×7")]


def readme_block(images):
    run = images.run
    out = (f"Median times in µs for 3840×2160 on one {machine_name(run['device'])}, {run['date'][:10]}, of the "
           "kernels that the planner chooses, for frames\nthat are not in the GPU's cache. The copy is the limit "
           "of every kernel. The peer is the fastest kernel of another library,\nand the last column is its time "
           "divided by that of weft. [All tables and the method](docs/performance.md)\n\n")
    out += heading("filter", "copy of the same bytes", "weft", "fastest peer", "peer ÷ weft")
    for title, case in README_CASES:
        ours, peer = images.planned(case)[0], images.fastest_peer(case)
        ratio = peer[0] / ours
        out += line(title, microseconds(images.time(case, "copy")), microseconds(ours), named(peer),
                    f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}")
    return out


def about(results):
    run = results.run
    return (f"one run on one {run['device']}, {run['date'][:10]}\n"
            f"(`tests/bench/results/{results.path.name}`): a copy of 256 MB moves "
            f"{float(run['copy_ceiling_gb_per_s']):.0f} GB/s, fp32 does "
            f"{float(run['fma_ceiling_t_per_s']):.1f} TFMA/s.\n")


def performance_block(images):
    layers = newest_results()
    return (f"Cold medians of {about(images)}A dash: the case is not taken.\n\n" +
            image_table(images) + "\n" + kernel_table(images) +
            f"\nLayers, of {about(layers)}"
            "The byte floor is what that copy needs for a layer's tensors.\n\n" +
            layer_table(layers))


def filled(page, block):
    """The page with `block` between its markers."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + "\n" + block + "\n" + END + after


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    results = newest_results("image")
    for name, block in (("docs/performance.md", performance_block), ("README.md", readme_block)):
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        wanted = filled(text, block(results))
        if not sys.argv[1:]:
            path.write_text(wanted, encoding="utf-8")
        elif text != wanted:
            raise SystemExit(f"the tables of {name} are not those of {results.path.name}: "
                             "run tests/bench/performance_tables.py")


main()
