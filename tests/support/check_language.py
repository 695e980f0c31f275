#!/usr/bin/env python3
"""Looks for phrases that make readers read twice, in comments, messages and documents.

  tests/support/check_language.py              a table, and exit code 1 above the limit
  tests/support/check_language.py --list       each place and what to write instead
  tests/support/check_language.py --list PATH  of these files and folders only

Codebases that engineers like to read have up to five of these phrases per 10,000 words. A phrase is
sometimes the right one, so a few may stay: the limit is on their share.
"""

import argparse
import collections
import io
import pathlib
import re
import subprocess
import sys
import tokenize

LIMIT = 5  # per 10,000 words

THING = ("thread|frame|gpu|file|plane|row|pixel|step|picture|second|minute|line|run|block|warp|"
         "column|tap|folder|machine|stream|packet|process|kernel|device|test")
VERB = ("does|do|did|is|are|was|were|has|have|had|it|they|cannot|can|must|may|comes?|goes|needs?|"
        "takes?|makes?|gets?|wants?")

# What to look for, and what to write instead.
PHRASES = [
    (r"\b(lies|lie|lay|stands|stand|stood) (in|on|at|behind|before)\b", "is in, is at"),
    (r"\banew\b", "again, from the beginning"),
    (r"\bfor ever\b", "until …, indefinitely"),
    (r"\bbeside\b", "next to, along with"),
    (r"\bbehind\b", "after, past, beyond"),
    (r"\bthere (is|are|was|were) none\b", "none exists, without one"),
    (r"\bnobody\b", "no thread, no caller, no one"),
    (r"\b(tells?|told|telling)\b", "reports, shows, distinguishes, knows"),
    (r"\b(says?|said)\b", "reports, states, prints, documents"),
    (rf"\b(one|once|each|twice|bytes|samples|pixels|words|files|lines|more) an? ({THING})\b",
     "per frame, per thread"),
    (r"(?:^|[.:;] )Of (the|a|an|each|what|all|one|those|it)\b", "a full sentence"),
    (rf"\b(what|who|whoever|whatever) (\w+ )?({VERB})\b", "the noun of the field"),
    (r"\b(came|comes?|come) to (be|use)\b", "exists, is used"),
    (r"\b(goes|go|went|going) on\b", "continues"),
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"\bexclude each other\b", "are mutually exclusive"),
    (r"\b(with|take|takes) all (that )?(they|it) (holds?|has|have)\b", "recursively, with its contents"),
    (r"\b(is|are|was|were) asked\b", "is queried, is requested"),
]

# Files that list the phrases themselves.
LISTS = {"check_language.py", "style.md"}
CODE = {".h", ".cpp", ".cu", ".cuh"}
SCRIPTS = {".sh", ".cmake", ".awk"}


def tracked(paths):
    """The files of the repository below `paths` that exist in the working tree."""
    names = subprocess.run(["git", "ls-files", "--", *paths], check=True, capture_output=True,
                           text=True).stdout.split("\n")
    return [path for path in map(pathlib.Path, filter(None, names)) if path.is_file()]


def joined(lines):
    """Texts of consecutive lines as one, so that phrases are found across line ends."""
    texts = []
    for number, text in lines:
        if texts and texts[-1][1] + 1 == number:
            first, _, so_far = texts[-1]
            texts[-1] = (first, number, f"{so_far} {text}")
        else:
            texts.append((number, number, text))
    return [(first, text) for first, _, text in texts]


def texts_of_python(source):
    """Comments, docstrings and other strings of more than one word."""
    comments, texts = [], []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            comments.append((token.start[0], token.string.lstrip("# ")))
        elif token.type == tokenize.STRING and " " in token.string:
            lines = enumerate(token.string.strip("rf\"'").split("\n"), token.start[0])
            texts += joined([(n, line.strip()) for n, line in lines if line.strip()])
    return joined(comments) + texts


def texts_in(path, source):
    """(line, text) of everything that people read in the source of the file `path`."""
    lines = list(enumerate(source.split("\n"), 1))
    if path.suffix == ".md":
        return joined([(n, line) for n, line in lines if line and not line.startswith("    ")])
    if path.suffix == ".py":
        return texts_of_python(source)
    if path.suffix == ".in":  # a man page: macros begin with a dot
        return joined([(n, line) for n, line in lines if line and not line.startswith(".")])
    if path.suffix in SCRIPTS or path.name in ("dev", "run"):
        return joined([(n, line.lstrip("# ")) for n, line in lines
                       if line.lstrip().startswith("#") and not line.startswith("#!")])
    if path.suffix not in CODE:
        return []
    string = re.compile(r'"(?:[^"\\]|\\.)*"')
    comments, strings = [], []
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        bare = string.sub(lambda found: "_" * len(found[0]), line)
        at = bare.find("//")
        if at >= 0:
            comments.append((number, line[at + 2:].strip()))
            line = line[:at]
        strings += [(number, found[1:-1]) for found in string.findall(line) if " " in found]
    return joined(comments) + joined(strings)


def phrases_in(text):
    """(pattern, replacement, match) of each phrase."""
    for pattern, better in PHRASES:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield pattern, better, match


def word_count(text):
    return len(re.findall(r"[A-Za-z'’]+", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=["."])
    parser.add_argument("--list", action="store_true", help="each place")
    options = parser.parse_args()
    words = 0
    found = collections.Counter()
    for path in tracked(options.paths):
        if path.name in LISTS:
            continue
        for line, text in texts_in(path, path.read_text(encoding="utf-8", errors="replace")):
            words += word_count(text)
            for pattern, better, match in phrases_in(text):
                found[pattern] += 1
                if options.list:
                    print(f"{path}:{line}: \"{match[0].strip()}\": write {better}")
    for pattern, better in PHRASES:
        if found[pattern] and not options.list:
            print(f"{found[pattern]:5}  {better:44} {pattern[:60]}")
    share = sum(found.values()) / max(words, 1) * 10000
    print(f"{sum(found.values())} phrases in {words} words: {share:.1f} per 10,000, at most {LIMIT}")
    return 1 if share > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
