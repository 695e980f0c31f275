#!/usr/bin/env python3
"""Runs clang-tidy on the files named on standard input, in their order, several at once.

  run_clang_tidy.py BUILD_DIR [--minutes N]

Prints "[n/m] FILE" after each file, followed by its findings. After N minutes it stops the files in
progress and prints how many it has checked. Exit code 1 after a finding.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

COMMAND = ("clang-tidy-16", "--quiet")
# The build enables warnings that only GCC knows.
ARGUMENTS = ("--extra-arg=-Wno-unknown-warning-option",)


def copy_commands(build_dir, folder):
    """Writes the build's commands to `folder` without GCC's precompiled headers, which clang cannot
    read. A source that lacks an include fails here, because the build's precompiled header hides it.
    """
    with open(os.path.join(build_dir, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    for each in commands:
        each["command"] = re.sub(r" -Winvalid-pch -include .*?/cmake_pch\.hxx", "", each["command"])
    with open(os.path.join(folder, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)


class Run:
    """The files of one run, the folder of their compile commands and a deadline."""

    def __init__(self, commands, files, deadline):
        self.commands, self.files, self.deadline = commands, files, deadline
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
            done = subprocess.run([*COMMAND, "-p", self.commands, *ARGUMENTS, name], text=True,
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
    with tempfile.TemporaryDirectory() as commands, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        copy_commands(options.build_dir, commands)
        run = Run(commands, files, deadline)
        list(workers.map(run.check, files))
    print(f"clang-tidy: {run.checked} of {len(files)} files checked"
          f"{', then the time was up' if run.checked < len(files) else ''}, findings in {len(run.bad)}")
    return 1 if run.bad else 0


if __name__ == "__main__":
    sys.exit(main())
