#!/usr/bin/env bash
# Compiles every CUDA source with whatever nvcc there is; exit 77, which ctest shows as skipped, where there is none.
# compile.sh fetch: gets NVIDIA's compiler from PyPI into .deps/cuda first (300 MB; for the night).
set -eu
cd "$(dirname "$0")/../.."
if [ "${1:-}" = fetch ] && [ ! -d .deps/cuda ]; then
  python3 -m venv .deps/cuda
  .deps/cuda/bin/pip install -q "nvidia-cuda-nvcc==13.0.*" "nvidia-cuda-crt==13.0.*" "nvidia-nvvm==13.0.*" \
    "nvidia-cuda-runtime==13.0.*" "nvidia-cuda-cccl==13.0.*" "nvidia-cublas<14"
fi
nvcc=""
for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc \
                 .deps/cuda/lib/python3*/site-packages/nvidia/cu*/bin/nvcc; do
  if [ -n "$candidate" ] && [ -x "$candidate" ]; then nvcc=$candidate; break; fi
done
if [ -z "$nvcc" ]; then
  echo "SKIPPED: the CUDA sources were not compiled, since there is no nvcc (CUDACXX, PATH, /usr/local/cuda, .deps/cuda;"
  echo "         tests/gpu/compile.sh fetch gets it from PyPI)"
  exit 77
fi
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for source in $(find src -name '*.cu'); do
  echo "$source"
  "$nvcc" -std=c++20 -arch=sm_90 -O1 -diag-suppress=554 -DGEOTHERM_WITH_CUDA -Iinclude -Isrc -c "$source" \
    -o "$objects/$(basename "$source").o"
done
