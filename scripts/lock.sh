#!/usr/bin/env bash
# Renews the lists of exact versions and hashes from the lists of names beside them: edit a .in file,
# run this, look at the difference. pip refuses any download whose hash is not in the list.
set -euo pipefail
cd "$(dirname "$0")"
python3 -m venv ../.deps/lock
../.deps/lock/bin/pip install --quiet --disable-pip-version-check uv
for list in requirements requirements-build requirements-headers requirements-node requirements-uv; do
  {
    echo "# Written by scripts/lock.sh from $list.in."
    ../.deps/lock/bin/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
      --no-annotate --no-header "$list.in"
  } >"$list.txt"
done
