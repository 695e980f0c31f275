"""Reads the results that this repository keeps: one CSV of cold medians per machine and suite.

A file begins with lines "# key: value" about the run. Then it has one line per case and one column
per kernel; peers have a slash in their names. An empty cell: the kernel does not take the case.
keep_results.py writes these files.
"""

import csv
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "results"

# Columns before those of the kernels.
ABOUT_CASE = ("case", "series", "size", "bytes", "flops", "planned")


def is_peer(kernel):
    return "/" in kernel


def machine_name(device):
    """"H100" of "NVIDIA H100 80GB HBM3"."""
    words = device.split()
    return next((word for word in words if any(c.isdigit() for c in word)), words[-1])


class Results:
    """Cold medians in µs by case and kernel, and the run that they are from."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.run = {}
        self.about = {}  # case: its columns before those of the kernels
        self.times = {}  # case: {kernel: µs}, both in the order of the file
        with self.path.open(encoding="utf-8", newline="") as file:
            table = csv.DictReader(self._after_heading(file))
            for line in table:
                case = line["case"]
                self.about[case] = {name: line[name] for name in ABOUT_CASE}
                self.times[case] = {kernel: float(cell) for kernel, cell in line.items()
                                    if kernel not in ABOUT_CASE and cell}

    def _after_heading(self, file):
        for line in file:
            if not line.startswith("# "):
                yield line
                break
            key, value = line[2:].rstrip("\n").split(": ", 1)
            self.run[key] = value
        yield from file

    def cases(self, wanted=lambda name: True):
        return [name for name in self.times if wanted(name)]

    def time(self, case, kernel):
        return self.times.get(case, {}).get(kernel)

    def fastest(self, case, wanted):
        """(µs, kernel) of the fastest kernel for which `wanted(kernel)`, or None."""
        times = [(time, kernel) for kernel, time in self.times.get(case, {}).items()
                 if kernel != "copy" and wanted(kernel)]
        return min(times) if times else None

    def ours(self, case):
        """The fastest GPU kernel of this repository."""
        return self.fastest(case, lambda kernel: not is_peer(kernel) and kernel != "opencv_cpu")

    def planned(self, case):
        """The kernel that users get."""
        kernel = self.about[case]["planned"]
        return (self.times[case][kernel], kernel) if kernel in self.times[case] else None

    def peer(self, case, *prefixes):
        return self.fastest(case, lambda kernel: kernel.startswith(prefixes))

    def fastest_peer(self, case):
        return self.fastest(case, is_peer)

    def floor(self, case):
        """µs that the copy ceiling needs for the bytes of the case."""
        return (float(self.about[case]["bytes"]) /
                float(self.run["copy_ceiling_gb_per_s"]) * 1e-3)


def newest_results(suite="all"):
    """The newest run of a suite."""
    runs = [Results(path) for path in sorted(FOLDER.glob(f"*-{suite}.csv"))]
    if not runs:
        raise SystemExit(f"{FOLDER} has no results of --suite {suite}: write them with keep_results.py")
    return max(runs, key=lambda results: results.run["date"])


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
