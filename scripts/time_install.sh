#!/usr/bin/env bash
# Clones the repository into an empty folder and times there what a newcomer runs: without a compiler cache, without environments
# or downloads of earlier builds, without GEOTHERM_DATA, and without R (as root: hidden for the time of the run), none of which a
# fresh machine has. Writes the rows of docs/install.md; logs go to out/time_install.
#   time_install.sh [--here] [demo] [test] [check] [pip]     all of them, in this order, unless some are named
#   check    `make check` after an edit of src/heat, once `test` has built everything
#   --here   in this folder, which has to be a clone that nothing was built in
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
logs=$root/out/time_install
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
mkdir -p "$logs"
GEOTHERM_LOAD=$(PYTHONPATH=$root/scripts python3 -c 'import package_table; print(f"{package_table.busy_cores():.1f}")')  # other work, before ours begins
export GEOTHERM_LOAD CCACHE_DISABLE=1 PIP_CACHE_DIR=$work/pip UV_CACHE_DIR=$work/uv npm_config_cache=$work/npm
unset GEOTHERM_DATA

# without_r COMMAND...: where R is installed it is covered by an empty file, in a mount namespace of the command's own.
without_r() {
  local r
  r=$(command -v Rscript || true)
  if [ -n "$r" ] && [ "$(id -u)" -eq 0 ]; then
    # shellcheck disable=SC2016  # words of the inner shell
    unshare --mount sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$r" "$@"
  else
    "$@"
  fi
}

failed=0
[ $# -gt 0 ] || set -- demo test check pip
for what; do
  rm -f "$work/first"
  case $what in
    demo | test) command=(make "$what") ;;
    check) echo "// edited" >>src/heat/uniformization.cpp; command=(make check) ;;
    pip) python3 -m venv "$work/venv"; command=("$work/venv/bin/pip" install --disable-pip-version-check .) ;;
    *) echo "time_install: unknown word '$what': demo, test, check or pip" >&2; exit 2 ;;
  esac
  begin=$(date +%s.%N)
  code=0
  without_r "${command[@]}" 2>&1 | tee "$logs/$what.log" | while IFS= read -r line; do
    case $line in *"Building CXX"*) [ -f "$work/first" ] || date +%s.%N >"$work/first" ;; esac
    printf '%s\n' "$line"
  done | tail -n 4 || code=$?
  end=$(date +%s.%N)
  if [ "$code" -ne 0 ]; then failed=1; fi
  if [ "$what" = pip ] && [ "$code" -eq 0 ]; then (cd "$work" && venv/bin/geotherm demo >"$work/demo.log"); fi
  python3 - "$root" "$what" "$begin" "$end" "$work" "$logs/$what.log" "$code" <<'PY'
import pathlib, re, sys
root, what, begin, end, work, log, code = sys.argv[1:]
sys.path.insert(0, root + "/scripts")
import packages
work, text = pathlib.Path(work), pathlib.Path(log).read_text()
installed = [line.split(" ", 2)[2] for line in text.splitlines() if "setup: installing" in line]
words = ["clean clone, no compiler cache"]
if what in ("demo", "test"):
    words.append(f"installed first: {', '.join(installed)}" if installed else "system packages there already")
if what == "demo":
    if (work / "first").exists():
        words.append(f"compiling began after {float((work / 'first').read_text()) - float(begin):.0f} s")
    words.append(f"{len(list(pathlib.Path('out/demo').glob('*.html')))} pages")
if what == "test":
    words.append("without data sets and without R")
if what == "check":
    words.append("one source of src/heat edited after `make test`")
if what in ("test", "check"):
    words += re.findall(r"^\d+ (?:skipped|left to|failed|passed)\b[^:\n]*", text.rpartition("\nThe slowest:")[2], re.MULTILINE)
if what == "pip":
    pages = list(work.glob("geotherm-demo/*.html"))
    words.append("program included, its demo leaves a page" if pages else "no page from the program's demo")
if code != "0":
    words.append("FAILED")
row = ("sources", "pip install .") if what == "pip" else (f"make {what}", f"make {what}")
packages.store(*row, [], float(end) - float(begin), "; ".join(words))
packages.write_table()
PY
done
exit "$failed"
