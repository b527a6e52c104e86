#!/usr/bin/env bash
# Clones the repository into an empty folder and times the commands of the README there, without a compiler cache and without
# environments of earlier builds. Rows go to out/packages.json; `scripts/packages.py table` writes them into docs/install.md.
#   time_install.sh [--here] [demo] [test]
#   --here   in this folder, which has to be a clone that nothing was built in
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "${1:-}" = --here ]; then
  shift
  for made in build .deps out; do
    [ ! -e "$made" ] || { echo "time_install: $made is there: not a clean clone" >&2; exit 1; }
  done
else
  git clone --quiet . "$work/clone"
  cd "$work/clone"
fi
export CCACHE_DISABLE=1
for what in "${@:-demo}"; do
  begin=$(date +%s.%N)
  make "$what" 2>&1 | tee "$work/$what.log" | while IFS= read -r line; do
    case $line in *"Building CXX"*) [ -f "$work/first" ] || date +%s.%N >"$work/first" ;; esac
    printf '%s\n' "$line"
  done | tail -4
  end=$(date +%s.%N)
  python3 - "$root" "$what" "$begin" "$end" "$work/first" "$work/$what.log" <<'PY'
import pathlib, sys
root, what, begin, end, first, log = sys.argv[1:]
sys.path.insert(0, root + "/scripts")
import packages
first = pathlib.Path(first)
installed = [line.split(" ", 2)[2] for line in pathlib.Path(log).read_text().splitlines() if "setup: installing" in line]
words = "clean clone, no compiler cache, "
words += f"installed first: {', '.join(installed)}" if installed else "system packages there already"
if what == "demo" and first.exists():
    words += f"; compiling began after {float(first.read_text()) - float(begin):.0f} s"
    words += f"; {len(list(pathlib.Path('out/demo').glob('*.html')))} pages"
if what == "test":
    words += "; " + pathlib.Path(log).read_text().strip().splitlines()[-1]
packages.store(f"make {what}", f"make {what}", [], float(end) - float(begin), words)
PY
done
