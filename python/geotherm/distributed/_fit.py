"""The stages of a fit, each a small graph of tasks on blocks of rows (docs/scaling.md).

Blocks and partitions are cut by the number of rows and columns alone, never by chunks or workers, and sums are added over
them in a fixed order: the same bits on any cluster.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import dask
import dask.array as da
import numpy as np

from .. import _native
from . import _blocks, _refine_blocks
from ._cluster import Stages
from ._refine import Refinement, reason_against

#: Most blocks and most partitions: rows travel between all pairs of them.
MOST_BLOCKS = 1000
N_QUERIES = 256
RECALL = 0.99
#: Bytes of scatter matrices that are added by one task.
_MOST_MOMENTS = 1 << 26


@dataclass
class Layout:
    """How a table is cut, from its size alone."""

    n_rows: int
    n_columns: int
    block_rows: int
    partition_rows: int
    n_landmarks: int
    sample_rows: int
    starts: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.starts = np.append(np.arange(0, self.n_rows, self.block_rows), self.n_rows).astype(np.int64)

    @property
    def n_blocks(self) -> int:
        return len(self.starts) - 1


def layout_for(
    n_rows: int,
    n_columns: int,
    n_landmarks: int | None = None,
    block_rows: int | None = None,
    partition_rows: int | None = None,
    model_rows: int = 50_000,
) -> Layout:
    """64 MB of float32 a block, 250,000 rows a partition, and no more than a thousand of either."""
    least = -(-n_rows // MOST_BLOCKS)
    block = block_rows or max(1024, min(250_000, (1 << 24) // max(1, n_columns)), least)
    part = partition_rows or max(250_000, least)
    landmarks = n_landmarks or _native.default_landmarks(n_rows)
    landmarks = max(2, min(landmarks, n_rows // 2))
    sample = max(model_rows, min(40 * landmarks, (1 << 26) // max(1, n_columns)), 2 * landmarks)
    return Layout(n_rows, n_columns, block, part, landmarks, min(n_rows, sample))


def _blocks_of(X: da.Array, layout: Layout) -> list[Any]:
    sizes = tuple(np.diff(layout.starts).tolist())
    return list(X.rechunk((sizes, (X.shape[1],))).to_delayed().ravel())


def _lazily(function: Any, *args: Any) -> Any:
    return dask.delayed(function, pure=False)(_native.__version__, *args)


@dataclass
class _Cut:
    """Rows on their way to partitions: futures, but for `about` where the client had to know it."""

    about: Any
    routed: list[Any]
    landmarks: Any
    of_model: list[Any]
    n_groups: int


def _cut_at_once(
    block: Any, layout: Layout, options: dict[str, Any], seed: int, model_rows: int, knn: int, stages: Stages
) -> _Cut:
    """One block that is one partition: the same as below by one task. Between tasks of milliseconds the scheduler would
    take most of the time."""
    share = layout.sample_rows / layout.n_rows
    routed = stages.compute(
        [_lazily(_blocks.cut_at_once, block, seed, share, options.get("pca"), layout.n_landmarks, model_rows, knn)]
    )
    landmarks = stages.submit(_blocks.nearest_rows, routed[0], name="nearest-rows")
    about = stages.submit(_blocks.told_of, routed[0], name="about")
    return _Cut(about, routed, landmarks, [stages.submit(_blocks.rows_of_model, routed[0], name="model-rows")], 1)


def _cut_by_blocks(
    blocks: list[Any], layout: Layout, options: dict[str, Any], seed: int, model_rows: int, knn: int, stages: Stages
) -> _Cut:
    # Column statistics and PCA: a tree over blocks. Rows of the sample stay where they are, in parts.
    firsts = layout.starts[:-1].tolist()
    share = layout.sample_rows / layout.n_rows
    parts = stages.compute(
        [_lazily(_blocks.statistics, b, f, seed, share) for b, f in zip(blocks, firsts, strict=True)]
    )
    samples = [stages.submit(_blocks.sample_of, p, name="sample", priority=1) for p in parts]
    moments = [stages.submit(_blocks.moments_of, p, name="moments", priority=1) for p in parts]
    most = max(2, min(8, _MOST_MOMENTS // (8 * layout.n_columns**2)))
    table = stages.reduce(moments, _blocks.add_moments, name="add-moments", arity=most)
    stages.release(moments)
    stages.wait("statistics", parts, release=True)
    reduction = stages.submit(_blocks.reduction, table, options.get("pca"), name="reduction")
    points = [stages.submit(_blocks.reduced_sample, s, reduction, name="reduced-sample") for s in samples]
    n_queries = N_QUERIES if layout.n_rows > layout.partition_rows else 0
    made = stages.submit(_blocks.plan, reduction, points, layout.n_landmarks, n_queries, model_rows, seed, name="plan")
    stages.release([table, reduction, *points])
    stages.wait("pca", [made])

    # Cells: k-means goes on over all rows, and true neighbours of some rows are found on the way.
    parts = stages.compute([_lazily(_blocks.census, b, made, knn, layout.n_blocks) for b in blocks])
    total = stages.reduce(parts, _blocks.add_census, knn, name="add-census")
    stages.wait("cells", parts, release=True)
    cells = stages.submit(_blocks.partition, made, total, layout.partition_rows, RECALL, name="partition")
    stages.wait("partitions", [cells])
    about = stages.client.submit(_blocks.about, cells, pure=False).result()

    # Routing: each row to its partition and to those around it.
    routed = stages.compute(
        [_lazily(_blocks.route, b, f, cells, layout.n_blocks) for b, f in zip(blocks, firsts, strict=True)]
    )
    stages.wait("routing", routed)
    of_model = [
        stages.submit(_blocks.model_rows, s, about["model_index"], name="model-rows", priority=1) for s in samples
    ]
    stages.release(samples)
    best = [stages.submit(_blocks.nearest_rows, r, name="nearest-rows") for r in routed]
    landmarks = stages.reduce(best, _blocks.add_nearest, name="add-nearest")
    stages.release(best)
    return _Cut(about, routed, landmarks, of_model, about["n_groups"])


def _in_one_frame(placed: list[Any], n_components: int, stages: Stages) -> list[Any]:
    """The coordinates of all partitions about the centre of the map and along its axes."""
    if len(placed) == 1:
        stages.wait("layout", placed)
        maps = [stages.submit(_blocks.in_own_frame, placed[0], n_components, name="turned")]
        stages.wait("frame", maps)
        return maps
    frame = stages.submit(_blocks.turn, [stages.submit(_blocks.spread, p, name="spread") for p in placed], name="turn")
    ends = [stages.submit(_blocks.extremes, p, frame, name="extremes") for p in placed]
    stages.wait("layout", placed)
    stages.wait("frame", ends)
    signs = _blocks.signs_of(stages.client.gather(ends), n_components)
    return [stages.submit(_blocks.turned, p, frame, signs, name="turned") for p in placed]


def _in_order(maps: list[Any], layout: Layout, n_components: int, stages: Stages) -> list[Any]:
    """Blocks of the output, from all partitions."""
    bounds = list(zip(layout.starts[:-1].tolist(), layout.starts[1:].tolist(), strict=True))
    if len(maps) == 1:
        return [stages.submit(_blocks.rows_between, maps[0], *ends, name="coordinates") for ends in bounds]
    settled = [stages.submit(_blocks.settle, p, layout.starts, name="settle") for p in maps]
    rows = []
    for b, ends in enumerate(bounds):
        slices = [stages.submit(_blocks.slice_of, s, b, name="slice") for s in settled]
        rows.append(stages.submit(_blocks.assemble, slices, *ends, n_components, name="coordinates"))
        stages.release(slices)
    stages.release(settled)
    return rows


def fit_blocks(
    X: da.Array, layout: Layout, options: dict[str, Any], seed: int, model_rows: int, knn: int, stages: Stages
) -> dict[str, Any]:
    """Coordinates by block of rows as futures, the model's rows, and what was decided."""
    blocks = _blocks_of(X, layout)
    n_components = int(options.get("n_components", 2))
    plan = _native.refine_plan(options, layout.n_rows, n_components)
    against = reason_against(plan, n_components)
    if layout.n_blocks == 1 and layout.n_rows <= layout.partition_rows:
        cut = _cut_at_once(blocks[0], layout, options, seed, model_rows, knn, stages)
    else:
        cut = _cut_by_blocks(blocks, layout, options, seed, model_rows, knn, stages)
    graphs, pieces = [], []
    for g in range(cut.n_groups):
        own = [stages.submit(_blocks.piece, r, g, name="piece") for r in cut.routed]
        pieces.extend(own)
        graphs.append(
            stages.submit(_blocks.graph, own, g, cut.landmarks, options, layout.n_rows, cut.n_groups, name="graph")
        )
    stages.release(pieces)

    # The coarse problem on one worker. What follows is handed out at once: nobody waits for the client.
    borders = [stages.submit(_blocks.borders, g, name="borders") for g in graphs]
    found = stages.submit(_blocks.coarse, borders, cut.landmarks, options, layout.n_rows, seed, name="coarse")
    summary = stages.submit(_blocks.summary, found, borders, name="summary")

    # Places, partition by partition.
    placed = []
    for g in graphs:
        numbers = stages.submit(_blocks.landmarks_of, g, name="landmarks-of")
        wanted = stages.submit(_blocks.targets, found, numbers, name="targets")
        placed.append(
            stages.submit(_blocks.places, g, wanted, options, layout.n_rows, seed, cut.n_groups, name="places")
        )
        stages.release([numbers, wanted])
    links = []
    if not against:
        links = [stages.submit(_refine_blocks.links, g, plan["knn"], cut.n_groups, name="links") for g in graphs]

    stages.release(cut.routed)
    if not isinstance(cut.about, dict):
        stages.wait("statistics", [cut.about])
        cut.about = cut.about.result()
    with stages.timed("graph"):  # rows of the model come while partitions are worked on
        kept = np.concatenate(stages.client.gather(cut.of_model))
    stages.release(cut.of_model)
    stages.wait("graph", graphs, release=True)
    stages.wait("landmarks", [found])

    # One frame for all, and back to the order of the rows.
    maps = _in_one_frame(placed, n_components, stages)
    stages.release(placed)
    stages.wait("layout", links)
    refinement: dict[str, Any] = {"refine_epochs": 0.0, "refine_reason": against}
    if links:
        with stages.timed("refinement"):
            maps, refinement = Refinement(stages, links, seed).run(maps, plan)
    index = cut.about["model_index"]
    of_model = [stages.submit(_blocks.rows_at, p, index, name="rows-at") for p in maps]
    rows = _in_order(maps, layout, n_components, stages)
    stages.release(maps)
    stages.wait("output", rows)
    coordinates = np.empty((len(index), n_components))
    for where, values in stages.client.gather(of_model):
        coordinates[np.searchsorted(index, where)] = values
    stages.release(of_model)
    told = summary.result()
    told["resolved"] = {**told["resolved"], **refinement}
    return {"blocks": rows, "model_rows": kept, "model_coordinates": coordinates, **cut.about, **told}
