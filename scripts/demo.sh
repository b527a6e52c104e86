#!/usr/bin/env bash
# The main job on built-in data (a noisy Swiss roll and a tree), or on the user's own table:
# embeds, says how well geodesics were kept, and leaves map, picture and manifest in out/demo/.
#   scripts/demo.sh [file]
set -euo pipefail
cd "$(dirname "$0")/.."
geotherm=build/geotherm
out=out/demo
mkdir -p "$out"

show() { # show NAME: the files of one run
  printf '  %-28s %s\n' "$out/$1.csv" "the map" "$out/$1.svg" "its picture" \
    "$out/$1.json" "what was run and chosen"
}

if [ $# -gt 0 ] && [ -n "$1" ]; then
  echo "== $1"
  "$geotherm" embed "$1" -o "$out/data.csv" --plot "$out/data.svg" --manifest "$out/data.json"
  show data
  exit
fi

for shape in swiss-roll tree; do
  noise=0.5
  [ "$shape" = tree ] && noise=1
  n=2000
  [ "$shape" = tree ] && n=2500
  echo "== $shape: $n points, noise $noise"
  "$geotherm" synth "$shape" --n "$n" --noise "$noise" --seed 42 -o "$out/$shape-data.npz"
  "$geotherm" embed "$out/$shape-data.npz:X" -o "$out/$shape.csv" --plot "$out/$shape.svg" \
    --manifest "$out/$shape.json"
  "$geotherm" score --truth "$out/$shape-data.npz" --estimate "$out/$shape.csv"
  show "$shape"
done
