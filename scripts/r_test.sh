#!/usr/bin/env bash
# The R package, built from the sources as users get it, installed into build-r/library and tested there.
#   scripts/r_test.sh            tests, and the same maps as the program's to 1e-9
#   scripts/r_test.sh --check    R CMD check --as-cran of the source package too, with vignettes
# R itself is not installed by this script: `make r-test` does that.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v Rscript >/dev/null || { echo "SKIPPED: the R package (R is not installed; make r-test installs it)"; exit 0; }
Rscript -e 'for (p in c("cpp11", "Matrix", "testthat")) if (!requireNamespace(p, quietly = TRUE)) quit(status = 1)' ||
  { echo "SKIPPED: the R package (cpp11, Matrix or testthat is not installed; make r-test installs them)"; exit 0; }

headers=$(.deps/python/bin/python -c 'import assorthead; print(assorthead.includes())')
folder=$PWD/build-r
mkdir -p "$folder/library"
# Object files stay between runs: only what changed is copied over them.
python3 scripts/r_package.py --headers "$headers" --folder "$folder/new"
mkdir -p "$folder/geotherm"
rsync -rlc --delete --exclude='*.o' --exclude='*.so' "$folder/new/" "$folder/geotherm/" 2>/dev/null ||
  { rm -rf "$folder/geotherm"; cp -r "$folder/new" "$folder/geotherm"; }
rm -rf "$folder/new"
if command -v ccache >/dev/null; then
  printf 'CXX20 = ccache g++\n' >"$folder/Makevars.user"
  export R_MAKEVARS_USER="$folder/Makevars.user"
fi
echo "r-test: compiling"
MAKEFLAGS="-j${JOBS:-$(nproc)}" R CMD INSTALL --no-docs --no-byte-compile -l "$folder/library" "$folder/geotherm" \
  >"$folder/install.log" 2>&1 || { tail -n 40 "$folder/install.log"; exit 1; }
export R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
(cd r/tests && Rscript -e 'library(testthat); library(geotherm); test_dir("testthat", package = "geotherm", reporter = "summary", stop_on_failure = TRUE)')
if [ -x "${BUILD:-build}/geotherm" ]; then
  Rscript tests/r/same_map.R "${BUILD:-build}/geotherm" 1e-9
else
  echo "SKIPPED: R against the program (no ${BUILD:-build}/geotherm)"
fi
if [ -n "${GEOTHERM_PROGRAM_WITHOUT_BLAS:-}" ]; then Rscript tests/r/same_map.R "$GEOTHERM_PROGRAM_WITHOUT_BLAS" 0; fi

if [ "${1:-}" = --check ]; then
  python3 scripts/r_package.py --headers "$headers" --out "$folder"
  cd "$folder"
  # Without a network the look at CRAN itself is left out.
  MAKEFLAGS="-j${JOBS:-$(nproc)}" _R_CHECK_CRAN_INCOMING_=false _R_CHECK_FORCE_SUGGESTS_=false R CMD check --as-cran --no-manual geotherm_*.tar.gz
  ! grep -E '^Status:.*(ERROR|WARNING)' geotherm.Rcheck/00check.log
fi
