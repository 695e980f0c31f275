#!/usr/bin/env python3
"""What the planner loses against the fastest of our kernels, from the results of weft-bench.

  planner_losses.py RUN.json [AT_LEAST]

Lists the cases whose planned kernel takes AT_LEAST (1.05) times as long as the fastest, or longer, and
gives the geometric mean of all cases. Cases whose planned kernel was not timed are named and left
out. Meant for the results of `weft bench --suite random`.
"""

import collections
import json
import math
import sys


def main():
    at_least = float(sys.argv[2]) if len(sys.argv) > 2 else 1.05
    cases = collections.defaultdict(list)
    with open(sys.argv[1], encoding="utf-8") as file:
        for row in json.load(file)["rows"]:
            if "cold" in row and row["kernel"] != "copy" and not row["peer"]:
                cases[row["case"]].append((row["cold"]["median_us"], row["kernel"], row.get("planned")))
    losses = []
    for case, kernels in cases.items():
        best, best_name, _ = min(kernels)
        planned = [(time, name) for time, name, is_planned in kernels if is_planned]
        if not planned:
            print(f"{case}: the planned kernel was not timed")
            continue
        time, name = planned[0]
        losses.append(time / best)
        if losses[-1] >= at_least:
            print(f"{losses[-1]:5.2f}  {case}: {name} {time:.1f} µs, {best_name} {best:.1f} µs")
    if not losses:
        sys.exit(f"planner_losses: error: {sys.argv[1]} has no case whose planned kernel was timed")
    mean = math.exp(sum(map(math.log, losses)) / len(losses))
    print(f"{len(losses)} cases: {mean:.3f} in the geometric mean, "
          f"{sum(loss >= 1.1 for loss in losses)} of them at least 1.1")


main()
