#!/usr/bin/env python3
"""Makes a release, or says why it cannot be made yet.

release.py --check            everything that has to hold before a tag; prints each complaint
release.py --set X.Y.Z        writes the version where it is written out (CMakeLists.txt has it for everything else)
release.py --address URL MAIL writes the address of the project and of its maintainers where a placeholder stands
release.py --hashes           writes the hashes of dist/'s source distribution into the recipes
release.py --notes            the changes of this version, from CHANGELOG.md
release.py --tag              checks, then tags vX.Y.Z; artefacts are checked in dist/ and listed in dist/SHA256SUMS

The version is in one place, `project(geotherm VERSION ...)`: the library, the program, the Python package and the wheel's
name take it from there. The C++ headers, CITATION.cff and recipes for other package managers have
to write it out; --set renews them. The project has no public address yet: `HOMEPAGE_URL` of CMakeLists.txt and the files of
ADDRESSED hold a name that no network knows (.invalid), and --check complains of it.
"""

import datetime
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHERE = r"(project\(geotherm VERSION )([\d.]+)"
# File, and a pattern whose second group is the version.
COPIES = {
    "CITATION.cff": r"(?m)^(version: )([\d.]+)$",
    "packaging/conda/recipe.yaml": r'(?m)^(  version: ")([\d.]+)',
    "packaging/vcpkg/ports/geotherm/vcpkg.json": r'(?m)^(  "version": ")([\d.]+)',
    "packaging/conan/conanfile.py": r'(?m)^(    version = ")([\d.]+)',
    "packaging/conan/conandata.yml": r'(?m)(^  "|/geotherm-)([\d.]+)(?=":|\.tar)',
    "packaging/scverse/meta.yaml": r"(?m)^(version: v)([\d.]+)$",
    "r/DESCRIPTION": r"(?m)^(Version: )([\d.]+)$",
    "viewer/package.json": r'(?m)^(  "version": ")([\d.]+)',
    "viewer/package-lock.json": r'("name": "geotherm-viewer",\s+"version": ")([\d.]+)',
}
PLACEHOLDER = ("https://geotherm.invalid", "maintainers@geotherm.invalid")
# Files that repeat the address of the project or of its maintainers.
ADDRESSED = (
    "CMakeLists.txt",
    "packaging/conan/conanfile.py",
    "packaging/conda/recipe.yaml",
    "packaging/debian/changelog.in",
    "packaging/debian/control",
    "packaging/debian/copyright",
    "packaging/scverse/meta.yaml",
    "packaging/vcpkg/ports/geotherm/vcpkg.json",
    "r/DESCRIPTION",
    "r/man/geotherm-package.Rd",
)
# File, and a pattern whose second group is a hash of the source distribution.
HASHES = {
    "packaging/conda/recipe.yaml": (r'(  sha256: ")([0-9a-f]+)', "sha256"),
    "packaging/conan/conandata.yml": (r'(source/g/geotherm/.*\n\s*sha256: ")([0-9a-f]+)', "sha256"),
    "packaging/vcpkg/ports/geotherm/portfile.cmake": (r"(FILENAME \"geotherm-.*\n\s*SHA512 )([0-9a-f]+)", "sha512"),
}


def version() -> str:
    return re.search(WHERE, (ROOT / "CMakeLists.txt").read_text()).group(2)


def set_version(new: str):
    for path, pattern in {"CMakeLists.txt": WHERE, **COPIES}.items():
        text = (ROOT / path).read_text()
        (ROOT / path).write_text(re.sub(pattern, rf"\g<1>{new}", text))
    headers = ROOT / "include/geotherm/version.hpp"
    text = headers.read_text()
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), new.split(".")):
        text = re.sub(rf"(#define GEOTHERM_VERSION_{part} )\d+", rf"\g<1>{number}", text)
    headers.write_text(text)
    minor = ".".join(new.split(".")[:2])
    print(f"version {new}. The shared library's name is libgeotherm.so.{minor}: packaging/debian names it too.")


def set_address(url: str, mail: str):
    for path in ADDRESSED:
        text = (ROOT / path).read_text()
        for old, new in zip(PLACEHOLDER, (url, mail)):
            text = text.replace(old, new)
        (ROOT / path).write_text(text)


def set_hashes():
    source = ROOT / "dist" / f"geotherm-{version()}.tar.gz"
    if not source.exists():
        sys.exit(f"{source} is not there: make packages")
    for path, (pattern, algorithm) in HASHES.items():
        digest = hashlib.new(algorithm, source.read_bytes()).hexdigest()
        text, n = re.subn(pattern, rf"\g<1>{digest}", (ROOT / path).read_text(), count=1)
        assert n == 1, path
        (ROOT / path).write_text(text)


def notes() -> str:
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## \[?v?{re.escape(version())}\b.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(1).strip() if found else ""


def git(*args: str) -> str:
    return subprocess.run(["git", *args], check=False, cwd=ROOT, capture_output=True, text=True).stdout.strip()


def complaints() -> list[str]:
    found = []
    now = version()
    for path, pattern in COPIES.items():
        written = {match.group(2) for match in re.finditer(pattern, (ROOT / path).read_text())}
        if written != {now}:
            found.append(f"{path} has version {', '.join(sorted(written)) or 'none'}, not {now}: release.py --set {now}")
    headers = re.findall(r"#define GEOTHERM_VERSION_\w+ (\d+)", (ROOT / "include/geotherm/version.hpp").read_text())
    if ".".join(headers) != now:
        found.append(f"include/geotherm/version.hpp has version {'.'.join(headers)}, not {now}")
    if f"libgeotherm{'.'.join(now.split('.')[:2])}" not in (ROOT / "packaging/debian/control").read_text():
        found.append("packaging/debian/control names another version of the shared library")
    standing = [path for path in ADDRESSED if any(word in (ROOT / path).read_text() for word in PLACEHOLDER)]
    if standing:
        found.append(f"no address of the project yet ({', '.join(standing)}): release.py --address URL MAIL")
    if not notes():
        found.append(f"CHANGELOG.md has no section for {now}: rename Unreleased")
    if git("status", "--porcelain"):
        found.append("the working tree has changes that are not committed")
    if git("tag", "--list", f"v{now}"):
        found.append(f"the tag v{now} is there already")
    for program in (["python3", "packaging/lint_recipes.py"], ["scripts/lint_workflows.sh"]):
        done = subprocess.run(program, check=False, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            found.append(f"{' '.join(program)}: {done.stdout.strip()[-300:]}")
    store = ROOT / "out/packages.json"
    ways = json.loads(store.read_text()) if store.exists() else {}
    for way in ("wheels", "source distribution", "CMake package", "Debian package"):
        if way not in ways:
            found.append(f"not built and tried here: {way} (make packages)")
    wheels = list((ROOT / "dist/wheels").glob(f"geotherm-{now}-*.whl"))
    if not wheels or not (ROOT / "dist" / f"geotherm-{now}.tar.gz").exists():
        found.append(f"dist/ has no wheels or no source distribution of {now}: make packages")
    junit = ROOT / "build/junit/ctest.xml"
    newest = max((ROOT / name).stat().st_mtime for name in git("ls-files", "src", "apps", "include", "python").split())
    if not junit.exists() or junit.stat().st_mtime < newest:
        found.append("the tests were not run since the last change: make test")
    return found


def checksums():
    """SHA-256 of everything in dist/ that is published, and the bill of materials."""
    subprocess.run([sys.executable, "scripts/sbom.py", "dist/sbom.json"], check=True, cwd=ROOT)
    files = [*ROOT.glob("dist/wheels/*.whl"), *ROOT.glob("dist/*.tar.gz"), *ROOT.glob("dist/debian/*.deb"),
             ROOT / "dist/sbom.json"]  # fmt: skip
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(ROOT / 'dist')}" for path in sorted(files)]
    (ROOT / "dist/SHA256SUMS").write_text("\n".join(lines) + "\n")
    print("release.py --hashes writes those of the source distribution into the recipes")


def main() -> int:
    match sys.argv[1:]:
        case ["--set", new] if re.fullmatch(r"\d+\.\d+\.\d+", new):
            set_version(new)
        case ["--address", url, mail] if url.startswith("https://") and "@" in mail:
            set_address(url, mail)
        case ["--hashes"]:
            set_hashes()
        case ["--notes"]:
            print(notes())
        case ["--check"] | ["--tag"]:
            found = complaints()
            print("\n".join(f"- {line}" for line in found) or f"geotherm {version()} can be released")
            if found or sys.argv[1] == "--check":
                return bool(found)
            checksums()
            today = datetime.date.today().isoformat()
            subprocess.run(["git", "tag", "-a", f"v{version()}", "-m", f"geotherm {version()}, {today}"], check=True, cwd=ROOT)
            print(f"tagged v{version()}: git push --tags starts the release (.github/workflows/wheels.yml)")
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
