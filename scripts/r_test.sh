#!/usr/bin/env bash
# The R package, built from the sources as users get it, installed into build-r/library and tested there.
#   scripts/r_test.sh            tests, vignettes, and the same maps as the program's to 1e-9
#   scripts/r_test.sh --as-cran  R CMD check --as-cran of the source package alone
#   scripts/r_test.sh --check    both, and interrupts, the same bits as a program built without BLAS, man pages as roxygen2 writes them,
#                                and pkgdown's index
# R itself is not installed by this script: `make r-test` does that.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v Rscript >/dev/null || { echo "SKIPPED: the R package (R is not installed; make r-test installs it)"; exit 0; }
Rscript -e 'for (p in c("cpp11", "Matrix", "testthat")) if (!requireNamespace(p, quietly = TRUE)) quit(status = 1)' ||
  { echo "SKIPPED: the R package (cpp11, Matrix or testthat is not installed; make r-test installs them)"; exit 0; }

headers=$(.deps/python/bin/python -c 'import assorthead; print(assorthead.includes())')
page=viewer/dist/page_template.cpp
[ -f "$page" ] || page=${BUILD:-build}/viewer/page_template.cpp
folder=$PWD/build-r
mkdir -p "$folder/library"
: >"$folder/Makevars.user"
export R_MAKEVARS_USER="$folder/Makevars.user"
if command -v ccache >/dev/null; then
  echo 'CXX20 = ccache g++' >>"$folder/Makevars.user"
  # R builds the package three times, each in a folder of its own: for the tests, the vignettes and the check.
  export CCACHE_NOHASHDIR=1
fi

# No network: the questions to CRAN are left out, and an empty index stands for the repositories, so that the check of
# dependencies comes to its end. Notes that remain have to be explained in r/README.md.
as_cran() {
  python3 scripts/r_package.py --headers "$headers" --page "$page" --out "$folder"
  cd "$folder"
  rm -rf geotherm.Rcheck
  mkdir -p repository/src/contrib
  : >repository/src/contrib/PACKAGES
  cat >Rprofile <<R
options(repos = c(CRAN = "file://$folder/repository"), BioC_mirror = "file://$folder/repository")
R
  MAKEFLAGS="-j${JOBS:-$(nproc)}" R_PROFILE_USER="$folder/Rprofile" _R_CHECK_CRAN_INCOMING_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false \
    _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_XREFS_REPOSITORIES_="file://$folder/repository" _R_CHECK_SYSTEM_CLOCK_=false \
    env -u NOT_CRAN R CMD check --as-cran --no-manual geotherm_*.tar.gz
  cd ..
  python3 scripts/r_notes.py "$folder/geotherm.Rcheck/00check.log"
}
if [ "${1:-}" = --as-cran ]; then as_cran; exit; fi

# Object files stay where no source changed. R's make knows nothing of headers and of sources compiled together: otherwise all are
# made anew, by the compiler cache where there is one.
python3 scripts/r_package.py --headers "$headers" --page "$page" --folder "$folder/new"
mkdir -p "$folder/geotherm"
if changed=$(rsync -rlci --delete --exclude='*.o' --exclude='*.so' "$folder/new/" "$folder/geotherm/" 2>/dev/null); then
  if grep -q ' src/' <<<"$changed"; then find "$folder/geotherm/src" -name '*.o' -delete; fi
else
  rm -rf "$folder/geotherm"
  cp -r "$folder/new" "$folder/geotherm"
fi
rm -rf "$folder/new"
# Debian's R compiles with -g, which takes a fifth of the time: the check alone keeps its flags.
if [ "${1:-}" != --check ]; then echo 'CXX20FLAGS = -O2' >>"$folder/Makevars.user"; fi
echo "r-test: compiling"
MAKEFLAGS="-j${JOBS:-$(nproc)}" R CMD INSTALL --no-docs --no-byte-compile -l "$folder/library" "$folder/geotherm" \
  >"$folder/install.log" 2>&1 || { tail -n 40 "$folder/install.log"; exit 1; }
export R_LIBS="$folder/library${R_LIBS:+:$R_LIBS}"
# Interrupts take a minute: in the long form alone.
if [ "${1:-}" = --check ]; then export NOT_CRAN=true; fi
(cd r/tests && Rscript -e 'library(testthat); library(geotherm); test_dir("testthat", package = "geotherm", reporter = "summary", stop_on_failure = TRUE)')
if [ -x "${BUILD:-build}/geotherm" ]; then
  Rscript tests/r/same_map.R "${BUILD:-build}/geotherm" 1e-9
else
  echo "SKIPPED: R against the program (no ${BUILD:-build}/geotherm)"
fi
if [ "${1:-}" != --check ]; then
  Rscript -e 'for (p in c("knitr", "rmarkdown")) if (!requireNamespace(p, quietly = TRUE)) quit(status = 1)' && command -v pandoc >/dev/null ||
    { echo "SKIPPED: the vignettes of the R package (knitr, rmarkdown or pandoc is not installed)"; exit 0; }
  # With the program at hand, which the path to a file and back calls.
  PATH="$PWD/${BUILD:-build}:$PATH" Rscript -e 'for (page in Sys.glob("r/vignettes/*.Rmd")) rmarkdown::render(page, output_dir = "build-r/vignettes",
    intermediates_dir = tempfile(), quiet = TRUE)'
  echo "R: vignettes built in build-r/vignettes"
  exit 0
fi

# roxygen2 writes man pages and NAMESPACE from the comments: what is in the tree has to be that.
rm -rf "$folder/documented"
cp -r r "$folder/documented"
Rscript -e 'roxygen2::roxygenise(commandArgs(TRUE), load_code = roxygen2::load_installed)' "$folder/documented" >"$folder/roxygen.log" 2>&1 ||
  { cat "$folder/roxygen.log"; exit 1; }
diff -r r/man "$folder/documented/man" && diff r/NAMESPACE "$folder/documented/NAMESPACE" ||
  { echo "r/man or r/NAMESPACE is not what roxygen2 writes"; exit 1; }
Rscript -e 'pkgdown::check_pkgdown("r")'

without_blas=$folder/without-blas
# What decides the bits is as in the package: no BLAS and no Spectra. The rest is as in the Makefile, so that a compiler cache serves.
cmake -S . -B "$without_blas" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGEOTHERM_UNITY=ON -DGEOTHERM_WERROR=ON -DGEOTHERM_HARDENING=ON \
  -DGEOTHERM_WITH_BLAS=OFF -DGEOTHERM_WITH_SPECTRA=OFF -DGEOTHERM_WITH_VIEWER=OFF -DGEOTHERM_BUILD_TESTS=OFF \
  -DGEOTHERM_BUILD_PYTHON=OFF >/dev/null
cmake --build "$without_blas" -j "${JOBS:-$(nproc)}" --target geotherm_cli >"$folder/without-blas.log" 2>&1 ||
  { tail -n 40 "$folder/without-blas.log"; exit 1; }
Rscript tests/r/same_map.R "$without_blas/geotherm" 0

as_cran
