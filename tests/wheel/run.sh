#!/usr/bin/env bash
# Builds a wheel, installs it into a new environment away from the sources and asks it questions there.
# run.sh BUILD_FOLDER: the wheel's own build is kept beside it, so that a second run compiles little.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
python="$source/.deps/python-tests/bin/python"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Compiler and headers are named only so that the compiler cache of the plain build serves here too.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
headers=$("$source/.deps/python/bin/python" -c "import assorthead; print(assorthead.includes(), end='')")
cd "$source"
make --no-print-directory page
"$python" -m pip wheel . --no-deps --no-build-isolation --quiet --wheel-dir "$work/dist" \
  --config-settings=build-dir="$build-wheel" \
  --config-settings=cmake.define.CMAKE_CXX_COMPILER="$compiler" \
  --config-settings=cmake.define.GEOTHERM_WERROR=ON \
  --config-settings=cmake.define.GEOTHERM_WITH_VIEWER=ON \
  --config-settings=cmake.define.GEOTHERM_HEADERS_DIR="$headers"
ls -l "$work/dist"

python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet --disable-pip-version-check "$work"/dist/geotherm-*.whl
cd "$work"
env -u PYTHONPATH "$work/fresh/bin/python" "$here/check.py" "${GEOTHERM_PROGRAM:-}"
