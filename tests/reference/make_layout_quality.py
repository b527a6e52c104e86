#!/usr/bin/env python3
"""Makes layout_quality.json: two small data sets, and how well openTSNE and umap-learn lay them out
(trustworthiness of scikit-learn at 10 neighbours, and accuracy of 10 nearest neighbours where there
are labels). Layouts differ from one implementation to the next; their quality should not. Read by
src/embedding/layout_test.cpp.

Needs numpy, scikit-learn, openTSNE and umap-learn:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install openTSNE umap-learn
    /tmp/reference/bin/python tests/reference/make_layout_quality.py
"""
import importlib.metadata
import json
import pathlib

import numpy as np
import openTSNE
import umap
from sklearn.manifold import trustworthiness
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(20240602)


def swiss_roll(n):
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([t * np.cos(t), 21 * rng.uniform(size=n), t * np.sin(t)]), None


def blobs(n):
    label = np.arange(n) % 3
    centre = 12 * np.eye(3, 5)
    return centre[label] + rng.normal(size=(n, 5)), label


def quality(x, label, y):
    scores = {"trustworthiness": trustworthiness(x, y, n_neighbors=10)}
    if label is not None:
        classifier = KNeighborsClassifier(10)
        scores["accuracy"] = cross_val_score(classifier, y, label, cv=LeaveOneOut()).mean()
    return scores


out = {"made_with": {name: importlib.metadata.version(name) for name in ("openTSNE", "umap-learn", "scikit-learn")}}
out["cases"] = []
for name, (x, label) in {"swiss_roll": swiss_roll(600), "blobs": blobs(300)}.items():
    x = np.round(x, 3)  # short in JSON; layouts are of what is stored
    tsne = openTSNE.TSNE(perplexity=30, initialization="pca", random_state=0, negative_gradient_method="bh")
    maps = {"openTSNE": np.asarray(tsne.fit(x)), "umap-learn": umap.UMAP(n_neighbors=15, random_state=0).fit_transform(x)}
    case = {"name": name, "points": x.tolist(), "labels": [] if label is None else label.tolist()}
    case["quality"] = {tool: quality(x, label, y) for tool, y in maps.items()}
    print(name, case["quality"])
    out["cases"].append(case)
path = pathlib.Path(__file__).with_name("layout_quality.json")
path.write_text(json.dumps(out, separators=(",", ":")) + "\n")
print(path, path.stat().st_size, "bytes")
