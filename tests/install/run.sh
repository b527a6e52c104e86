#!/usr/bin/env bash
# Installs the build under a fresh prefix, moves the prefix, and builds an outside project against it: by
# find_package, by pkg-config, and (configured only) with the sources as a part of the project.
#   run.sh BUILD [--whole]     --whole compiles the part of the project too
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
mv "$work/prefix" "$work/moved"

# Paths of the machine it was built on would break it on another.
if grep -rnE '"[^"]*/[^"]*\.(so|a)\b' "$work"/moved/lib*/cmake | grep -vE '\$\{_IMPORT_PREFIX\}|\$\{CMAKE_CURRENT_LIST_DIR\}'; then
  echo "the installed CMake package names files of this machine" >&2
  exit 1
fi
cmake -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/outside"
"$work/moved/bin/geotherm" --version

if command -v pkg-config >/dev/null; then
  pkgconfig=$(dirname "$(find "$work/moved" -name geotherm.pc)")
  # shellcheck disable=SC2046  # words of a command line
  "${CXX:-c++}" -std=c++20 -O1 "$here/main.cpp" -o "$work/by_pkg_config" \
    $(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs geotherm) \
    $(sed -n 's/^GEOTHERM_HDF5:FILEPATH=\(.*\)\/[^/]*$/-L\1/p' "$build/CMakeCache.txt")
  "$work/by_pkg_config"
else
  echo "not tried: pkg-config is not there"
fi

# As a part of another project: the library alone, no tests, no program, no compiler cache of ours.
mkdir "$work/part"
cat >"$work/part/CMakeLists.txt" <<LISTS
cmake_minimum_required(VERSION 3.20)
project(whole LANGUAGES CXX)
add_subdirectory("$source" geotherm EXCLUDE_FROM_ALL)
foreach(absent geotherm_cli test_core _native)
  if(TARGET \${absent})
    message(FATAL_ERROR "\${absent} is built although geotherm is a part of another project")
  endif()
endforeach()
if(CMAKE_CXX_COMPILER_LAUNCHER)
  message(FATAL_ERROR "a compiler launcher was set for the whole project")
endif()
add_executable(whole "$here/main.cpp")
target_link_libraries(whole PRIVATE geotherm::geotherm)
LISTS
headers=$(sed -n 's/^GEOTHERM_HEADERS_DIR:PATH=//p' "$build/CMakeCache.txt")
cmake -S "$work/part" -B "$work/part/build" -DGEOTHERM_HEADERS_DIR="$headers" -DGEOTHERM_UNITY=ON \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
if [ "${2:-}" = --whole ]; then
  cmake --build "$work/part/build" --target whole -j "$(nproc)" >/dev/null
  "$work/part/build/whole"
fi
