#!/usr/bin/env bash
# Packs a wheel from the finished build, installs it into a new environment away from the sources and asks it
# questions there. Nothing is compiled: `make packages` has the wheels of releases.
#   run.sh BUILD_FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
python="$source/.deps/python-tests/bin/python"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
native=$(find "$build/python/geotherm" -name '_native*' | paste -sd ';')
cd "$source"
"$python" -m pip wheel . --no-deps --no-build-isolation --quiet --wheel-dir "$work/dist" \
  --config-settings=build-dir="$work/wheel" \
  --config-settings=cmake.define.GEOTHERM_FROM_PREFIX="$work/prefix" \
  --config-settings=cmake.define.GEOTHERM_NATIVE="$native"
ls -l "$work/dist"
# Wheels of releases compile the module against the installed library: that much of their way is tried here.
cmake -S . -B "$work/from_prefix" -DSKBUILD=ON -DSKBUILD_SCRIPTS_DIR="$work/scripts" -DPython_EXECUTABLE="$python" \
  -DGEOTHERM_FROM_PREFIX="$work/prefix" -DGEOTHERM_UNITY=ON -DCMAKE_BUILD_TYPE=Release >/dev/null

python3 -m venv "$work/fresh"
# uv has NumPy and SciPy at hand from the environments of the tests.
if [ -x "$source/.deps/uv/bin/uv" ]; then
  "$source/.deps/uv/bin/uv" pip install --quiet --python "$work/fresh/bin/python" "$work"/dist/geotherm-*.whl
else
  "$work/fresh/bin/pip" install --quiet --disable-pip-version-check "$work"/dist/geotherm-*.whl
fi
cd "$work"
env -u PYTHONPATH PATH="$work/fresh/bin:$PATH" "$work/fresh/bin/python" "$here/check.py" --program
