#!/usr/bin/env bash
# A smoke test for Windows without one: every source of the library is parsed by the mingw compiler. Sources that call
# POSIX directly are listed in scripts/posix_sources.txt and may fail; any other that fails is a complaint.
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=x86_64-w64-mingw32-g++-posix
command -v "$compiler" >/dev/null || { echo "SKIPPED: no $compiler (Debian: g++-mingw-w64-x86-64-posix)"; exit 0; }
headers=$(sed -n 's/^GEOTHERM_HEADERS_DIR:PATH=//p' "${BUILD:-build}/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() {
  "$1" -std=c++20 -fsyntax-only -w -Iinclude -Isrc -isystem "$2" -DEIGEN_MPL2_ONLY -DEIGEN_DONT_PARALLELIZE \
    -DGEOTHERM_VERSION='"0"' "$4" 2>/dev/null || echo "$4" >>"$3/failed"
}
export -f check
touch "$work/failed"
mapfile -t sources < <(find src -name '*.cpp' ! -name '*_test.cpp' ! -name '*_bench.cpp' ! -path '*/hdf5/*' "$@" | sort)
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -I{} bash -c 'check "$@"' _ "$compiler" "$headers" "$work" {}
sort "$work/failed" >"$work/sorted"
unexpected=$(grep -vxFf scripts/posix_sources.txt "$work/sorted" || true)
echo "mingw parses $((${#sources[@]} - $(wc -l <"$work/sorted"))) of ${#sources[@]} sources; $(wc -l <scripts/posix_sources.txt) call POSIX"
if [ -n "$unexpected" ]; then
  printf 'not portable any more:\n%s\n' "$unexpected"
  exit 1
fi
