#!/usr/bin/env python3
"""Checks that every file that the documents link to or name in backticks exists.

Prints each missing one. Exit code 1 if there are any. Names with * are patterns, which must match at
least one file; NAME and METHOD stand for the reader's own, so only the folder before them must exist.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NAMED = re.compile(r"`((?:filters|kernels|app|tests|docs|assets|cmake|\.ci|\.github)/[^`\s]*)`")


def exists(base, name):
    """Whether `name` is a file or folder below `base`, with or without its extension."""
    placeholder = re.search(r"NAME|METHOD", name)
    if placeholder:
        name = name[:placeholder.start()].rpartition("/")[0]
    name = name.replace("NN", "*").rstrip("/")
    return any(True for _ in base.glob(name)) or any(True for _ in base.glob(name + ".*"))


def main():
    pages = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split()
    missing = []
    for page in filter(lambda name: (ROOT / name).exists(), pages):
        path = ROOT / page
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            names = [(path.parent, name) for name in LINK.findall(line) if "://" not in name]
            names += [(ROOT, name) for name in NAMED.findall(line)]
            missing += [f"{page}:{number}: {name} does not exist" for base, name in names
                        if not name.startswith("mailto:") and not exists(base, name)]
    print("\n".join(missing + [f"{len(missing)} names of missing files in {len(pages)} documents"]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
