#!/usr/bin/env bash
# The main job on built-in data (a noisy Swiss roll and a tree), and on the user's own file or, where
# GEOTHERM_DATA is set, on real cells: embeds, says how well geodesics were kept, and leaves maps,
# pictures, manifests and HTML pages (HeatGeo, PHATE, UMAP and t-SNE side by side) in out/demo/.
#   scripts/demo.sh [file]
set -euo pipefail
cd "$(dirname "$0")/.."
geotherm=build/geotherm
out=out/demo
mkdir -p "$out"

show() { # show NAME: the files of one run
  printf '  %-28s %s\n' "$out/$1.csv" "the map" "$out/$1.svg" "its picture" \
    "$out/$1.json" "what was run and chosen" "$out/$1.html" "the page"
}

cells=${1:-}
cells_title=${cells##*/}
cells_options=()
known="${GEOTHERM_DATA:-}/pbmc3k_processed.h5ad"
if [ -z "$cells" ] && [ -n "${GEOTHERM_DATA:-}" ] && [ -f "$known" ]; then
  cells=$known
  cells_title="Blood cells"
  cells_options=(--features "GNLY,PPBP" --color louvain)
fi
links=(--link "Swiss roll=swiss-roll.html" --link "Tree=tree.html")
[ -n "$cells" ] && links+=(--link "$cells_title=data.html")
page=(--compare "phate,umap,tsne" "${links[@]}")

made=()
for shape in swiss-roll tree; do
  n=2000 noise=1 title="Noisy Swiss roll" color=t
  [ "$shape" = tree ] && n=2500 title="Noisy tree" color=label
  echo "== $title: $n points, noise $noise"
  "$geotherm" synth "$shape" --n "$n" --noise "$noise" --seed 42 -o "$out/$shape-data.npz"
  "$geotherm" embed "$out/$shape-data.npz:X" -o "$out/$shape.csv" --plot "$out/$shape.svg" \
    --manifest "$out/$shape.json" \
    --html "$out/$shape.html" --title "$title" --color "$color" "${page[@]}"
  "$geotherm" score --truth "$out/$shape-data.npz" --estimate "$out/$shape.csv"
  show "$shape"
  made+=("$shape")
done

if [ -n "$cells" ]; then
  echo "== $cells"
  "$geotherm" embed "$cells" -o "$out/data.csv" --plot "$out/data.svg" --manifest "$out/data.json" \
    --html "$out/data.html" --title "$cells_title" "${cells_options[@]}" "${page[@]}"
  show data
  made+=(data)
fi

echo
echo "Open in a browser:"
for name in "${made[@]}"; do echo "  file://$PWD/$out/$name.html"; done
