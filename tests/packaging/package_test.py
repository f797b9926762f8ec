"""`make package`: the archive runs on a system with only glibc, and the .deb declares its dependencies."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request

from installed import HAS_PARQUET, MODULE, OF_GLIBC, TEXTS, InstalledCase, files_below, run, version
from program import BIN_DIR, SOURCE_DIR, main

# The version of Debian 12. Ubuntu 24.04 has 2.39.
GLIBC = (2, 36)


class Package(InstalledCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="refrain-packages-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run(os.path.join(SOURCE_DIR, "tools", "package"), cls.folder, BIN_DIR, cwd=SOURCE_DIR)
        cls.archive, = glob.glob(os.path.join(cls.folder, "*.tar.zst"))
        cls.deb, = glob.glob(os.path.join(cls.folder, "*.deb"))
        run("tar", "--zstd", "-xf", cls.archive, "-C", cls.folder)
        cls.root = cls.archive.removesuffix(".tar.zst")

    def binaries(self):
        return [os.path.join(self.root, name) for name in files_below(self.root)
                if name.startswith("bin/") or ".so" in os.path.basename(name)]

    def test_the_archive_is_named_after_version_and_machine(self):
        self.assertEqual(os.path.basename(self.archive), f"refrain-{version()}-linux-{os.uname().machine}.tar.zst")
        found = files_below(self.root)
        for name in ("bin/refrain", "bin/simhash-find-all", "share/man/man1/refrain.1", "share/doc/refrain/LICENSE",
                     "lib/refrain/libstdc++.so.6", "lib/refrain/libgcc_s.so.1",
                     "share/doc/refrain/licenses/libstdc++.txt"):
            self.assertIn(name, found)
        self.assertEqual(f"lib/refrain/{MODULE}" in found, HAS_PARQUET)

    def test_every_library_but_those_of_glibc_is_inside_and_is_found_there(self):
        for path in self.binaries():
            told = run("readelf", "-dW", path)
            folders = [folder.replace("$ORIGIN", os.path.dirname(path))
                       for found in re.findall(r"\(RUNPATH\).*\[(.*)\]", told) for folder in found.split(":")]
            self.assertTrue(folders, path)
            for folder in folders:
                self.assertEqual(os.path.realpath(folder), os.path.join(os.path.realpath(self.root), "lib", "refrain"))
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", told):
                if not OF_GLIBC.fullmatch(needed):
                    self.assertTrue(any(os.path.exists(os.path.join(folder, needed)) for folder in folders),
                                    (path, needed))

    def test_no_newer_glibc_is_needed_than_that_of_debian_12(self):
        here = tuple(int(part) for part in os.confstr("CS_GNU_LIBC_VERSION").split()[1].split("."))
        if here > GLIBC:
            self.skipTest(f"this system has glibc {here}: what is built here needs it")
        for path in self.binaries():
            for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-VW", path)):
                self.assertLessEqual((int(major), int(minor)), GLIBC, path)

    def bare(self, *arguments):
        """Runs refrain with an empty environment, in a root with only glibc, the package, and self.dir as /data."""
        bare = os.path.join(self.folder, "bare")
        if not os.path.exists(bare):
            listed = run("ldconfig", "-p")
            for name, path in re.findall(r"^\s*(\S+) \(libc6,(?:x86-64|AArch64).*\) => (\S+)$", listed, re.MULTILINE):
                if OF_GLIBC.fullmatch(name):
                    os.makedirs(bare + os.path.dirname(path), exist_ok=True)
                    shutil.copy(path, bare + path)
            loader = re.search(r"interpreter: (.*)\]",
                               run("readelf", "-lW", os.path.join(self.root, "bin", "refrain")))[1]
            os.makedirs(bare + os.path.dirname(loader), exist_ok=True)
            shutil.copy(loader, bare + loader)
            shutil.copytree(self.root, bare + "/opt/refrain")
            for name in ("/proc", "/tmp", "/data"):
                os.makedirs(bare + name)
        script = ('mount --rbind /proc "$0/proc" && mount --bind "$1" "$0/data" || exit 99\n'
                  'shift; PATH=$PATH:/usr/sbin; exec env -i "$(command -v chroot)" "$0" "$@"')
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        done = subprocess.run(["unshare", "--mount", *as_root, "sh", "-c", script, bare, self.dir,
                               "/opt/refrain/bin/refrain", *arguments], capture_output=True, check=False, timeout=60)
        if done.returncode == 99 or done.stderr.startswith(b"unshare:"):
            self.skipTest(f"no root of its own can be had here: {done.stderr.decode().strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def test_it_runs_on_a_system_with_nothing_but_glibc(self):
        self.assertEqual(self.bare("--version"), f"refrain {version()}\n")
        self.write("in.txt", "\n".join(TEXTS))
        self.assertIn(f'"documents": {len(TEXTS)}',
                      self.bare("near", "/data/in.txt", "--format", "lines", "-o", "/data/out", "--json", "-q"))

    def test_it_reads_parquet_there(self):
        self.write_parquet("in.parquet")
        self.assertEqual(len(self.bare("fingerprint", "/data/in.parquet", "-q").splitlines()), 1 + len(TEXTS))

    def test_it_runs_where_it_was_unpacked_with_libraries_of_its_own_alone(self):
        self.write("in.txt", TEXTS[0])
        done = subprocess.run([os.path.join(self.root, "bin", "refrain"), "fingerprint", self.path("in.txt"), "-q"],
                              env={"LD_DEBUG": "libs"}, capture_output=True, check=True, timeout=60)
        loaded = re.findall(r"calling init: (\S+)", done.stderr.decode())
        self.assertGreater(len(loaded), 5)
        for path in loaded:
            if not OF_GLIBC.fullmatch(os.path.basename(path)):
                self.assertTrue(os.path.realpath(path).startswith(os.path.realpath(self.root)), path)

    def test_the_deb_says_what_it_needs(self):
        told = run("dpkg-deb", "-I", self.deb)
        self.assertIn(" Package: refrain\n", told)
        self.assertIn(f" Version: {version()}\n", told)
        depends = re.search(r"Depends: (.*)", told)[1]
        for package in ("libc6", "libstdc++6", "libzstd1", "zlib1g"):
            self.assertRegex(depends, rf"\b{re.escape(package)} \(>=")
        listed = run("dpkg-deb", "-c", self.deb)
        for name in ("./usr/bin/refrain", "./usr/lib/librefrain.so.", "./usr/include/refrain/dedup.h",
                     "./usr/lib/pkgconfig/refrain.pc", "./usr/share/man/man1/refrain.1",
                     "./usr/share/doc/refrain/LICENSE", "./usr/lib/systemd/system/refrain.service"):
            self.assertIn(name, listed)
        self.assertNotIn("libstdc++", listed)

    def unit(self):
        """Unpacks the .deb, and returns the unit of its service, with the path of the program."""
        run("dpkg", "-x", self.deb, self.dir)
        unit = self.read("usr/lib/systemd/system/refrain.service").decode()
        self.assertEqual(unit.count("\nExecStart=refrain serve "), 1)
        return unit.replace("ExecStart=refrain", f"ExecStart={self.path('usr/bin/refrain')}")

    def test_systemd_takes_the_service_and_finds_it_confined(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("there is no systemd here")
        path = self.write("refrain.service", self.unit())
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", path)  # of 100

    def test_what_the_service_starts_answers(self):
        unit = self.unit()
        arguments = re.search(r'\nEnvironment="REFRAIN_SERVE=(.*)"\n', unit)[1]
        command = re.search(r"\nExecStart=(.*)\n", unit)[1].replace("$REFRAIN_SERVE", arguments)
        self.write("token", "x" * 32)
        with subprocess.Popen([*command.replace("%d", self.dir).split(), "--listen", "127.0.0.1:0"], cwd=self.dir,
                              env={}, stderr=subprocess.PIPE) as process:
            try:
                url = re.fullmatch(r"refrain: listening on (\S+)\n", process.stderr.readline().decode())[1]
                request = urllib.request.Request(url + "/v1/seen", b'{"id": "a", "text": "b"}',
                                                 {"Authorization": "Bearer " + "x" * 32})
                with urllib.request.urlopen(request, timeout=60) as reply:
                    self.assertEqual(json.loads(reply.read())["added"], True)
            finally:
                process.terminate()
        self.assertEqual(process.returncode, 0)

    def test_what_the_deb_holds_runs(self):
        run("dpkg", "-x", self.deb, self.dir)
        self.assertEqual(run(self.path("usr/bin/refrain"), "--version", env={}), f"refrain {version()}\n")
        self.write_parquet("in.parquet")
        run(self.path("usr/bin/refrain"), "fingerprint", self.path("in.parquet"), "-q", env={})


if __name__ == "__main__":
    main()
