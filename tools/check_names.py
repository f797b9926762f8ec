#!/usr/bin/env python3
"""Checks that comments and documents name only files that exist.

    check_names.py [REPOSITORY]

A name is a word that ends like a source file: near.h, find/verify.cc. It must be the path of a file here, or the end
of one. The comments and docstrings of all sources are read, and the documents except CHANGELOG.md, which names files
of earlier versions.
"""
import io
import pathlib
import re
import sys
import tokenize

FOLDERS = ["src", "include", "python", "tests", "tools", "bench", "docs", "examples", "packaging"]
NAME = re.compile(r"[\w./-]*\w\.(?:cc|h|cuh?|py|cmake|toml|html)(?![\w/(]|\.\w)")
CPP = re.compile(
    r"""R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|'(?:\\[^'\n]+|[^'\\\n])'|(?P<comment>//[^\n]*|/\*.*?\*/)""",
    re.DOTALL,
)
HASH = re.compile(r"(?P<comment>(?:^|(?<=\s))#[^\n]*)", re.MULTILINE)
# Files that the build makes, files of other projects, patterns, and files of a user in examples.
OTHERS = {"_option_tables.py", "_option_help.py", "highway.h", "FILE.cc", "x_main.cc", "x_test.cc", "job.py",
          "my_program.cc", "page.html"}
OTHERS |= {"run/report.html", "cleaned/report.html"}


def comments_of_python(text):
    """Yields the comments and docstrings, with the numbers of their lines."""
    begins = True  # of a statement
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
            yield token.start[0], token.string
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def matches(pattern, text):
    for found in pattern.finditer(text):
        if found["comment"]:
            yield text.count("\n", 0, found.start()) + 1, found["comment"]


def comments(path):
    """Yields the comments of a source, or the whole of a document, with the numbers of their lines."""
    text = path.read_text(encoding="utf-8", errors="replace")
    first = text.partition("\n")[0]
    if path.suffix == ".md":
        yield 1, re.sub(r"<[\w/.]+>|\w+://\S+", "", text)
    elif path.suffix == ".py" or (first.startswith("#!") and "python" in first):
        yield from comments_of_python(text)
    elif path.suffix in (".cc", ".h", ".cu", ".cuh"):
        yield from matches(CPP, text)
    elif path.suffix in (".toml", ".cmake") or path.name == "CMakeLists.txt" or first.startswith("#!"):
        yield from matches(HASH, text)


def check(root):
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.is_file()]
    files += [path for path in sorted(root.iterdir()) if path.suffix in (".md", ".txt")]
    paths = ["/" + str(path.relative_to(root)) for path in files]
    known = {path[i:] for path in paths for i, char in enumerate(path) if char == "/"}
    for path in files:
        for line, text in comments(path) if path.name != "CHANGELOG.md" else []:
            for found in NAME.finditer(text):
                name = re.sub(r"^[./]+", "", found.group())
                if "/" + name not in known and not {name, pathlib.Path(name).name} & OTHERS:
                    yield f"{path}:{line + text.count(chr(10), 0, found.start())}: there is no file {name}"


def main():
    found = list(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "every file that is named exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
