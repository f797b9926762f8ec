"""Help, man page, completion, version and refusals come from one table of flags, so they must agree."""

import contextlib
import os
import pty
import re
import shutil
import subprocess
import tempfile

from program import BIN_DIR, FIND_ALL, FIND_CLUSTERS, TestCase, environment, main, program, run, say

# Verbs of two words belong to a family, which precedes them in this list.
VERBS = ["dedup", "near", "fingerprint", "match", "explain", "substrings", "ngrams", "ngrams build", "ngrams show",
         "ngrams lookup", "ngrams stats", "ngrams check", "index", "index create", "index add", "index remove",
         "index merge", "index query", "index extract", "index blots", "index stats", "index check", "overrides",
         "overrides check", "overrides merge", "serve", "devices", "completion", "man", "help"]
FIRST_WORDS = [verb for verb in VERBS if " " not in verb]


def help_of(verb):
    return run(*verb.split(), "--help").out.decode()


def flags_in(text):
    return set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]*)", text, re.MULTILINE))


def examples_in(text):
    return [line.strip() for line in text.split("\nExamples:\n")[1].strip("\n").split("\n") if line.startswith("  ")]


class Help(TestCase):
    def test_every_verb_fits_one_screen_and_ends_with_two_examples(self):
        for verb in VERBS:
            text = help_of(verb)
            rows = text.splitlines()
            self.assertLessEqual(len(rows), 50, verb)
            self.assertLessEqual(max(map(len, rows)), 80, verb)
            self.assertTrue(rows[0].startswith(f"Usage: refrain {verb}"), rows[0])
            self.assertEqual(len(examples_in(text)), 2, verb)
            self.assertEqual(rows[-2:], ["  " + example for example in examples_in(text)])

    def test_the_examples_work(self):
        texts = [(verb, help_of(verb)) for verb in VERBS] + [("refrain", run("--help").out.decode())]
        texts += [(name, run("--help", name=name).out.decode()) for name in (FIND_ALL, FIND_CLUSTERS)]
        env = environment(PATH=BIN_DIR + os.pathsep + os.environ["PATH"])
        for name, text in texts:
            os.mkdir(self.path(name))
            for example in examples_in(text):
                if "/usr/share/common-licenses" in example and not os.path.isdir("/usr/share/common-licenses"):
                    say(f"not run, there is no such folder: {example}")
                    continue
                if "| man " in example and shutil.which("man") is None:
                    say(f"not run, there is no man: {example}")
                    continue
                done = subprocess.run(["bash", "-o", "pipefail", "-c", example], cwd=self.path(name), env=env,
                                      stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
                # The long verbs print what they recognize, dedup its estimate, the others what they skip; and nothing
                # else.
                said = rb"(refrain: [\d,]+ files?: [^\n]*\n)?(refrain: skipped \d+ files:\n(  [^\n]*\n)+)?"
                said += rb"refrain: [^\n]* needs about [^\n]* free\)\n" if example.startswith("refrain dedup ") else b""
                self.assertEqual(done.returncode, 0, example)
                self.assertRegex(done.stderr, rb"\A" + said + rb"\Z", example)

    def test_every_flag_shows_its_default(self):
        for verb in ("near", "fingerprint", "match", "explain", "ngrams build", "ngrams show", "index create",
                     "index add", "index query", "index extract", "index blots", "serve"):
            entries = re.findall(r"^  (?:-\w, )?(--[a-z-]+)((?:.*\n {10,})*.*)$", help_of(verb), re.MULTILINE)
            self.assertGreaterEqual(len(entries), 3)
            for flag, text in entries:
                if flag not in ("--help", "--version"):
                    self.assertRegex(text, r"\[[^]]+\]", f"{verb} {flag}")

    def test_help_is_the_same_by_every_way_to_it(self):
        for verb in VERBS:
            self.assertEqual(run("help", *verb.split()).out.decode(), help_of(verb))
            self.assertEqual(run(*verb.split(), "-h").out.decode(), help_of(verb))
        overview = run("--help").out.decode()
        self.assertEqual(run("help").out.decode(), overview)
        for verb in FIRST_WORDS:
            self.assertRegex(overview, rf"(?m)^  {verb} +\S")

    def test_help_comes_before_complaints(self):
        self.assertEqual(run("near", "--help").code, 0)
        self.assertEqual(run("match", "--distance", "2", "--help").out.decode(), help_of("match"))

    def test_the_version_is_printed(self):
        for arguments in (["--version"], ["-V"], ["near", "--version"]):
            result = run(*arguments)
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertRegex(result.out, rb"^refrain \d+\.\d+\.\d+\n$")


def on_terminal(*arguments, **more):
    """Runs the program with a terminal as standard output. Its exit code, and what was shown there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL,
                          **more) as process:
        os.close(theirs)
        out = b""
        with open(ours, "rb", buffering=0) as terminal, contextlib.suppress(OSError):  # which is how a terminal ends
            while piece := terminal.read(65536):
                out += piece
        process.wait(timeout=30)
        return process.returncode, out.replace(b"\r\n", b"\n")


class Generated(TestCase):
    def test_the_man_page_has_every_verb_and_every_flag(self):
        page = run("man").out.decode().replace("\\-", "-")
        self.assertTrue(page.startswith(".TH REFRAIN 1"))
        for verb in VERBS:
            self.assertIn(f".SS refrain {verb}", page)
            for flag in flags_in(help_of(verb)):
                self.assertIn(f"\\fB{flag}\\fR", page)
        for code in ("0", "1", "2", "3", "4", "5", "130"):
            self.assertIn(f"\n.TP\n{code}\n", page.split(".SH EXIT STATUS")[1])

    def test_the_man_page_is_formatted_for_a_terminal(self):
        shown = "REFRAIN(1)\n" + "the formatted page\n" * 20_000
        fail, stub = "#!/bin/sh\nexit 16\n", "#!/bin/sh\necho 'no manuals here'\n"
        works = f"#!/bin/sh\n[ \"$(head -c 3)\" = .TH ] || exit 1\ncat {self.path('shown')}\n"
        self.write("shown", shown)
        roff = run("man").out.decode()
        for tools, pager, expected in (({"man": works}, "cat", shown), ({"man": fail, "groff": works}, "cat", shown),
                                       ({"man": stub, "nroff": works}, "cat", shown),
                                       ({"mandoc": works}, "no-such-pager", shown),
                                       ({"man": works}, "sed s/formatted/paged/", shown.replace("formatted", "paged")),
                                       ({"man": fail, "mandoc": stub}, "cat", roff), ({}, "cat", roff)):
            with tempfile.TemporaryDirectory() as folder:
                for name in ("cat", "head", "sed"):
                    os.symlink(shutil.which(name), os.path.join(folder, name))
                for name, script in tools.items():
                    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                        file.write(script)
                    os.chmod(os.path.join(folder, name), 0o755)
                env = environment(PATH=folder, PAGER=pager, TERM="xterm")
                env.pop("MANPAGER", None)
                code, out = on_terminal("man", env=env)
                self.assertEqual((code, out), (0, expected.encode()), (tools.keys(), pager))
        # With what this system has.
        if any(map(shutil.which, ("mandoc", "groff", "nroff"))):
            code, out = on_terminal("man", env=environment(PAGER="cat", TERM="xterm"))
            self.assertEqual(code, 0)
            self.assertNotIn(b".TH", out)
            self.assertIn(b"REFRAIN(1)", re.sub(rb".\x08|\x1b\[[0-9;]*m", b"", out))

    def test_the_man_page_is_formatted_without_a_warning(self):
        if shutil.which("groff") is None:
            self.skipTest("there is no groff")
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z"], input=run("man").out, capture_output=True,
                              check=False, timeout=30)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))

    def test_completion_scripts_parse_and_hold_every_flag(self):
        for shell in ("bash", "zsh", "fish"):
            result = run("completion", shell)
            self.assertEqual(result.code, 0)
            script = result.out.decode()
            for verb in VERBS:
                for flag in flags_in(help_of(verb)):
                    self.assertIn(f"-l {flag[2:]}" if shell == "fish" else flag, script)
            if shutil.which(shell) is None:
                say(f"the {shell} script was not parsed: there is no {shell}")
                continue
            self.write("script", script)
            done = subprocess.run([shell, "-n", self.path("script")], capture_output=True, check=False, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, b""), shell)

    def complete(self, *words):
        """Returns what bash offers for the last word."""
        self.write("refrain.bash", run("completion", "bash").out)
        quoted = " ".join(f"'{word}'" for word in words)
        script = (f". ./refrain.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _refrain; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script], cwd=self.dir, capture_output=True, check=True,
                              timeout=20)
        return done.stdout.decode().split()

    def test_bash_completes_verbs_flags_and_values(self):
        self.assertEqual(self.complete("refrain", "fin"), ["fingerprint"])
        self.assertEqual(set(self.complete("refrain", "")) & set(FIRST_WORDS), set(FIRST_WORDS))
        self.assertEqual(self.complete("refrain", "ngrams", "s"), ["show", "stats"])
        self.assertEqual(self.complete("refrain", "ngrams", "show", "--li"), ["--limit"])
        self.assertEqual(self.complete("refrain", "ngrams", "show", "--sort", "l"), ["length"])
        self.assertEqual(set(self.complete("refrain", "ngrams", "build", "--")), flags_in(help_of("ngrams build")))
        self.assertEqual(self.complete("refrain", "index", "re"), ["remove"])
        self.assertEqual(self.complete("refrain", "index", "create", "--blots", "x"), ["xor"])
        self.assertEqual(self.complete("refrain", "index", "query", "--output", "t"), ["text", "tsv"])
        self.assertEqual(self.complete("refrain", "near", "--dist"), ["--distance"])
        self.assertEqual(self.complete("refrain", "near", "--format", "js"), ["jsonl", "json"])
        self.assertEqual(self.complete("refrain", "near", "--preset", "=", "f"), ["fpga"])
        self.assertEqual(set(self.complete("refrain", "completion", "")), {"bash", "zsh", "fish"})
        self.assertLessEqual(flags_in(help_of("near")), set(self.complete("refrain", "near", "--")))  # help omits some
        self.write("some input.txt")
        self.assertIn("some", self.complete("refrain", "near", "so"))


class Refusals(TestCase):
    def refused(self, *arguments, hint, **more):
        result = self.run_program(*arguments, code=2, **more)
        self.assertIn(hint, result.err)
        self.assertTrue(result.err.startswith("refrain: "), result.err)
        self.assertEqual(result.out, b"")

    def test_an_unknown_verb_or_flag_gets_a_suggestion(self):
        self.refused("nera", hint="did you mean 'near'?")
        self.refused("fingerprints", hint="did you mean 'fingerprint'?")
        self.refused("near", "in", "-o", "out", "--distanse", "3", hint="did you mean '--distance'?")
        self.refused("match", "in", "--al", hint="did you mean '--all'?")
        self.refused("match", "in", "--blocks", "4", hint="near")
        self.refused("xyzzy", hint="unknown verb 'xyzzy'")
        self.refused("near", "in", "-o", "out", "-x", hint="-x")

    def test_missing_operands_and_values_are_usage_errors(self):
        self.refused(hint="verb")
        self.refused("near", hint="INPUT")
        self.refused("near", "in", hint="--output")
        self.refused("near", "in", "-o", hint="-o")
        self.refused("fingerprint", hint="INPUT")
        self.refused("match", hint="STORED")
        self.refused("explain", "one", hint="A and B")
        self.refused("explain", "one", "two", "three", hint="three")
        self.refused("match", "one", "two", "three", hint="three")
        self.refused("completion", hint="bash")
        self.refused("completion", "tcsh", hint="bash")
        self.refused("help", "nera", hint="nera")

    def test_values_out_of_range_are_usage_errors_that_name_the_range(self):
        near = ["near", "in", "-o", "out"]
        for flags, hint in ((["--distance", "64"], "63"), (["--distance", "-1"], "63"),
                            (["--distance", "three"], "three"), (["--blocks", "65"], "64"), (["--blocks", "1"], "64"),
                            (["--threads", "0"], "1"), (["--window", "0"], "1"), (["--memory", "lots"], "512M"),
                            (["--format", "xml"], "jsonl"), (["--tokenizer", "letters"], "words"),
                            (["--hash", "sha"], "xxh3"), (["--preset", "none"], "fpga"), (["--tie", "2"], "1"),
                            (["--strict=yes"], "--strict")):
            self.refused(*near, *flags, hint=hint)

    def test_blocks_that_do_not_suit_the_distance_are_usage_errors(self):
        self.write("in", "some words here")
        self.refused("near", "in", "-o", "out", "--blocks", "3", hint="above")
        self.refused("near", "in", "-o", "out", "--blocks", "64", "--distance", "20", hint="tables")
        self.assertEqual(self.listing(), ["in"])

    def test_the_last_of_two_equal_flags_wins_and_dashes_end_the_flags(self):
        self.write("--force", "some words here")
        self.near("--distance", "5", "--distance", "7", "-q", "./--force")
        self.near("--", "--force", output="other", code=2)  # after the dashes everything is input, including -o
        self.run_program("near", "-o", "third", "--", "--force")
        self.assertEqual(self.listing("third"), ["clusters.tsv", "matches.tsv", "skipped.tsv", "summary.json"])


class Colour(TestCase):
    def on_terminal(self, *arguments, **changes):
        """Returns what a terminal would receive on standard output."""
        code, out = on_terminal(*arguments, cwd=self.dir, env=environment(TERM="xterm", **changes))
        self.assertEqual(code, 0)
        return out

    def test_colours_are_for_terminals_and_no_color_turns_them_off(self):
        self.write("a", "some words that are here twice")
        self.run_program("index", "create", "index", "a", "--window", "2", "-q")
        for arguments in (["explain", "a", "a"], ["near", "a", "--force", "-o", "out"],
                          ["index", "query", "index", "a", "--output", "text"]):
            self.assertIn(b"\x1b[", self.on_terminal(*arguments))
            self.assertNotIn(b"\x1b", self.on_terminal(*arguments, NO_COLOR="1"))
            self.assertNotIn(b"\x1b", self.run_program(*arguments).out)


class Quiet(TestCase):
    def test_quiet_prints_nothing_and_a_pipe_gets_no_progress_bar(self):
        self.write("in.txt", "some words here\n" * 1000)
        result = self.run_program("near", "in.txt", "--format", "lines", "-o", "a", "-q")
        self.assertEqual((result.out, result.err), (b"", ""))
        result = self.run_program("near", "in.txt", "--format", "lines", "-o", "b")
        self.assertEqual(result.err, "refrain: 1 file: 1 line by line\n")
        self.assertRegex(result.out.decode(), r"(?m)^  near-duplicate pairs +999 ")
        self.assertIn(b"b/matches.tsv", result.out)


if __name__ == "__main__":
    main()
