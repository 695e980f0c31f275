"""What the tables of docs/performance.md and of the targets are made of: one result file of weft-bench."""

import json
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "results"


class Results:
    """Cold medians in µs by case and kernel; only what was timed."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.run = json.loads(self.path.read_text(encoding="utf-8"))
        self.rows = {}
        self.order = []
        for row in self.run["rows"]:
            if row["case"] not in self.rows:
                self.rows[row["case"]] = {}
                self.order.append(row["case"])
            if "cold" in row:
                self.rows[row["case"]][row["kernel"]] = row

    def cases(self, wanted=lambda name: True):
        return [name for name in self.order if wanted(name)]

    def time(self, case, kernel):
        row = self.rows.get(case, {}).get(kernel)
        return row["cold"]["median_us"] if row else None

    def fastest(self, case, wanted):
        """(µs, kernel) of the fastest row that `wanted(row)` takes, or None."""
        times = [(row["cold"]["median_us"], name) for name, row in self.rows.get(case, {}).items()
                 if name != "copy" and wanted(row)]
        return min(times) if times else None

    def ours(self, case):
        return self.fastest(case, lambda row: not row["peer"] and row["kernel"] != "opencv_cpu")

    def peer(self, case, *prefixes):
        return self.fastest(case, lambda row: row["kernel"].startswith(prefixes))

    def floor(self, case):
        """µs that the copy ceiling needs for the bytes of the case."""
        row = next(iter(self.rows[case].values()))
        return row["bytes"] / self.run["copy_ceiling_gb_per_s"] * 1e-3


def newest_results():
    """The newest run of all suites."""
    runs = []
    for path in FOLDER.glob("*.json"):
        run = json.loads(path.read_text(encoding="utf-8"))
        if run.get("suite") == "all":
            runs.append((run["date"], path))
    if not runs:
        raise SystemExit(f"there is no run of --suite all in {FOLDER}")
    return Results(max(runs)[1])


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
