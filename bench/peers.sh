#!/usr/bin/env bash
# Makes the environments of the programs we are measured against, each apart from ours and from one
# another, from its own list of exact versions: bench/<peer>/requirements.txt -> .deps/peers/<peer>.
#   bench/peers.sh            every peer
#   bench/peers.sh heatgeo    one of them
set -euo pipefail
cd "$(dirname "$0")/.."

into=${GEOTHERM_PEERS:-.deps/peers}
# heatgeo pins numpy 1.23.5, whose last wheels are for Python 3.11.
python=${GEOTHERM_PEERS_PYTHON:-python3.11}
command -v "$python" >/dev/null || {
  echo "peers: $python is not there; set GEOTHERM_PEERS_PYTHON to a Python 3.11" >&2
  exit 1
}

peers=("$@")
if ((${#peers[@]} == 0)); then
  for list in bench/*/requirements.txt; do peers+=("$(basename "$(dirname "$list")")"); done
fi
for peer in "${peers[@]}"; do
  list=bench/$peer/requirements.txt
  [ -f "$list" ] || {
    echo "peers: no such peer: $peer ($list is missing)" >&2
    exit 1
  }
  # Made anew when the list changes.
  stamp=$into/$peer/requirements.stamp
  if cmp -s "$list" "$stamp"; then continue; fi
  echo "peers: $peer in $into/$peer"
  rm -rf "${into:?}/$peer"
  mkdir -p "$into"
  "$python" -m venv "$into/$peer"
  "$into/$peer/bin/pip" install --quiet --disable-pip-version-check -r "$list"
  cp "$list" "$stamp"
done
