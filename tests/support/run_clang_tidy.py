#!/usr/bin/env python3
"""Runs clang-tidy on the files named on standard input, in their order, several at once.

  run_clang_tidy.py BUILD_DIR [--minutes N]

Prints "[n/m] FILE" after each file, followed by its findings. After N minutes it stops the files in
progress and prints how many it has checked. Exit code 1 after a finding.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import threading
import time

COMMAND = ("clang-tidy-16", "--quiet")
# The build enables warnings that only GCC knows.
ARGUMENTS = ("--extra-arg=-Wno-unknown-warning-option",)


class Run:
    """The files of one run and its deadline."""

    def __init__(self, build_dir, files, deadline):
        self.build_dir, self.files, self.deadline = build_dir, files, deadline
        self.lock = threading.Lock()
        self.checked = 0
        self.bad = []

    def time_left(self):
        return None if self.deadline is None else self.deadline - time.monotonic()

    def check(self, name):
        left = self.time_left()
        if left is not None and left <= 0:
            return
        try:
            done = subprocess.run([*COMMAND, "-p", self.build_dir, *ARGUMENTS, name], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=left,
                                  check=False)
        except subprocess.TimeoutExpired:
            return
        with self.lock:
            self.checked += 1
            print(f"[{self.checked}/{len(self.files)}] {name}\n{done.stdout}", end="", flush=True)
            if done.returncode != 0:
                # Findings are on standard output; a crash or a missing file is not.
                print("" if done.stdout else done.stderr, end="", flush=True)
                self.bad.append(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build_dir")
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    files = sys.stdin.read().split()
    deadline = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    run = Run(options.build_dir, files, deadline)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        list(workers.map(run.check, files))
    print(f"clang-tidy: {run.checked} of {len(files)} files checked"
          f"{', then the time was up' if run.checked < len(files) else ''}, findings in {len(run.bad)}")
    return 1 if run.bad else 0


if __name__ == "__main__":
    sys.exit(main())
