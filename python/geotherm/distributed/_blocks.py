"""The tasks: what a worker does to a block of rows, by the C++ library. Arrays in, arrays out.

Every function depends on its arguments alone, so that a task that was lost with its worker gives the same bits again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from ._tasks import keeping_memory, n_threads, new_run, run_of, task

_MASK = np.uint64(0xFFFFFFFFFFFFFFFF)
#: Entries of a block that are handled at once as float64: 8 MB.
_SLAB = 1 << 20


def sample_keys(seed: int, rows: np.ndarray) -> np.ndarray:
    """A fixed random number in [0, 1) for each row of the table (splitmix64), whoever asks."""
    with np.errstate(over="ignore"):
        x = rows.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & 0xFFFFFFFFFFFFFFFF)
        x = (x + np.uint64(0x9E3779B97F4A7C15)) & _MASK
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x ^= x >> np.uint64(31)
    return (x >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _rows_of(block: Any) -> np.ndarray:
    array = np.asarray(block)
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


# -- reading -------------------------------------------------------------------------------------------


def rows_of_npy(path: str, start: int, stop: int) -> np.ndarray:
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def _as_rows(table: Any) -> np.ndarray:
    """A record batch as rows: float32 where all columns are."""
    kind = np.float32 if all(str(field.type) == "float" for field in table.schema) else np.float64
    out = np.empty((table.num_rows, table.num_columns), dtype=kind)
    for k in range(table.num_columns):
        out[:, k] = table.column(k).to_numpy(zero_copy_only=False)
    return out


def rows_of_parquet(path: str, group: int, start: int, stop: int) -> np.ndarray:
    """Rows of a row group, which is streamed."""
    import pyarrow.parquet

    parts, seen = [], 0
    with pyarrow.parquet.ParquetFile(path, memory_map=True, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=1 << 14, row_groups=[group]):
            low, high = max(start - seen, 0), min(stop - seen, batch.num_rows)
            if low < high:
                parts.append(_as_rows(batch.slice(low, high - low)))
            seen += batch.num_rows
            if seen >= stop:
                break
    return np.concatenate(parts)


def rows_of_arrow(path: str, number: int, start: int, stop: int) -> np.ndarray:
    """Rows of a record batch."""
    import pyarrow

    with pyarrow.memory_map(path) as source:
        return _as_rows(pyarrow.ipc.open_file(source).get_batch(number).slice(start, stop - start))


# -- statistics and PCA ------------------------------------------------------------------------------


@task
def statistics(block: Any, first: int, seed: int, share: float) -> dict[str, Any]:
    """Moments of a block that begins at row `first` of the table, and the rows of it that are in the sample."""
    rows = _rows_of(block)
    try:
        moments = _native.block_moments(rows, new_run())
    except ValueError as error:
        raise ValueError(f"in the rows from {first} on: {error}") from None
    index = np.arange(first, first + len(rows), dtype=np.int64)
    chosen = sample_keys(seed, index) < share
    return {"moments": moments, "rows": rows[chosen], "index": index[chosen]}


@task
def moments_of(part: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
    return part["moments"]


@task
def sample_of(part: dict[str, Any]) -> dict[str, np.ndarray]:
    return {"rows": part["rows"], "index": part["index"]}


@task
def add_moments(parts: list[Any]) -> tuple[float, np.ndarray, np.ndarray]:
    return _native.merge_moments(parts)


@task
def reduction(table: tuple[float, np.ndarray, np.ndarray], rank: int | str | None) -> dict[str, Any]:
    """The PCA that the table is reduced by, if any."""
    made: dict[str, Any] = {"mean": table[1], "components": None}
    if rank == "none" or rank == 0:
        made["choice"] = "none was asked for"
    elif rank in ("auto", None) and _native.is_principal_components(table):
        made["choice"] = "the columns are principal components already: nothing is cut"
    else:
        asked = None if rank in ("auto", None) else int(rank)
        found = _native.pca_of_moments(table, asked, new_run(0, n_threads()))
        made["choice"] = found["choice"]
        made["components"] = found["components"]
    return made


@task
def reduced_sample(sample: dict[str, np.ndarray], made: dict[str, Any]) -> dict[str, np.ndarray]:
    return {"points": reduced(sample["rows"], made), "index": sample["index"]}


@task
def plan(
    made: dict[str, Any], parts: list[dict[str, np.ndarray]], n_cells: int, n_queries: int, n_model: int, seed: int
) -> dict[str, Any]:
    """Centres of cells by k-means on the sample, rows whose true neighbours are to be found, and the model's rows."""
    sample = np.concatenate([part["points"] for part in parts])
    index = np.concatenate([part["index"] for part in parts])
    order = np.argsort(sample_keys(seed, index), kind="stable")
    return {
        **made,
        "centers": _native.cell_centers(sample, min(n_cells, len(sample)), new_run(seed, n_threads())),
        "queries": np.ascontiguousarray(sample[np.sort(order[:n_queries])]),
        "model_index": index[np.sort(order[:n_model])],
    }


def reduced(block: Any, made: dict[str, Any], run: Any = None) -> np.ndarray:
    """Rows as neighbours are looked for among them: centred or reduced, float32. In slabs: these are copied as float64."""
    run = run or new_run()
    rows = _rows_of(block)
    components = made["components"]
    width = rows.shape[1] if components is None else len(components)
    out = np.empty((len(rows), width), dtype=np.float32)
    step = max(1, _SLAB // max(1, rows.shape[1]))
    for k in range(0, len(rows), step):
        slab = rows[k : k + step]
        if components is None:
            out[k : k + step] = np.subtract(slab, made["mean"], dtype=np.float64)
        else:
            out[k : k + step] = _native.project(slab, made["mean"], components, run)
    return out


# -- cells ---------------------------------------------------------------------------------------------


@task
def census(block: Any, made: dict[str, Any], knn: int, n_blocks: int) -> dict[str, Any]:
    """Lloyd's sums of a block over the cells, and the block's nearest rows to the queries."""
    run = run_of(n_blocks)
    points = reduced(block, made, run)
    centers, queries = made["centers"], made["queries"]
    cells = _native.near_centers(points, centers, 1, run)[0][:, 0]
    counts = np.bincount(cells, minlength=len(centers))
    sums = np.stack(
        [np.bincount(cells, weights=points[:, j], minlength=len(centers)) for j in range(points.shape[1])], axis=1
    )
    if len(queries) == 0:  # nothing but one partition: nobody asks who is around it
        none = np.empty((0, 0, points.shape[1]), dtype=np.float32)
        return {"counts": counts, "sums": sums, "near": none, "distance": np.empty((0, 0))}
    near = _native.near_centers(queries, points, min(knn, len(points)), run)[0]
    found = points[near]
    apart = np.sqrt(((found.astype(np.float64) - queries[:, None, :]) ** 2).sum(axis=2))
    return {"counts": counts, "sums": sums, "near": found, "distance": apart}


@task
def add_census(parts: list[dict[str, Any]], knn: int) -> dict[str, Any]:
    counts, sums = parts[0]["counts"].copy(), parts[0]["sums"].copy()
    for part in parts[1:]:
        counts += part["counts"]
        sums += part["sums"]
    near = np.concatenate([part["near"] for part in parts], axis=1)
    distance = np.concatenate([part["distance"] for part in parts], axis=1)
    order = np.argsort(distance, axis=1, kind="stable")[:, :knn]
    return {
        "counts": counts,
        "sums": sums,
        "near": np.take_along_axis(near, order[:, :, None], axis=1),
        "distance": np.take_along_axis(distance, order, axis=1),
    }


def bisect(centers: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """A group for each cell: cut in two along the widest axis until none has more than `most` rows."""
    group = np.zeros(len(centers), dtype=np.int64)
    done, todo = [], [np.arange(len(centers))]
    while todo:
        members = todo.pop()
        if counts[members].sum() <= most or len(members) < 2:
            done.append(members)
            continue
        at = centers[members].astype(np.float64)
        weight = counts[members].astype(np.float64)
        mean = (at * weight[:, None]).sum(axis=0) / max(weight.sum(), 1)
        axis = int(np.argmax((weight[:, None] * (at - mean) ** 2).sum(axis=0)))
        order = members[np.lexsort((members, at[:, axis]))]
        below = np.cumsum(counts[order])
        cut = int(np.searchsorted(below, below[-1] / 2)) + 1
        cut = min(max(cut, 1), len(order) - 1)
        todo += [order[cut:], order[:cut]]
    for number, members in enumerate(sorted(done, key=lambda m: m.min())):
        group[members] = number
    return group


@task
def partition(made: dict[str, Any], total: dict[str, Any], partition_rows: int, recall: float) -> dict[str, Any]:
    """Cells moved to their means and put together to partitions, and how many cells around a row it is sent to."""
    kept = total["counts"] > 0
    centers = (total["sums"][kept] / total["counts"][kept][:, None]).astype(np.float32)
    group = bisect(centers, total["counts"][kept], partition_rows)
    made = {**made, "centers": centers, "group": group, "n_groups": int(group.max()) + 1}
    made["reach"], made["recall"] = 1, 1.0
    if made["n_groups"] > 1:
        n, k, d = total["near"].shape
        most = min(64, len(centers))
        home = group[_native.near_centers(made["queries"], centers, 1, new_run())[0][:, 0]]
        cells = _native.near_centers(np.ascontiguousarray(total["near"].reshape(n * k, d)), centers, most, new_run())[0]
        is_there = (group[cells].reshape(n, k, most) == home[:, None, None]).cumsum(axis=2) > 0
        share = is_there.mean(axis=(0, 1))
        enough = np.flatnonzero(share >= recall)
        reach = int(enough[0]) + 1 if len(enough) else most
        made["reach"] = min(most, max(reach, 8))  # cells of landmarks want room as well
        made["recall"] = float(share[made["reach"] - 1])
    del made["queries"]
    return made


def about(cells: dict[str, Any]) -> dict[str, Any]:
    """What the client has to know of the partitions."""
    names = ("n_groups", "reach", "recall", "mean", "components", "model_index")
    return {**{name: cells[name] for name in names}, "pca_choice": cells["choice"]}


# -- routing -------------------------------------------------------------------------------------------


def first_nearest(cells: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The nearest row of each cell, the first of equals, in the order of cells."""
    order = np.argsort(cells.astype(np.uint16) if cells.max() < 1 << 16 else cells, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(cells[order]) != 0])
    apart = distance[order]
    least = np.minimum.reduceat(apart, starts)
    is_least = np.flatnonzero(apart == np.repeat(least, np.diff(np.r_[starts, len(order)])))
    return order[is_least[np.searchsorted(is_least, starts)]]


@task
def route(block: Any, first: int, made: dict[str, Any], n_blocks: int) -> dict[str, Any]:
    """Rows of a block by partition, each also to those around it; and the row nearest to each centre."""
    run = run_of(n_blocks)
    points = reduced(block, made, run)
    cells, distance = _native.near_centers(points, made["centers"], made["reach"], run)
    n, n_groups = len(points), made["n_groups"]
    index = np.arange(first, first + n, dtype=np.int64)
    home = made["group"][cells[:, 0]].astype(np.int32)
    if n_groups == 1:
        pieces = [(index, points, home)]
    else:
        pairs = np.unique(np.arange(n, dtype=np.int64)[:, None] * n_groups + made["group"][cells])
        row, group = np.divmod(pairs, n_groups)
        order = np.argsort(group, kind="stable")
        row, ends = row[order], np.searchsorted(group[order], np.arange(n_groups + 1))
        pieces = []
        for g in range(n_groups):
            rows = row[ends[g] : ends[g + 1]]
            pieces.append((index[rows], points[rows], home[rows]))
    best = first_nearest(cells[:, 0], distance)
    found = {"cell": cells[best, 0], "distance": distance[best], "index": index[best], "points": points[best]}
    return {"pieces": pieces, "best": found}


@task
def cut_at_once(
    block: Any, seed: int, share: float, rank: int | str | None, n_cells: int, n_model: int, knn: int
) -> dict[str, Any]:
    """A table that is one block and one partition: all that comes before its graph."""
    version, rows = _native.__version__, _rows_of(block)
    with keeping_memory():
        read = statistics(version, rows, 0, seed, share)
        sample = sample_of(version, read)
        pca = reduction(version, moments_of(version, read), rank)
        made = plan(version, pca, [reduced_sample(version, sample, pca)], n_cells, 0, n_model, seed)
        cells = partition(version, made, census(version, rows, made, knn, 1), len(rows), 1.0)
        routed = route(version, rows, 0, cells, 1)
        rows = model_rows(version, sample, cells["model_index"])
    return {**routed, "about": about(cells), "rows_of_model": rows}


@task
def told_of(cut: dict[str, Any]) -> dict[str, Any]:
    return cut["about"]


@task
def rows_of_model(cut: dict[str, Any]) -> np.ndarray:
    return cut["rows_of_model"]


@task
def piece(routed: dict[str, Any], group: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return routed["pieces"][group]


@task
def nearest_rows(routed: dict[str, Any]) -> dict[str, np.ndarray]:
    return routed["best"]


@task
def add_nearest(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    both = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((both["index"], both["distance"], both["cell"]))
    cell = both["cell"][order]
    first = order[np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])]
    return {name: values[first] for name, values in both.items()}


# -- graph and coarse map ------------------------------------------------------------------------------


@task
def graph(
    pieces: list[Any], group: int, landmarks: dict[str, np.ndarray], options: dict[str, Any], n_rows: int, n_parts: int
) -> dict[str, Any]:
    """A partition's part of the graph, and its cells along it."""
    index = np.concatenate([p[0] for p in pieces])
    points = np.concatenate([p[1] for p in pieces])
    home = np.concatenate([p[2] for p in pieces])
    own = (home == group).astype(np.uint8)
    order = np.argsort(landmarks["index"])
    sorted_rows = landmarks["index"][order]
    at = np.minimum(np.searchsorted(sorted_rows, index), len(sorted_rows) - 1)
    here = np.flatnonzero(sorted_rows[at] == index)
    number = order[at[here]]
    by_number = np.argsort(number)
    places, numbers = here[by_number].astype(np.int32), number[by_number].astype(np.int32)
    with keeping_memory(n_parts):
        block = _native.block_cells(points, own, places, options, n_rows, run_of(n_parts))
    block["index"], block["own"], block["home"], block["landmarks"] = index, own, home, numbers
    return block


@task
def borders(block: dict[str, Any]) -> dict[str, Any]:
    """What the coarse graph needs of a partition."""
    a, b, length = block["crossings"]
    numbers = block["landmarks"]
    return {
        "from": numbers[a],
        "to": numbers[b],
        "length": length,
        "landmarks": numbers,
        "n_points": block["n_points"],
        "cell_length": block["cell_length"],
        "cell_edges": block["cell_edges"],
        "n_edges": block["n_edges"],
        "edge_length": block["edge_length"],
        "n_rows": int(block["own"].sum()),
        "n_halo": int((block["own"] == 0).sum()),
    }


@task
def coarse(
    parts: list[dict[str, Any]], landmarks: dict[str, Any], options: dict[str, Any], n_rows: int, seed: int
) -> dict[str, Any]:
    """Distances between landmarks and their map, from the borders of all partitions."""
    start = np.concatenate([p["from"] for p in parts])
    end = np.concatenate([p["to"] for p in parts])
    length = np.concatenate([p["length"] for p in parts])
    order = np.lexsort((length, end, start))
    start, end, length = start[order], end[order], length[order]
    first = np.flatnonzero(np.r_[True, (start[1:] != start[:-1]) | (end[1:] != end[:-1])]) if len(start) else []
    n_points = np.zeros(len(landmarks["index"]), dtype=np.int64)
    cell_length, cell_edges = np.zeros(len(n_points)), np.zeros_like(n_points)
    for p in parts:
        n_points[p["landmarks"]] += p["n_points"]
        cell_length[p["landmarks"]] += p["cell_length"]
        cell_edges[p["landmarks"]] += p["cell_edges"]
    lengths = np.array([p["edge_length"] for p in parts])
    weights = np.array([float(p["n_edges"]) for p in parts])
    by_length = np.argsort(lengths, kind="stable")
    half = np.searchsorted(np.cumsum(weights[by_length]), weights.sum() / 2)
    run = new_run(seed, n_threads())
    with keeping_memory():
        found = _native.heat_geo_coarse(
            landmarks["points"],
            np.ascontiguousarray(start[first], dtype=np.int32),
            np.ascontiguousarray(end[first], dtype=np.int32),
            np.ascontiguousarray(length[first]),
            n_points,
            cell_length,
            cell_edges,
            float(lengths[by_length][min(half, len(lengths) - 1)]),
            options,
            n_rows,
            run,
        )
    found["mean_degree"] = float(weights.sum() / max(1, sum(int(p["n_points"].sum()) for p in parts)))
    found["warnings"] = list(run.warnings)
    return found


@task
def summary(found: dict[str, Any], borders: list[dict[str, Any]]) -> dict[str, Any]:
    """What the client has to know of the coarse map."""
    rows, halo = sum(b["n_rows"] for b in borders), sum(b["n_halo"] for b in borders)
    return {
        "resolved": found["resolved"],
        "coarse_seconds": found["timings_s"],
        "warnings": found["warnings"],
        "halo_share": halo / max(1, rows),
    }


# -- places --------------------------------------------------------------------------------------------


@task
def targets(found: dict[str, Any], landmarks: np.ndarray) -> dict[str, Any]:
    """What a partition takes from the coarse map."""
    distances = found["distances"]
    has_all = np.array_equal(landmarks, np.arange(len(distances)))
    rows = distances if has_all else distances[landmarks]
    return {
        "distances": rows if has_all else np.ascontiguousarray(rows[:, landmarks]),
        "to_pivots": np.ascontiguousarray(rows[:, found["pivots"]]),
        "landmark_map": np.ascontiguousarray(found["coordinates"][landmarks]),
        **{name: found[name] for name in ("pivot_weight", "pivot_places", "pivot_median", "scale", "mean_degree")},
    }


@task
def landmarks_of(block: dict[str, Any]) -> np.ndarray:
    return block["landmarks"]


@task
def places(
    block: dict[str, Any], wanted: dict[str, Any], options: dict[str, Any], n_rows: int, seed: int, n_parts: int
) -> dict[str, Any]:
    """Coordinates of a partition's own rows, in the frame of the coarse map."""
    with keeping_memory(n_parts):
        found = _native.block_layout(block, wanted, options, n_rows, run_of(n_parts, seed))
    own = block["own"] != 0
    coordinates = np.ascontiguousarray(found[block["unique_inverse"][own]])
    return {"index": block["index"][own], "coordinates": coordinates}


@task
def spread(part: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
    return _native.block_moments(part["coordinates"], new_run())


@task
def turn(parts: list[Any]) -> dict[str, np.ndarray]:
    """Centre and axes of the whole map."""
    table = _native.merge_moments(parts)
    found = _native.pca_of_moments(table, len(table[1]), new_run())
    return {"mean": found["mean"], "axes": found["components"]}


def _turned(coordinates: np.ndarray, frame: dict[str, np.ndarray]) -> np.ndarray:
    centred = coordinates - frame["mean"]
    return np.stack([(centred * axis).sum(axis=1) for axis in frame["axes"]], axis=1)


@task
def extremes(part: dict[str, Any], frame: dict[str, np.ndarray]) -> list[tuple[float, int, float]]:
    """The entry of largest magnitude on each axis: magnitude, row, sign."""
    at = _turned(part["coordinates"], frame)
    found = []
    for column in at.T:
        k = int(np.argmax(np.abs(column)))
        found.append((float(abs(column[k])), int(part["index"][k]), float(np.sign(column[k]) or 1.0)))
    return found


@task
def turned(part: dict[str, Any], frame: dict[str, np.ndarray], signs: list[float]) -> dict[str, Any]:
    """A partition's rows in the frame of the whole map."""
    return {"index": part["index"], "coordinates": _turned(part["coordinates"], frame) * np.asarray(signs)}


def signs_of(ends: list[list[tuple[float, int, float]]], n_components: int) -> list[float]:
    """Of the largest entry on each axis, the first row of equals."""
    return [min((e[k] for e in ends), key=lambda v: (-v[0], v[1]))[2] for k in range(n_components)]


@task
def in_own_frame(part: dict[str, Any], n_components: int) -> dict[str, Any]:
    """The only partition's rows in the frame of the map, which is its own."""
    version = _native.__version__
    frame = turn(version, [spread(version, part)])
    return turned(version, part, frame, signs_of([extremes(version, part, frame)], n_components))


@task
def rows_between(part: dict[str, Any], first: int, end: int) -> np.ndarray:
    """A block of the output where one partition has all rows, in their order."""
    return part["coordinates"][first:end]


@task
def settle(part: dict[str, Any], starts: np.ndarray) -> list[Any]:
    """The rows of a partition, by block of the output."""
    at = part["coordinates"]
    ends = np.searchsorted(part["index"], starts)
    return [(part["index"][a:b], at[a:b]) for a, b in zip(ends[:-1], ends[1:], strict=True)]


@task
def slice_of(settled: list[Any], block: int) -> Any:
    return settled[block]


@task
def assemble(slices: list[Any], first: int, end: int, n_components: int) -> np.ndarray:
    """A block of the output, in the order of the input's rows."""
    n = end - first
    out = np.empty((n, n_components))
    seen = 0
    for index, coordinates in slices:
        out[index - first] = coordinates
        seen += len(index)
    if seen != n:
        raise RuntimeError(f"{n} rows are expected from row {first} on and {seen} came")
    return out


@task
def rows_at(part: dict[str, Any], wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of those of the wanted rows (ascending) that a partition owns."""
    keep = np.isin(part["index"], wanted, assume_unique=True)
    return part["index"][keep], part["coordinates"][keep]


@task
def model_rows(sample: dict[str, np.ndarray], wanted: np.ndarray) -> np.ndarray:
    """Those of the wanted rows (ascending) that are in this part of the sample."""
    return sample["rows"][np.isin(sample["index"], wanted, assume_unique=True)]
