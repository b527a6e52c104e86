#!/usr/bin/env bash
# geotherm.exe without a Windows: library and program by the mingw compiler, unoptimised, and the demo run by wine where it is
# installed. No HDF5 and no BLAS, which Debian does not have for mingw, and no page. Leaves build-windows/geotherm.exe.
#   Debian: g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine64
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=x86_64-w64-mingw32-g++-posix
command -v "$compiler" >/dev/null || { echo "SKIPPED: no $compiler (Debian: g++-mingw-w64-x86-64-posix libz-mingw-w64-dev)"; exit 0; }
build=$PWD/build-windows
headers=$(sed -n 's/^GEOTHERM_HEADERS_DIR:PATH=//p' "${BUILD:-build}/CMakeCache.txt")

# Header libraries of the system, without the rest of /usr/include, which is another C library's.
mkdir -p "$build/deps/include"
package() { # package NAME FOLDER TARGET DEFINITION
  ln -sfn "/usr/include/$2" "$build/deps/include/$2"
  mkdir -p "$build/deps/lib/cmake/$1"
  cat >"$build/deps/lib/cmake/$1/$1Config.cmake" <<CMAKE
add_library($3 INTERFACE IMPORTED)
set_target_properties($3 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$build/deps/include" INTERFACE_COMPILE_DEFINITIONS "$4")
CMAKE
}
package fmt fmt fmt::fmt FMT_HEADER_ONLY
package nlohmann_json nlohmann nlohmann_json::nlohmann_json ""
package CLI11 CLI CLI11::CLI11 ""

root=/usr/x86_64-w64-mingw32
cmake -S . -B "$build" -G Ninja -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -Wa,-mbig-obj" -DCMAKE_EXE_LINKER_FLAGS=-static -DCMAKE_FIND_ROOT_PATH="$root;$build/deps" \
  -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
  -DZLIB_LIBRARY="$root/lib/libz.a" -DGEOTHERM_HEADERS_DIR="$headers" -DGEOTHERM_UNITY=ON -DGEOTHERM_WITH_BLAS=OFF \
  -DGEOTHERM_WITH_HDF5=OFF -DGEOTHERM_WITH_LEMON=OFF -DGEOTHERM_WITH_SPECTRA=OFF -DGEOTHERM_WITH_VIEWER=OFF \
  -DGEOTHERM_BUILD_TESTS=OFF -DGEOTHERM_BUILD_PYTHON=OFF >"$build/configure.log" 2>&1 || { tail -20 "$build/configure.log"; exit 1; }
cmake --build "$build" -j "${JOBS:-$(nproc)}" --target geotherm_cli >"$build/build.log" 2>&1 ||
  { grep -m 20 -E 'error|undefined reference' "$build/build.log"; exit 1; }
echo "mingw builds geotherm.exe"

command -v wine >/dev/null || { echo "SKIPPED: geotherm.exe was not run (Debian: wine wine64)"; exit 0; }
here=$(realpath "${BUILD:-build}/geotherm")
export WINEPREFIX=$build/wine WINEDEBUG=-all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
wine "$build/geotherm.exe" synth tree --n 400 -o tree.npz >windows.log 2>&1 &&
  wine "$build/geotherm.exe" embed tree.npz:X -o windows.csv --seed 3 >>windows.log 2>&1 || { cat windows.log; exit 1; }
"$here" embed tree.npz:X -o here.csv --seed 3 --quiet
python3 - <<'PY'
import csv
def rows(name):
    with open(name) as file:
        return [[float(x) for x in row[-2:]] for row in list(csv.reader(file))[1:]]
a, b = rows("windows.csv"), rows("here.csv")
extent = max(abs(x) for row in b for x in row)
worst = max(abs(x - y) for p, q in zip(a, b, strict=True) for x, y in zip(p, q)) / extent
print(f"wine runs it; its map of {len(a)} points differs from this system's by {worst:.1e} of the extent")
assert worst < 1e-6, worst
PY
