# Two commands for a fresh machine: `make demo` and `make test`. The rest is for daily work.
BUILD ?= build
JOBS ?= $(shell nproc)
DATA ?=
.PHONY: setup build test demo clean

setup:
	@scripts/setup.sh

build: setup
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DGEOTHERM_WERROR=ON
	@cmake --build $(BUILD) -j $(JOBS)

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

clean:
	rm -rf $(BUILD) build-* out
