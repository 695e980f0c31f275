#!/usr/bin/env python3
"""Prints the figures by which the code base is kept readable: measure_code.py [REVISION].

Measures the C++ and CUDA sources of the product (filters, kernels, app): files per folder, types
and functions per thousand lines, the share of short files, and function lengths. With a git revision it measures that instead of the
working tree, so that two states can be compared. ./dev lint --figures runs it.
"""

import collections
import os
import re
import statistics
import subprocess
import sys

SHORT_FILE = 40  # lines, of any kind
LONG_FILE = 600
AREAS = ("filters", "kernels", "app/media", "app/pipeline", "app/batch", "app/viewer", "app/gui",
         "app/cli")
TYPE = re.compile(r"^\s*(?:template <[^;]*>\s*)?(?:struct|class|enum(?: class| struct)?|union)\s+"
                  r"(?:alignas\([^)]*\)\s*)?\w+(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
BLOCK_OPENERS = re.compile(r"\b(struct|class|enum|union|namespace|extern)\b")
CONTROL = re.compile(r"^\s*(?:\}\s*)?(?:if|for|while|switch|do|else|try|catch|return)\b")


def sources(revision):
    """Yields (path, text) of each product source."""
    wanted = re.compile(r"^(filters|kernels|app)/.*\.(h|cpp|cu|cuh)$")
    if revision is None:
        names = subprocess.check_output(["git", "ls-files"], text=True).splitlines()
        for name in names:
            if wanted.match(name) and os.path.exists(name):
                with open(name, encoding="utf-8") as file:
                    yield name, file.read()
        return
    names = subprocess.check_output(["git", "ls-tree", "-r", "--name-only", revision],
                                    text=True).splitlines()
    for name in names:
        if wanted.match(name):
            yield name, subprocess.check_output(["git", "show", f"{revision}:{name}"], text=True)


def without_text(text):
    """The code with comments and the contents of literals removed, line by line."""
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', lambda m: '""' + "\n" * m.group(0).count("\n"), text)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"'(?:[^'\\\n]|\\.)+'", "' '", text)
    text = re.sub(r"/\*(?:.|\n)*?\*/", lambda m: "\n" * m.group(0).count("\n"), text)
    return re.sub(r"//[^\n]*", "", text)


def function_lengths(code):
    """Lines from the first line of each function's body to its closing brace."""
    lengths = []
    stack = []  # (is_function, line)
    head = ""
    line = 1
    for character in code:
        if character == "\n":
            line += 1
            head += " "
        elif character == "{":
            text = head.strip()
            inside = any(entry[0] for entry in stack)
            is_function = (not inside and ")" in text and not BLOCK_OPENERS.search(text)
                           and not CONTROL.match(text) and "=" not in text.split("(")[0])
            stack.append((is_function, line))
            head = ""
        elif character == "}":
            if stack:
                is_function, begin = stack.pop()
                if is_function:
                    lengths.append(line - begin + 1)
            head = ""
        elif character == ";":
            head = ""
        else:
            head += character
    return lengths


class Figures:
    """The figures of one area."""

    def __init__(self):
        self.files = self.short = self.lines = self.types = 0
        self.long = []
        self.functions = []

    def add(self, name, text):
        code = without_text(text)
        count = text.count("\n")
        self.files += 1
        self.short += count < SHORT_FILE
        if count > LONG_FILE:
            self.long.append(f"{name} ({count})")
        self.lines += count
        joined = re.sub(r"\n\s*\{", " {", code)
        self.types += sum(1 for line in joined.splitlines() if TYPE.match(line))
        self.functions += function_lengths(code)

    def row(self, name):
        kloc = self.lines / 1000 or 1
        lengths = sorted(self.functions) or [0]
        return (f"{name:14} {self.files:6} {self.lines:7} {self.types / kloc:11.1f} "
                f"{len(self.functions) / kloc:15.1f} {100 * self.short / max(self.files, 1):9.0f} % "
                f"{statistics.median(lengths):7.0f} {lengths[int(0.95 * (len(lengths) - 1))]:6} "
                f"{lengths[-1]:6}")


def main():
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    areas = collections.defaultdict(Figures)
    folders = collections.Counter()
    for name, text in sources(revision):
        area = next((area for area in AREAS if name.startswith(area + "/")), "other")
        areas[area].add(name, text)
        areas["all"].add(name, text)
        folders[os.path.dirname(name)] += 1
    print("area            files   lines  types/kloc  functions/kloc  under 40  "
          "median   95 %    max")
    for area in (*AREAS, "all"):
        if area in areas:
            print(areas[area].row(area))
    print("function lengths in lines, declarations not counted")
    print("most sources in a folder: " +
          ", ".join(f"{folder} {count}" for folder, count in folders.most_common(5)))
    print("files over 600 lines: " + (", ".join(areas["all"].long) or "none"))


if __name__ == "__main__":
    main()
