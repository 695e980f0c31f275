#!/usr/bin/env python3
"""Converts results of weft-bench to the form that this repository keeps, and back.

  weft bench --suite all --json RUN.json --commit ID
  keep_results.py RUN.json              writes results/MACHINE-SUITE.csv: the cold medians
  keep_results.py --json FILE.csv       prints them as JSON, for example for a plot:

  keep_results.py --json results/h200-all.csv >run.json
  weft bench --from run.json --plot h200.svg

A kept run has no hot times, spreads, notes or reasons; the JSON has zeros for them.
"""

import csv
import json
import pathlib
import sys

from results_table import ABOUT_CASE, FOLDER, Results, is_peer, machine_name

# The facts about a run that the heading keeps.
TEXTS = ("device", "suite", "date", "commit", "driver_cuda", "clocks")
NUMBERS = ("multiprocessors", "sm_mhz", "copy_ceiling_gb_per_s", "fma_ceiling_t_per_s")
LIMIT = ("group", "name", "value", "unit", "per_clock_sm", "note")


def rows_of_kernels(run):
    """The fields, and one row per case: its description, then one cold median per kernel."""
    timed = [row for row in run["rows"] if "cold" in row]
    kernels = list(dict.fromkeys(row["kernel"] for row in timed))
    cases = {}
    for row in timed:
        case = cases.setdefault(row["case"], {
            "case": row["case"], "series": row.get("series", ""), "size": row.get("size", ""),
            "bytes": round(row["bytes"]), "flops": round(row["flops"])})
        case[row["kernel"]] = f"{row['cold']['median_us']:.4f}"
        if row.get("planned"):
            case["planned"] = row["kernel"]
    return [*ABOUT_CASE, *kernels], cases.values()


def write_csv(run):
    machine = machine_name(run["device"]).lower()
    path = FOLDER / f"{machine}-{run['suite']}.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        for key in (*TEXTS, *NUMBERS):
            file.write(f"# {key}: {run[key]}\n")
        fields, rows = rows_of_kernels(run) if run["rows"] else (LIMIT, run["limits"])
        table = csv.DictWriter(file, fields, restval="", extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(path)


def json_of(results):
    def timing(median):
        return {"median_us": median, "p95_us": 0, "spread": 0, "samples": 0, "graph": True,
                "launches_per_sample": 0}

    rows = []
    for case, times in results.times.items():
        about = results.about[case]
        for kernel, median in times.items():
            row = {"case": case, "kernel": kernel, "peer": is_peer(kernel),
                   "planned": about["planned"] == kernel, "cold": timing(median), "hot": timing(0),
                   "bytes": float(about["bytes"]), "flops": float(about["flops"])}
            if about["series"]:
                row["series"] = about["series"]
            if about["size"]:
                row["size"] = int(about["size"])
            rows.append(row)
    run = {key: results.run[key] for key in TEXTS}
    run |= {key: json.loads(results.run[key]) for key in NUMBERS}
    return {"schema": 2, **run, "limits": [], "rows": rows}


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--json":
        print(json.dumps(json_of(Results(sys.argv[2])), indent=1, ensure_ascii=False))
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        write_csv(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    else:
        raise SystemExit(__doc__)


main()
