"""`cmake --install`: where files are installed, what the library exports, and programs built against it."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

from installed import HAS_PARQUET, MODULE, TEXTS, InstalledCase, files_below, run, version
from program import BIN_DIR, SOURCE_DIR, main

HEADERS = sorted(set(os.listdir(os.path.join(SOURCE_DIR, "include", "refrain"))) - {"serve.h"})


class Install(InstalledCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = os.path.join(tempfile.mkdtemp(prefix="refrain-install-"), "usr")
        cls.addClassCleanup(shutil.rmtree, os.path.dirname(cls.prefix))
        run("cmake", "--install", BIN_DIR, "--prefix", cls.prefix)

    def consumer(self):
        """Builds consumer.cc with the flags from pkg-config."""
        if not hasattr(Install, "built"):
            Install.built = os.path.join(os.path.dirname(self.prefix), "consumer")
            flags = run("pkg-config", "--cflags", "--libs", "refrain",
                        env={"PKG_CONFIG_PATH": f"{self.prefix}/lib/pkgconfig", "PATH": os.environ["PATH"]})
            run("g++", "-std=c++20", os.path.join(SOURCE_DIR, "tests", "packaging", "consumer.cc"), "-o", self.built,
                *flags.split())
        return self.built

    def test_everything_is_where_it_is_looked_for(self):
        found = files_below(self.prefix)
        for name in ("bin/refrain", "bin/simhash-find-all", "bin/simhash-find-clusters", "lib/librefrain.so",
                     f"lib/librefrain.so.{version()}", "lib/pkgconfig/refrain.pc",
                     "lib/cmake/refrain/refrain-config.cmake", "share/man/man1/refrain.1",
                     "share/bash-completion/completions/refrain", "share/fish/vendor_completions.d/refrain.fish",
                     "share/doc/refrain/LICENSE", "share/doc/refrain/docs/format.md",
                     "share/doc/refrain/examples/version.cc"):
            self.assertIn(name, found)
        self.assertTrue(any(re.fullmatch(r"share/zsh/[a-z-]+/_refrain", name) for name in found))
        self.assertEqual([name for name in found if name.startswith("include/")],
                         [f"include/refrain/{name}" for name in HEADERS])
        self.assertEqual(f"lib/refrain/{MODULE}" in found, HAS_PARQUET)
        with open(f"{self.prefix}/share/man/man1/refrain.1", encoding="utf-8") as page:
            self.assertIn(version(), page.read())

    def test_what_is_staged_lies_under_destdir_and_names_the_prefix_alone(self):
        run("cmake", "--install", BIN_DIR, "--prefix", "/opt/refrain",
            env={**os.environ, "DESTDIR": self.path("stage")})
        self.assertTrue(os.path.exists(self.path("stage", "opt", "refrain", "bin", "refrain")))
        for above, _, names in os.walk(self.path("stage", "opt", "refrain", "lib", "cmake")):
            for name in names:
                self.assertNotIn(self.dir.encode(), self.read(above, name), name)
                self.assertNotIn(SOURCE_DIR.encode(), self.read(above, name), name)

    def test_the_library_exports_what_the_headers_declare_and_nothing_else(self):
        declared = ""
        for name in HEADERS:
            with open(os.path.join(SOURCE_DIR, "include", "refrain", name), encoding="utf-8") as header:
                text = header.read()
            self.assertIn('\nnamespace [[gnu::visibility("default")]] refrain {\n', text, name)
            declared += re.sub(r"//.*", "", text)
        exported = run("nm", "--dynamic", "--defined-only", "--demangle",
                       f"{self.prefix}/lib/librefrain.so").splitlines()
        names = [line.split(maxsplit=2)[2] for line in exported]
        self.assertGreater(len(names), 50)
        for name in names:
            # Instances of a template begin with their result.
            name = re.sub(r"^\S.* (refrain::\w+)<.*>\(", r"\1(", name)
            head = re.match(r"(?:(?:typeinfo|typeinfo name|vtable) for )?refrain::(\w+|operator\W+)(::)?(\w*)", name)
            self.assertIsNotNone(head, name)
            kind = "class|struct" if head[2] else "class|struct|[\\w:<>]+"
            self.assertRegex(declared, rf"\b(?:{kind})\s+{re.escape(head[1])}\b|\b{re.escape(head[1])}\(", name)
            self.assertNotEqual(head[3], "Impl", name)
        for name in ("typeinfo for refrain::Error", "vtable for refrain::Error", "typeinfo for refrain::PassageSink",
                     "typeinfo for refrain::TextSource"):
            self.assertIn(name, names)

    def test_the_library_has_all_that_the_faces_call(self):
        def names(*arguments):
            return set(re.findall(r"\b_ZNK?7refrain\S+|\b_ZT[ISV]N7refrain\S+", run("nm", *arguments)))

        faces = sorted(glob.glob(os.path.join(BIN_DIR, "src", "librefrain_faces_*.a")))
        called = names("--undefined-only", *faces) - names("--defined-only", *faces)
        self.assertGreater(len(called), 20)
        self.assertEqual(called - names("--dynamic", "--defined-only", f"{self.prefix}/lib/librefrain.so"), set())

    def test_every_header_compiles(self):
        self.write("all.cc", "".join(f'#include "refrain/{name}"\n' for name in HEADERS))
        run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            f"-I{self.prefix}/include", self.path("all.cc"))

    def test_the_programs_of_the_library_page_name_every_header_that_they_need(self):
        with open(os.path.join(SOURCE_DIR, "docs", "library.md"), encoding="utf-8") as page:
            programs = re.findall(r"^```cpp\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(programs), 2)
        needed = {"std::size_t": "cstddef", "std::cout": "iostream", "std::popcount": "bit", "std::span": "span",
                  "std::string>": "string", "std::vector": "vector"}
        for number, program in enumerate(programs):
            self.write(f"{number}.cc", program)
            run("g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{self.prefix}/include",
                self.path(f"{number}.cc"))
            for name, header in needed.items():
                self.assertEqual(name in program, f"#include <{header}>" in program, (name, header))

    def test_the_page_of_versions_tells_those_of_the_code(self):
        with open(os.path.join(SOURCE_DIR, "docs", "versions.md"), encoding="utf-8") as page:
            row = r"^\| ([^|(]+?) (?:\([^|]*\) )?\| (\d+)(?: \([^|]*\))? \|"
            rows = dict(re.findall(row, page.read(), re.MULTILINE))
        in_code = {"fingerprint": ("include/refrain/version.h", r"kFingerprintVersion = (\d+)"),
                   "MinHash signature": ("include/refrain/version.h", r"kMinHashVersion = (\d+)"),
                   "content of a page": ("include/refrain/version.h", r"kMainVersion = (\d+)"),
                   "loss": ("include/refrain/version.h", r"kLossVersion = (\d+)"),
                   "index": ("src/engines/blot/manifest.cc", r"kManifestVersion = (\d+)"),
                   "library": ("src/engines/library/layout.cc", r"kManifestVersion = (\d+)"),
                   "texts of a library": ("src/verbs/known/text_records.cc", r'kMarkHead = "{\\"texts\\":(\d+)'),
                   "n-gram index": ("src/engines/ngram/index/format.h", r"kNgramFormatVersion = (\d+)"),
                   "templates": ("src/verbs/run/columns/template_file.cc", r'kTemplateMagic = "rfntmpl(\d+)"')}
        self.assertEqual(set(rows), set(in_code))
        for name, (path, pattern) in in_code.items():
            with open(os.path.join(SOURCE_DIR, path), encoding="utf-8") as source:
                self.assertEqual(rows[name], re.search(pattern, source.read())[1], name)

    def interface(self, *arguments):
        return subprocess.run([sys.executable, os.path.join(SOURCE_DIR, "tools", "interface"), *arguments],
                              capture_output=True, text=True, check=False)

    def test_a_patch_release_keeps_the_interface_of_its_minor_version(self):
        library, headers = f"{self.prefix}/lib/librefrain.so", f"{self.prefix}/include"
        listed = self.interface(library, headers)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertRegex(listed.stdout, r"(?m)^sizeof DedupOptions \d+$")
        self.assertRegex(listed.stdout, r"(?m)^symbol _ZTIN7refrain5ErrorE$")
        released = os.path.join(SOURCE_DIR, "packaging", f"interface-{version().rpartition('.')[0]}.txt")
        if os.path.exists(released):
            compared = self.interface("--compare", released, library, headers)
            self.assertEqual(compared.returncode, 0, compared.stderr)

        self.write("released", listed.stdout)
        self.assertEqual(self.interface("--compare", self.path("released"), library, headers).returncode, 0)
        shutil.copytree(headers, self.path("include"))
        changed = self.read("include", "refrain", "text.h").decode().replace(
            "struct ByteRange {", "struct ByteRange {\n  std::size_t more = 0;")
        self.write(os.path.join("include", "refrain", "text.h"), changed)
        self.write("released", listed.stdout + "symbol _ZN7refrain4goneEv\n")
        compared = self.interface("--compare", self.path("released"), library, self.path("include"))
        self.assertEqual(compared.returncode, 1)
        self.assertRegex(compared.stderr, r"not as released: sizeof ByteRange \d+\n")
        self.assertIn("not as released: symbol _ZN7refrain4goneEv\n", compared.stderr)

    def test_examples_are_built_with_find_package_and_run(self):
        run("cmake", "-S", f"{self.prefix}/share/doc/refrain/examples", "-B", self.path("build"), "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", self.path("build"))
        sources = [name for name in os.listdir(os.path.join(SOURCE_DIR, "examples")) if name.endswith(".cc")]
        for name in sources:
            out = run(self.path("build", name.removesuffix(".cc")), cwd=self.dir)
            if name == "version.cc":
                self.assertRegex(out, rf"^refrain {re.escape(version())}\n\d+ of 64 bits differ\n$")

    def test_find_package_refuses_another_version(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CXX)\n"
                                     "find_package(refrain 99 QUIET)\nif(refrain_FOUND)\n"
                                     "message(FATAL_ERROR found)\nendif()\n")
        run("cmake", "-S", self.dir, "-B", self.path("build"), "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_a_program_built_with_pkg_config_calls_and_catches(self):
        env = {"LD_LIBRARY_PATH": f"{self.prefix}/lib"}
        self.write("in.txt", TEXTS[0])
        self.assertEqual(run(self.consumer(), self.path("in.txt"), env=env), f"{version()}: 1 documents, 0 passages\n")
        self.assertRegex(run(self.consumer(), self.path("none.txt"), env=env), r"^error 1: .*none\.txt: ")

    def test_the_library_finds_its_module_wherever_the_prefix_is_moved(self):
        self.write_parquet("in.parquet")
        self.consumer()
        moved = self.path("else where")
        shutil.copytree(self.prefix, moved, symlinks=True)
        expected = f"{version()}: {len(TEXTS)} documents, 0 passages\n"
        for folder in (f"{moved}/lib", "else where/lib"):
            self.assertEqual(run(self.built, self.path("in.parquet"), cwd=self.dir, env={"LD_LIBRARY_PATH": folder}),
                             expected)
        self.assertIn(f'"documents": {len(TEXTS)}',
                      run(f"{moved}/bin/refrain", "near", "in.parquet", "-o", "out", "--json", "-q", cwd=self.dir))
        os.symlink(f"{moved}/bin/refrain", self.path("link"))
        run("./link", "fingerprint", "in.parquet", "-q", cwd=self.dir)

    def test_no_module_of_the_working_folder_is_loaded(self):
        self.write_parquet("in.parquet")
        self.consumer()
        shutil.copytree(f"{self.prefix}/lib", self.path("lib"), symlinks=True)
        shutil.rmtree(self.path("lib", "refrain"))
        for name in (MODULE, f"refrain/{MODULE}"):
            self.write(name, "not a library")
        out = run(self.built, self.path("in.parquet"), cwd=self.dir, env={"LD_LIBRARY_PATH": "lib"})
        self.assertIn(f"{MODULE} is missing", out)


if __name__ == "__main__":
    main()
