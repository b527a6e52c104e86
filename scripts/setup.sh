#!/usr/bin/env bash
# Installs what is missing, and nothing that is there already, whatever put it there.
#   setup.sh [build]   compiler, libraries, the header libraries of PyPI, Node.js for the HTML page
#   setup.sh units     the above, and what compiling the tests needs: GoogleTest, Boost
#   setup.sh test      the above, and what running them needs: clang, cppcheck, a browser and Python
#                      environments under .deps/
#   setup.sh r         the build's, and R with the packages that its package is tested with (Debian's)
#   --yes              (or SETUP_YES=1, or CI set) does not ask before it uses sudo
# Debian and Ubuntu: by apt. Elsewhere the names of what is missing are printed.
set -euo pipefail
cd "$(dirname "$0")/.."

what=build
yes=${SETUP_YES:-${CI:-}}
for word in "$@"; do
  case $word in
    build | units | test | r) what=$word ;;
    --yes) yes=1 ;;
    *) echo "setup: unknown word '$word': build, units, test, r or --yes" >&2; exit 2 ;;
  esac
done

required=() optional=()   # Debian's names of what was not found
compiler=${CXX:-c++}
command -v "$compiler" >/dev/null || required+=(g++)
command -v cmake >/dev/null || required+=(cmake)
command -v ninja >/dev/null || required+=(ninja-build)
python3 -c 'import venv, ensurepip' 2>/dev/null || required+=(python3-venv)

# Headers, all in one question to the compiler.
headers=(
  fmt/core.h:libfmt-dev:required nlohmann/json.hpp:nlohmann-json3-dev:required
  CLI/CLI.hpp:libcli11-dev:required cblas.h:libopenblas-dev:optional hdf5.h:libhdf5-dev:optional
  zlib.h:zlib1g-dev:required lemon/network_simplex.h:liblemon-dev:optional
  Spectra/SymEigsSolver.h:libspectra-dev:optional)
if [ "$what" = units ] || [ "$what" = test ]; then
  headers+=(gtest/gtest.h:libgtest-dev:required boost/version.hpp:libboost-dev:required)
fi
found=""
if command -v "$compiler" >/dev/null; then
  found=$(for line in "${headers[@]}"; do
    printf '#if __has_include(<%s>)\n@%s@\n#endif\n' "${line%%:*}" "${line%%:*}"
  done | "$compiler" -std=c++20 -E -P -x c++ ${CPPFLAGS:-} -I/usr/include/hdf5/serial \
    -I/usr/local/include -I"${CONDA_PREFIX:-/usr/local}/include" -I/usr/include/openblas \
    "-I/usr/include/$("$compiler" -print-multiarch 2>/dev/null || true)/openblas-pthread" - 2>/dev/null || true)
fi
for line in "${headers[@]}"; do
  IFS=: read -r header package need <<<"$line"
  case $found in *"@$header@"*) continue ;; esac
  if [ "$need" = required ]; then required+=("$package"); else optional+=("$package"); fi
done
if [ "$what" = test ]; then
  python3 -c 'import os, sysconfig; assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' \
    2>/dev/null || optional+=(python3-dev)
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || optional+=(chromium)
  # Fuzzing is clang's, and wants its runtime, which another package's clang may have come without.
  command -v clang++ >/dev/null || optional+=(clang)
  compgen -G "$(clang++ -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.fuzzer*" >/dev/null || optional+=(libclang-rt-dev)
  command -v cppcheck >/dev/null || optional+=(cppcheck)
fi

if [ "$what" = r ]; then
  for package in r-base-dev qpdf devscripts r-cran-cpp11 r-cran-testthat r-cran-matrix r-cran-ggplot2 r-cran-knitr r-cran-rmarkdown \
    r-cran-igraph r-cran-fnn r-cran-roxygen2 r-cran-pkgdown r-cran-seurat r-bioc-singlecellexperiment r-bioc-scater; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || required+=("$package")
  done
fi

# install PACKAGE...: by apt, as root or, once allowed, by sudo. False where that cannot be.
install() {
  command -v apt-get >/dev/null || return 1
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || return 1
    if [ -z "$yes" ]; then
      [ -t 0 ] || return 1
      read -r -p "setup: run 'sudo apt-get install $*'? [y/N] " answer
      case $answer in y | Y | yes) ;; *) return 1 ;; esac
    fi
    as_root=(sudo)
  fi
  echo "setup: installing $*"
  if [ -z "$(find .deps/apt-lists.stamp -mmin -60 2>/dev/null)" ]; then
    "${as_root[@]}" apt-get update -qq
    mkdir -p .deps && touch .deps/apt-lists.stamp
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
packages() {
  install "${required[@]}" "${optional[@]}" || {
    if ((${#optional[@]})); then
      echo "setup: not found, and done without: ${optional[*]} (Debian's names)" >&2
    fi
    if ((${#required[@]})); then
      echo "setup: not found, and needed: ${required[*]} (Debian's names)" >&2
      echo "setup: install them by your system's packages, or run 'scripts/setup.sh $what --yes' to use sudo apt-get" >&2
      exit 1
    fi
  }
}
late=""  # the process that installs packages while environments are made
if ((${#required[@]} == 0 && ${#optional[@]})) && [ "$what" = test ] && { [ "$(id -u)" -eq 0 ] || [ -n "$yes" ]; }; then
  packages &
  late=$!
elif ((${#required[@]} + ${#optional[@]})); then
  packages
fi

# Header libraries (Eigen, knncolle, ...). Any Python that imports them serves.
if ! { .deps/python/bin/python -c 'import assorthead' || python3 -c 'import assorthead'; } 2>/dev/null; then
  echo "setup: header libraries in .deps/python"
  python3 -m venv .deps/python
  .deps/python/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-headers.txt
fi

# The HTML page is bundled by Node.js: the system's from version 18 on, or PyPI's.
node_serves() {
  command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null
}
if ! node_serves && [ ! -x .deps/node/bin/npm ]; then
  echo "setup: Node.js in .deps/node"
  python3 -m venv .deps/node
  .deps/node/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-node.txt || {
    rm -rf .deps/node
    echo "setup: no Node.js: the program is built without its HTML page" >&2
  }
fi
[ "$what" = test ] || exit 0

# environment NAME LIST...: made anew when its lists of requirements change. Lists with hashes
# (scripts/lock.sh) are kept to, so each is installed by itself.
environment() {
  local name=$1 stamp=".deps/$1/requirements.stamp"
  shift
  if cat "${@/#/scripts/}" | cmp -s - "$stamp"; then return; fi
  echo "setup: Python environment in .deps/$name"
  if [ ! -x .deps/uv/bin/uv ]; then
    python3 -m venv .deps/uv
    .deps/uv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-uv.txt || true
  fi
  [ -x ".deps/$name/bin/python" ] || python3 -m venv ".deps/$name"
  for list in "$@"; do  # pip does the same, a minute later
    .deps/uv/bin/uv pip install --quiet --python ".deps/$name/bin/python" -r "scripts/$list" ||
      ".deps/$name/bin/pip" install --quiet --disable-pip-version-check -r "scripts/$list"
  done
  cat "${@/#/scripts/}" >"$stamp"
}
environment python requirements.txt  # tests of the program
environment python-tests requirements-build.txt requirements-python.txt  # the Python package, its tests
environment python-numpy1 requirements-numpy1.txt  # the same with the oldest NumPy it takes
[ -z "$late" ] || wait "$late"
