#!/usr/bin/env bash
# Draws the pictures of the documents: the same points by several methods, every one with its defaults.
#   docs/pictures/make.sh        needs build/geotherm
set -euo pipefail
cd "$(dirname "$0")/../.."
geotherm=$PWD/build/geotherm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

draw() { # draw DATA METHOD TITLE [OPTIONS]: docs/pictures/DATA_METHOD.svg
  "$geotherm" embed "$work/$1.npz:X" --method "$2" --title "$3" "${@:4}" --quiet \
    -o "$work/map.csv" --plot "docs/pictures/$1_$2.svg"
}

"$geotherm" synth swiss-roll --n 800 --noise 0.3 --seed 1 -o "$work/roll.npz" --quiet
"$geotherm" synth tree --n 800 --noise 1 --branches 5 --seed 1 -o "$work/tree.npz" --quiet
"$geotherm" synth blobs --n 800 --branches 5 --seed 1 -o "$work/blobs.npz" --quiet
for data in roll tree blobs; do
  draw "$data" heatgeo "HeatGeo"
  draw "$data" phate "PHATE"
  draw "$data" umap "UMAP"
  draw "$data" tsne "t-SNE"
done
