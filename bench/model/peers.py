"""What others do with new rows, each in a process of its own: FOLDER/in.npz -> FOLDER/out.npz, one line of JSON.

    PEERS/bin/python bench/model/peers.py NAME FOLDER --threads 2

Seconds (and those of all cores, cpu_s) are those of the query alone; what has to be compiled is compiled by a first, small query before. Peak memory is that of
fitting and asking together, since both are one process.
"""
import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def umap_learn(data, threads):
    import umap

    mapper = umap.UMAP(n_jobs=threads).fit(data["old"])
    mapper.transform(data["new"][:200])
    return lambda: {"old": mapper.embedding_, "new": mapper.transform(data["new"])}


def open_tsne(data, threads):
    import numpy as np
    import openTSNE

    mapper = openTSNE.TSNE(n_jobs=threads).fit(data["old"])
    return lambda: {"old": np.asarray(mapper), "new": np.asarray(mapper.transform(data["new"]))}


def ingest(data, threads):
    """Neighbours in 30 principal components, UMAP's transform, and the labels of the neighbours."""
    import anndata
    import scanpy as sc

    names = {"name": [f"c{i}" for i in range(data["old"].shape[1])]}

    def table(rows):
        return anndata.AnnData(rows.copy(), var=names)

    ref = table(data["old"])
    has_labels = "label" in data
    if has_labels:
        ref.obs["label"] = data["label"]
        ref.obs["label"] = ref.obs["label"].astype("category")
    sc.pp.pca(ref, n_comps=min(30, data["old"].shape[1] - 1))
    sc.pp.neighbors(ref)
    sc.tl.umap(ref)

    def ask(rows):
        query = table(rows)
        sc.tl.ingest(query, ref, obs="label" if has_labels else None)
        return query

    ask(data["new"][:200])

    def all_rows():
        query = ask(data["new"])
        found = {"old": ref.obsm["X_umap"], "new": query.obsm["X_umap"]}
        return found | ({"label": query.obs["label"].astype(str).to_numpy().astype(str)} if has_labels else {})

    return all_rows


def sklearn_knn(data, threads):
    """Labels by 15 neighbours."""
    from sklearn.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(n_neighbors=15, n_jobs=threads).fit(data["old"], data["label"])
    model.predict_proba(data["new"][:200])

    def ask():
        shares = model.predict_proba(data["new"])
        return {"label": model.classes_[shares.argmax(1)], "probability": shares.max(1)}

    return ask


def aligned_umap(data, threads):
    """All of it is the query: tables t0, t1, ... and their links."""
    import umap

    tables = [data[f"t{k}"] for k in range(int(data["n"]))]
    relations = [dict(map(tuple, data[f"links{k}"].tolist())) for k in range(len(tables) - 1)]

    umap.AlignedUMAP(n_neighbors=5).fit([table[:30] for table in tables[:2]], relations=[{i: i for i in range(30)}])

    def ask():
        mapper = umap.AlignedUMAP().fit(tables, relations=relations)
        return {f"map{k}": places for k, places in enumerate(mapper.embeddings_)}

    return ask


PEERS = {"umap-learn": umap_learn, "openTSNE": open_tsne, "scanpy ingest": ingest, "scikit-learn kNN": sklearn_knn,
         "AlignedUMAP": aligned_umap}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=PEERS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    hold_threads(args.threads)
    import numpy as np

    with np.load(args.folder / "in.npz") as file:
        data = dict(file)
    ask = PEERS[args.name](data, args.threads)
    start, start_cpu = time.perf_counter(), time.process_time()
    found = ask()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    np.savez(args.folder / "out.npz", **found)
    print(json.dumps({"seconds": seconds, "cpu_s": cpu, "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
