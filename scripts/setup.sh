#!/usr/bin/env bash
# Installs what the build and the tests need, and nothing that is there already: Debian packages by
# name, and a Python environment under .deps/ for header libraries and test tools from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build ccache make python3 python3-venv python3-dev libopenblas-dev libfmt-dev
  nlohmann-json3-dev libcli11-dev libboost-dev liblemon-dev libspectra-dev zlib1g-dev libgtest-dev
  libhdf5-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing+=("$package")
done
# The HTML page is bundled by Node.js and tested in a browser; other sources of either serve too.
command -v node >/dev/null && command -v npm >/dev/null || missing+=(nodejs npm)
command -v chromium >/dev/null || missing+=(chromium)
# Fuzzing is clang's.
command -v clang++ >/dev/null || missing+=(clang libclang-rt-dev)
command -v cppcheck >/dev/null || missing+=(cppcheck)
if ((${#missing[@]})); then
  echo "setup: installing ${missing[*]}"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "setup: these Debian packages are missing and there is no sudo to install them:" >&2
      echo "  ${missing[*]}" >&2
      exit 1
    }
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
fi

# environment NAME LIST...: made anew when its lists of requirements change. Lists with hashes
# (scripts/lock.sh) are kept to by pip, so each is installed by itself.
environment() {
  local name=$1 stamp=".deps/$1/requirements.stamp"
  shift
  if cat "${@/#/scripts/}" | cmp -s - "$stamp"; then return; fi
  echo "setup: Python environment in .deps/$name"
  python3 -m venv ".deps/$name"
  for list in "$@"; do
    ".deps/$name/bin/pip" install --quiet --disable-pip-version-check -r "scripts/$list"
  done
  cat "${@/#/scripts/}" >"$stamp"
}
environment python requirements.txt  # header libraries, tests of the program
environment python-tests requirements-build.txt requirements-python.txt  # the Python package, its tests
environment python-numpy1 requirements-numpy1.txt  # the same with the oldest NumPy it takes
