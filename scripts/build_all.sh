#!/usr/bin/env bash
# The program, the tests and the Python package. From nothing the tests are compiled while what only running them needs is being
# installed: a browser, clang, Python environments.
#   build_all.sh BUILD CMAKE_OPTION...     the options of a folder's configuration; JOBS: how many at once
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
jobs=${JOBS:-$(nproc)}
is_on() { grep -q "GEOTHERM_BUILD_$1:BOOL=ON" "$build/CMakeCache.txt"; }

if is_on TESTS && is_on PYTHON; then
  scripts/setup.sh test
else
  scripts/setup.sh units
  trap wait EXIT  # never leave an installation half done
  # Where sudo may ask for leave, it asks first.
  setup=""
  if [ "$(id -u)" -eq 0 ] || [ -n "${SETUP_YES:-${CI:-}}" ]; then
    scripts/setup.sh test &
    setup=$!
  else
    scripts/setup.sh test
  fi
  cmake -S . -B "$build" "$@" -DGEOTHERM_BUILD_TESTS=ON -DGEOTHERM_BUILD_PYTHON=OFF
  cmake --build "$build" -j "$jobs"
  [ -z "$setup" ] || wait "$setup"
  cmake -S . -B "$build" "$@" -DGEOTHERM_BUILD_TESTS=ON -DGEOTHERM_BUILD_PYTHON=ON
fi
cmake --build "$build" -j "$jobs"
