#!/usr/bin/env python3
"""Prints the figures by which the code base is kept readable: measure_code.py [REVISION].

Per area of the product (filters, kernels, app): files, lines, types and functions per thousand
lines, the share of short files, function lengths and the phrases of check_language.py per 10,000
words. Below: the largest folders, files over 600 lines, headers with one consumer, and the language of
the whole repository.

With a git revision it measures that instead of the working tree, so that two states can be
compared: ./dev lint --figures v0.1.0
"""

import collections
import io
import pathlib
import re
import statistics
import subprocess
import sys
import tarfile

import check_language

SHORT_FILE = 40  # lines, of any kind
LONG_FILE = 600
AREAS = ("filters", "kernels", "app/media", "app/pipeline", "app/batch", "app/viewer", "app/gui",
         "app/cli")
TYPE = re.compile(r"^\s*(?:template <[^;]*>\s*)?(?:struct|class|enum(?: class| struct)?|union)\s+"
                  r"(?:alignas\([^)]*\)\s*)?\w+(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
BLOCK_OPENERS = re.compile(r"\b(struct|class|enum|union|namespace|extern)\b")
CONTROL = re.compile(r"^\s*(?:\}\s*)?(?:if|for|while|switch|do|else|try|catch|return)\b")


PRODUCT = re.compile(r"^(filters|kernels|app)/.*\.(h|cpp|cu|cuh)$")


def files_of(revision):
    """Yields (name, text) of each text file of a revision, or of the working tree for None."""
    if revision is None:
        for path in check_language.tracked(["."]):
            yield str(path), path.read_text(encoding="utf-8", errors="replace")
        return
    archive = subprocess.run(["git", "archive", revision], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        for entry in tree:
            if entry.isfile():
                yield entry.name, tree.extractfile(entry).read().decode("utf-8", "replace")


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


class Language:
    """How often the phrases of check_language.py occur."""

    def __init__(self):
        self.words = self.phrases = 0

    def add(self, name, text):
        path = pathlib.PurePath(name)
        if path.name in check_language.LISTS:
            return
        for _, part in check_language.texts_in(path, text):
            self.words += check_language.word_count(part)
            self.phrases += sum(1 for _ in check_language.phrases_in(part))

    def per_10000(self):
        return 10000 * self.phrases / max(self.words, 1)


class Figures:
    """The figures of one area."""

    def __init__(self):
        self.language = Language()
        self.files = self.short = self.lines = self.types = 0
        self.long = []
        self.functions = []

    def add(self, name, text):
        self.language.add(name, text)
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
        return (f"{name:14} {self.files:5} {self.lines:7} {self.types / kloc:10.1f} "
                f"{len(self.functions) / kloc:14.1f} {100 * self.short / max(self.files, 1):7.0f} % "
                f"{statistics.median(lengths):7.0f} {lengths[int(0.95 * (len(lengths) - 1))]:5} "
                f"{lengths[-1]:4} {self.language.per_10000():13.1f}")


def one_consumer(product):
    """(headers of app/ that one file uses besides their own source, all headers of app/)."""
    users = collections.defaultdict(set)
    for name, text in product.items():
        for header in re.findall(r'^\s*#include "([^"]+)"', text, re.M):
            if name.rpartition(".")[0] != header.rpartition(".")[0]:
                users[header].add(name)
    headers = [name for name in product if name.startswith("app/") and name.endswith(".h")]
    return sum(len(users[name]) == 1 for name in headers), len(headers)


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        raise SystemExit(__doc__)
    revision = sys.argv[1] if len(sys.argv) > 1 else None
    areas = collections.defaultdict(Figures)
    folders = collections.Counter()
    language = Language()
    product = {}
    for name, text in files_of(revision):
        language.add(name, text)
        if not PRODUCT.match(name):
            continue
        product[name] = text
        area = next((area for area in AREAS if name.startswith(area + "/")), "other")
        areas[area].add(name, text)
        areas["all"].add(name, text)
        folders[str(pathlib.PurePath(name).parent)] += 1
    print("                            types/  functions/  files under   lines of a function"
          "    phrases per\n"
          "area           files   lines   kloc        kloc     40 lines  median  95 %  max"
          "   10,000 words")
    for area in (*AREAS, "other", "all"):
        if area in areas:
            print(areas[area].row(area))
    print("folders with the most sources: " +
          ", ".join(f"{folder} {count}" for folder, count in folders.most_common(5)))
    print(f"files over {LONG_FILE} lines: " + (", ".join(areas["all"].long) or "none"))
    single, headers = one_consumer(product)
    print(f"headers of app/ with one consumer: {single} of {headers}")
    print(f"phrases in the whole repository: {language.phrases} in {language.words} words, "
          f"{language.per_10000():.1f} per 10,000")


if __name__ == "__main__":
    main()
