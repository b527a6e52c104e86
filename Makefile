# Two commands for a fresh machine: `make demo` and `make test`. The rest is for daily work.
BUILD ?= build
JOBS ?= $(shell nproc)
DATA ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 3600
.PHONY: r-package r-quick r-test gpu-build test-gpu bench-gpu setup build build-all check test slowest demo sanitize sanitize-quick tsan fuzz fuzz-quick fuzz-build lint lint-quick mutation mutation-quick coverage figures nightly allocation compilers kernel-errors bench bench-r bench-refine bench-third-party page wheel packages setup-test cross-check docs-python notebooks docs clean

# What a build needs (a compiler, libraries, Node.js for the page), where it is not there yet.
setup:
	@scripts/setup.sh build

# What the tests need besides: GoogleTest, clang, cppcheck, a browser, Python environments.
setup-test:
	@scripts/setup.sh test

CONFIGURE = -G Ninja -DCMAKE_BUILD_TYPE=Release -DGEOTHERM_WERROR=ON -DGEOTHERM_HARDENING=ON
$(BUILD)/build.ninja:
	@scripts/setup.sh build
	@cmake -S . -B $(BUILD) $(CONFIGURE) -DGEOTHERM_UNITY=ON -DGEOTHERM_BUILD_TESTS=OFF -DGEOTHERM_BUILD_PYTHON=OFF

# The program, its manual and its completions. A folder that is configured already is taken as it is.
build: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target geotherm_cli geotherm_shell

# Everything: tests and the Python package too.
build-all: $(BUILD)/build.ninja
	@JOBS=$(JOBS) scripts/build_all.sh $(BUILD) $(CONFIGURE)

# Tests of the modules that differ from main (CHECK="graph cli" names them): a minute, once built.
check: $(BUILD)/build.ninja
	@python3 scripts/check.py $(BUILD) $(CHECK)

# Every test, and among them, so that no core waits: static analysis and fuzzing in their quick forms, the
# modules that read foreign bytes or reckon with indices once more under the address and undefined-behaviour
# sanitizers, and the R package. What was skipped is counted and listed at the end.
test: build-all
	@python3 scripts/run_tests.py $(BUILD) --jobs $(JOBS) --checks

# The 20 slowest tests of the last run.
slowest:
	@python3 scripts/run_tests.py $(BUILD) --slowest 20

# Only what is to be checked is compiled again; the rest of the library is that of the build (BUILT=1: as it is).
sanitize-quick: $(if $(BUILT),,build)
	@cmake -S tests/sanitize -B build-sanitize -G Ninja -DGEOTHERM_BUILD=$(abspath $(BUILD)) >/dev/null
	@cmake --build build-sanitize -j $(JOBS)
	@LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp ctest --test-dir build-sanitize --output-on-failure -j $(JOBS) --quiet

# All modules. The rows of the paper's tables are left out here: minutes of arithmetic that other tests reach too.
sanitize: setup-test
	@test -f build-asan-ubsan/build.ninja || cmake --preset asan-ubsan
	@cmake --build build-asan-ubsan -j $(JOBS)
	@LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp ctest --test-dir build-asan-ubsan --output-on-failure -j $(JOBS) -E PaperRows

# Static analysis of everything that ships: cppcheck (seconds) and clang-tidy (half an hour of CPU time).
SHIPPED = $(shell find src apps/cli -name '*.cpp' ! -name '*_test.cpp' ! -name '*_bench.cpp')
lint: lint-quick build-all
	@printf '%s\n' $(SHIPPED) | xargs -P $(JOBS) -n 1 clang-tidy -p $(BUILD) --quiet

lint-quick:
	@command -v cppcheck >/dev/null || { echo "SKIPPED: no cppcheck"; exit 0; }; \
	cppcheck --enable=warning,performance,portability --std=c++20 --inline-suppr --quiet --error-exitcode=1 \
	  --suppressions-list=scripts/cppcheck.supp -j $(JOBS) -I include -I src $(SHIPPED)

# Small defects put into the numerical core: which tests notice? MUTATION_ARGS="--count 200 --seed 2".
MUTATION_ARGS ?=
mutation: build-all
	@python3 tests/mutation/mutate.py $(BUILD) $(MUTATION_ARGS)

mutation-quick: build-all
	@python3 tests/mutation/mutate.py $(BUILD) --modules laplacian dissimilarity --no-suites --count 4 --out $(BUILD)/mutation

# Which lines and branches of the library the tests reach: out/coverage.md, and every line missed in out/coverage.json.
coverage: setup-test
	@test -f build-coverage/build.ninja || cmake --preset coverage
	@cmake --build build-coverage -j $(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@ctest --test-dir build-coverage --output-on-failure -j $(JOBS) -E PaperRows
	@python3 scripts/coverage.py build-coverage out

# The long forms of every check, and their figures into docs/reliability_figures.md: hours.
nightly: test
	@GEOTHERM_SLOW_TESTS=1 python3 scripts/run_tests.py $(BUILD) --jobs $(JOBS)
	@tests/gpu/compile.sh fetch
	@for check in sanitize tsan lint coverage mutation allocation compilers cross-check fuzz; do $(MAKE) --no-print-directory $$check || failed="$$failed $$check"; done; \
	python3 scripts/figures.py; python3 scripts/sbom.py; test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

figures:
	@python3 scripts/figures.py

# The program by another compiler: the small runs that are stored have to come out the same to 1e-9.
compilers: build-all
	@test -f build-clang/build.ninja || cmake -S . -B build-clang -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ \
	  -DGEOTHERM_WERROR=ON -DGEOTHERM_HARDENING=ON -DGEOTHERM_BUILD_TESTS=OFF -DGEOTHERM_BUILD_PYTHON=OFF
	@cmake --build build-clang -j $(JOBS) --target geotherm_cli
	@GEOTHERM_PROGRAM=$(CURDIR)/build-clang/geotherm .deps/python/bin/python -m pytest -q -p no:cacheprovider tests/cli/test_stored_runs.py
	@mkdir -p out && .deps/python/bin/python tests/reference/make_stored_runs.py --compare gcc=$(BUILD)/geotherm clang=build-clang/geotherm > out/compilers.md

# geotherm.exe by a compiler for Windows, and its map by wine beside this system's.
cross-check: build
	@BUILD=$(BUILD) scripts/cross_check.sh

# Every allocation of a small run made to fail; `make test` has the short form.
allocation: build-all
	@mkdir -p out && printf '| run | allocations failed | std::bad_alloc | did without |\n|---|---|---|---|\n' > out/allocation.part
	@GEOTHERM_SLOW_TESTS=1 GEOTHERM_FIGURES=out/allocation.part $(BUILD)/tests/test_allocation --gtest_brief=1
	@mv out/allocation.part out/allocation.md

# Every heat kernel against 250-digit values: bench/heat/kernel_errors.md (a minute).
kernel-errors: build-all
	@cmake --build $(BUILD) --target bench_kernel_errors
	@$(BUILD)/bench_kernel_errors tests/reference/golden/path51_log_heat.csv > bench/heat/kernel_errors.md

# Coverage-guided fuzzing of every reader and of the options: FUZZ_SECONDS each, one after the other on
# each core. Inputs that broke something are kept in out/fuzz/findings.
fuzz: fuzz-build
	@python3 tests/fuzz/run.py build-fuzz build-fuzz/seeds out/fuzz --seconds $(FUZZ_SECONDS) --at-once $(JOBS)

# The seeds, what was ever found, and a few seconds each.
fuzz-quick: $(if $(BUILT),,build)
	@command -v clang++ >/dev/null || { echo "SKIPPED: fuzzing needs clang++ and its libclang-rt"; exit 0; }; \
	$(MAKE) --no-print-directory fuzz-build && \
	python3 tests/fuzz/run.py build-fuzz build-fuzz/seeds build-fuzz/quick --seconds 4 --seed 1 --at-once $(JOBS)

fuzz-build: $(if $(BUILT),,build)
	@cmake -S tests/fuzz -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DGEOTHERM_BUILD=$(abspath $(BUILD)) >/dev/null
	@cmake --build build-fuzz -j $(JOBS)
	@.deps/python/bin/python tests/fuzz/seeds.py build-fuzz/seeds $(BUILD)/geotherm

# Every unit test under the thread sanitizer: a build of its own, for the night (`make test` has tests/threads).
# Solvers are deterministic over threads, so that a race shows in the bits too; this finds the silent ones.
tsan: setup-test
	@test -f build-tsan/build.ninja || cmake --preset tsan
	@cmake --build build-tsan -j $(JOBS)
	@ctest --test-dir build-tsan --output-on-failure -j $(JOBS) -E PaperRows

# On a machine with an NVIDIA GPU: CUDA 12 or later, a C++ compiler, CMake, and the header libraries (`make
# setup` once, or GEOTHERM_HEADERS_DIR). No network. docs/gpu.md has the last results.
CUDA_BUILD ?= build-cuda
GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)
gpu-build:
	@test -f $(CUDA_BUILD)/CMakeCache.txt || cmake -S . -B $(CUDA_BUILD) -G "$(GENERATOR)" -DCMAKE_BUILD_TYPE=Release \
	  -DGEOTHERM_WITH_CUDA=ON -DGEOTHERM_BUILD_CLI=OFF -DGEOTHERM_BUILD_TESTS=OFF -DGEOTHERM_BUILD_PYTHON=OFF \
	  -DGEOTHERM_WITH_VIEWER=OFF $(if $(GEOTHERM_HEADERS_DIR),-DGEOTHERM_HEADERS_DIR=$(GEOTHERM_HEADERS_DIR))
	@cmake --build $(CUDA_BUILD) -j $(JOBS) --target test_gpu bench_gpu

# Every device module against the CPU's results and laws; a log without failures becomes bench/gpu/tests.log.
test-gpu: gpu-build
	@$(CUDA_BUILD)/test_gpu > $(CUDA_BUILD)/tests.log; code=$$?; cat $(CUDA_BUILD)/tests.log; \
	if [ $$code -eq 0 ]; then cp $(CUDA_BUILD)/tests.log bench/gpu/tests.log; fi; exit $$code

# bench/gpu/results.md. GPU_BENCH_ARGS="--cpu mnist.npy": the CPU beside, a table of digits.
GPU_BENCH_ARGS ?= --cpu
bench-gpu: gpu-build
	@$(CUDA_BUILD)/bench_gpu $(GPU_BENCH_ARGS) > $(CUDA_BUILD)/results.md && cp $(CUDA_BUILD)/results.md bench/gpu/results.md

# The main job on built-in data, or on DATA=file.
demo: build
	@scripts/demo.sh $(DATA)

# The HTML page as a source of the library, which wheels and source distributions take along.
page: export PATH := $(CURDIR)/.deps/node/bin:$(PATH)
page:
	@cd viewer && { command -v npm > /dev/null || { echo "the page needs Node.js 18 and npm"; exit 1; }; }
	@cd viewer && { test -d node_modules || npm ci --no-audit --no-fund --ignore-scripts --loglevel=error; }
	@cd viewer && node build.mjs --cpp dist/page_template.cpp

# A wheel for this Python in dist/, with program, page and libraries inside.
wheel: build
	@BUILD=$(BUILD) python3 scripts/packages.py wheel

# Wheels, source distribution, CMake package, Debian package, each tried in a clean environment; recipes linted.
# WAYS="sdist deb" names some of them. The table of docs/install.md is written anew.
WAYS ?= all
packages: build
	@BUILD=$(BUILD) python3 scripts/packages.py $(WAYS) table

# The R package as a self-contained source package, dist/geotherm_VERSION.tar.gz. `R CMD INSTALL` of it needs a compiler alone.
r-package: setup page
	@python3 scripts/r_package.py --headers "$$(.deps/python/bin/python -c 'import assorthead; print(assorthead.includes())')"

# Its tests, where R and cpp11 are installed.
r-quick:
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/r_test.sh

# Installs R and the packages it is tested with, by name; then the tests, and R CMD check of the source package.
r-test: build page
	@scripts/setup.sh r
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/r_test.sh --check

# The Python API reference, without a warning, in out/python-docs.
docs-python: build-all
	@PYTHONPATH=$(BUILD)/python .deps/python-tests/bin/python -m sphinx -W -q -b html docs/python out/python-docs

# The gallery's notebooks, run whole (minutes) and written with their pictures to out/notebooks.
notebooks: build-all
	@.deps/python-tests/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements-notebooks.txt
	@PYTHONPATH=$(BUILD)/python .deps/python-tests/bin/python scripts/notebooks.py out/notebooks

# Beside the best-known implementations, on a quiet machine: BENCH_ARGS="--quick" for minutes.
bench: build-all
	@cmake --build $(BUILD) --target bench_mds_from_start
	@bench/peers.sh
	@.deps/python/bin/python bench/heatgeo/compare.py $(BENCH_ARGS)
	@.deps/python/bin/python bench/methods/compare.py $(BENCH_ARGS)
	@cmake --build $(BUILD) --target bench_io_read
	@.deps/peers/io/bin/python bench/io/compare.py $(BENCH_ARGS)
	@.deps/python/bin/python bench/scale/compare.py $(BENCH_ARGS)
	@cmake --build $(BUILD) --target bench_neighbors
	@.deps/python/bin/python bench/scale/neighbors.py $(BENCH_ARGS)
	@.deps/python/bin/python bench/scale/exactness.py $(BENCH_ARGS)
	@.deps/python/bin/python bench/scale/landmarks.py $(BENCH_ARGS)

# Refined maps beside umap-learn, PaCMAP, openTSNE and phate: bench/refine/results.md (an hour; ARGS of compare.py).
bench-refine: build
	@bench/peers.sh refine
	@.deps/peers/refine/bin/python bench/refine/compare.py $(BENCH_ARGS)

# The same maps judged by zadu: bench/third_party/results.md (twenty minutes).
bench-third-party: build
	@bench/peers.sh third_party
	@.deps/peers/third_party/bin/python bench/third_party/compare.py $(BENCH_ARGS)

# The R package beside uwot and PHATE through reticulate: bench/r/results.md (ten minutes; Debian's r-cran-uwot, r-cran-reticulate).
bench-r: r-quick
	@bench/peers.sh r
	@.deps/peers/r/bin/python bench/r/compare.py $(BENCH_ARGS)

# The documents as a site in out/site, by mkdocs from PyPI.
docs:
	@test -x .deps/docs/bin/mkdocs || { python3 -m venv .deps/docs && .deps/docs/bin/pip install --quiet -r docs/requirements.txt; }
	@.deps/docs/bin/mkdocs build --quiet --strict

clean:
	rm -rf $(BUILD) build-* out
