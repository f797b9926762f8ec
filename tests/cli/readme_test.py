"""The commands of README.md and GUIDE.md, run as printed.

In a fenced block marked `console`, a line that begins with "$ " is a command; the lines up to the next command are
its output on standard output and standard error. There, "..." alone on a line matches any number of lines, and "*" in
a line matches any run of characters. All commands of a document run in order, each by bash, in one temporary folder,
with the programs on PATH and also under build/release. Commands that begin with "make" are not run.
"""

import os
import re
import subprocess

from program import BIN_DIR, SOURCE_DIR, TestCase, environment, main, program

SECONDS = 120


class Command:
    def __init__(self, text, line):
        self.text, self.line, self.expected = text, line, []


def commands_in(document):
    """Returns the commands of all console blocks, with their line numbers and expected output."""
    commands, inside, fence = [], False, None
    for number, line in enumerate(document.splitlines(), 1):
        mark = re.match(r"\s*(```+)(\S*)", line)
        if fence is None and mark:
            fence, inside = mark.group(1), mark.group(2) == "console"
            open_command = False
        elif fence is not None and line.strip() == fence:
            fence, inside = None, False
        elif inside and open_command and commands[-1].text.endswith("\\"):
            commands[-1].text += "\n" + line
        elif inside and line.startswith("$ "):
            commands.append(Command(line[2:], number))
            open_command = True
        elif inside and open_command:
            commands[-1].expected.append(line.rstrip())
        elif inside:
            raise ValueError(f"line {number}: output without a command")
    for command in commands:
        while command.expected and not command.expected[-1]:
            command.expected.pop()
    return commands


def line_matches(pattern, line):
    # Column widths depend on figures that differ from machine to machine.
    pattern, line = (re.sub(" {2,}", "  ", text) for text in (pattern, line))
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), line) is not None


def output_matches(expected, lines):
    """Whether the lines match the expected ones, where "..." matches any number of lines."""
    # reachable[i]: the patterns so far can match the first i lines.
    reachable = [True] + [False] * len(lines)
    for pattern in expected:
        if pattern == "...":
            for i in range(1, len(lines) + 1):
                reachable[i] = reachable[i] or reachable[i - 1]
        else:
            reachable = [False] + [reachable[i] and line_matches(pattern, line) for i, line in enumerate(lines)]
    return reachable[-1]


def failures_of(commands, folder):
    """Runs the commands and returns the failures, each with the line of its command."""
    env = environment(PATH=BIN_DIR + os.pathsep + os.environ["PATH"])
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(BIN_DIR, os.path.join(folder, "build", "release"))
    failures = []
    for command in commands:
        if re.match(r"make\b", command.text):
            continue
        done = subprocess.run(["bash", "-c", command.text], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        lines = [line.rstrip() for line in done.stdout.decode(errors="replace").rstrip("\n").split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        if done.returncode != 0:
            failures.append(f"line {command.line}: $ {command.text}\nexit code {done.returncode}: "
                            + "\n".join(lines[-20:]))
        elif not output_matches(command.expected, lines):
            failures.append(f"line {command.line}: $ {command.text}\n--- promised:\n" + "\n".join(command.expected) +
                            "\n--- printed:\n" + "\n".join(lines[:60]))
    return failures


class Documents(TestCase):
    def check(self, name):
        program()
        path = os.path.join(SOURCE_DIR, name)
        self.assertTrue(os.path.exists(path), f"there is no {name}")
        with open(path, encoding="utf-8") as file:
            commands = commands_in(file.read())
        run = [command for command in commands if not command.text.startswith("make")]
        self.assertGreaterEqual(len(run), 2, f"{name}: hardly a command in its console blocks")
        failures = failures_of(commands, self.dir)
        if failures:
            self.fail(f"{name}: {len(failures)} of {len(run)} commands\n\n" + "\n\n".join(failures))

    def test_every_command_of_the_readme_works_as_printed(self):
        self.check("README.md")

    def test_every_command_of_the_guide_works_as_printed(self):
        self.check("GUIDE.md")


SAMPLE = """
# A sample

```console
$ printf 'a\\nb\\nc\\n'
a
...
c
$ make everything
never run
$ echo one \\
    two
one two
```

```sh
$ false   # not a console block
```

```console
$ printf '255\\n239\\n' | simhash-find-all -b 6 -d 3
[239, 255]
$ build/release/refrain --version
refrain *.*.*
$ echo kept > file

$ cat file
kept
```
"""


class Runner(TestCase):
    def test_it_finds_commands_and_what_they_promise(self):
        commands = commands_in(SAMPLE)
        self.assertEqual([command.text.split()[0] for command in commands],
                         ["printf", "make", "echo", "printf", "build/release/refrain", "echo", "cat"])
        self.assertEqual(commands[0].expected, ["a", "...", "c"])
        self.assertEqual(commands[2].text, "echo one \\\n    two")
        self.assertEqual((commands[0].line, commands[5].expected), (5, []))

    def test_a_document_that_keeps_its_promises_passes(self):
        self.assertEqual(failures_of(commands_in(SAMPLE), self.dir), [])

    def test_a_broken_promise_is_found(self):
        for number, (block, reason) in enumerate([
                ("$ echo a\nb", "promised"), ("$ echo a", "promised"), ("$ true\na", "promised"),
                ("$ printf 'a\\nb\\n'\na", "promised"), ("$ printf 'a\\nb\\n'\n...\na", "promised"),
                ("$ false", "exit code 1"), ("$ no-such-program", "exit code 127"), ("$ echo aXb\na*c", "promised")]):
            os.mkdir(self.path(str(number)))
            [failure] = failures_of(commands_in(f"```console\n{block}\n```\n"), self.path(str(number)))
            self.assertIn(reason, failure)
            self.assertIn("line 2", failure)

    def test_wildcards_match_what_they_should(self):
        lines = ["one", "two 22 s", "three"]
        for expected in (["one", "two * s", "three"], ["..."], ["one", "..."], ["...", "three"], ["*", "*", "*"],
                         ["...", "one", "...", "two 22 s", "...", "three", "..."]):
            self.assertTrue(output_matches(expected, lines), expected)
        for expected in ([], ["one", "three"], ["...", "two"], ["*", "*"], ["one.", "...", "three"], ["on", "..."]):
            self.assertFalse(output_matches(expected, lines), expected)


if __name__ == "__main__":
    main()
