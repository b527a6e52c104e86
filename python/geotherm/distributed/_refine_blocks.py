"""The tasks of refinement: what a worker does to the points of a partition (docs/methods/refinement.md).

A point is known by the number of the first row that holds it. Places are planes of float32, a row for each dimension,
in units of the objective.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from ._blocks import sample_keys
from ._tasks import keeping_memory, new_run, run_of, task

#: Of the sample that says what a map keeps: points, strongest neighbours, nearest points.
SAMPLED, JUDGED, SPACED = 1000, 10, 15
#: Rows that are averaged at once.
_SLAB = 1 << 15
#: Tiles along an axis, by dimension, that say which partitions are near each other.
_TILES = {1: 1 << 14, 2: 128, 3: 24}


@task
def links(block: dict[str, Any], knn: int, n_parts: int) -> dict[str, Any]:
    """The own points of a partition and who attracts them: own points first, then those of other partitions."""
    unique = block["unique_inverse"]
    first = np.unique(unique, return_index=True)[1]
    ids, home, is_own = block["index"][first], block["home"][first], block["own"][first]
    run = run_of(n_parts)
    offsets, to, weights = _native.block_memberships(block, np.ascontiguousarray(is_own), knn, run)
    # Points stay in the order of their block, which for large ones is that of their places. Sums go by ids.
    own = np.flatnonzero(is_own)
    row = np.repeat(np.arange(len(own)), np.diff(offsets))
    entries = np.lexsort((ids[to], row))
    to, weights = to[entries], weights[entries]
    number = np.full(len(ids), -1, dtype=np.int32)
    number[own] = np.arange(len(own))
    others = np.unique(to[is_own[to] == 0])
    others = others[np.lexsort((ids[others], home[others]))]
    number[others] = len(own) + np.arange(len(others))
    by_id = np.argsort(ids[own]).astype(np.int32)
    sizes = np.diff(offsets)[by_id]
    in_order = np.arange(len(to)) + np.repeat(offsets[by_id] - (np.cumsum(sizes) - sizes), sizes)
    return {
        "ids": ids[own],
        "by_id": by_id,
        "total": float(weights[in_order].sum(dtype=np.float64)),
        "point_of_row": number[unique[block["own"] != 0]],
        "offsets": offsets,
        "to": number[to],
        "weights": weights,
        "linked_ids": ids[others],
        "linked_home": home[others],
    }


@task
def about_links(part: dict[str, Any]) -> dict[str, Any]:
    """What the client has to know: partitions that points are linked to, and sums."""
    return {
        "homes": np.unique(part["linked_home"]).tolist(),
        "n_points": len(part["ids"]),
        "total": part["total"],
    }


@task
def ids_of(part: dict[str, Any]) -> np.ndarray:
    return part["ids"]


@task
def joined(part: dict[str, Any], ids: list[np.ndarray]) -> dict[str, Any]:
    """With the positions of linked points in the partitions that own them, in the order of these."""
    homes = np.unique(part["linked_home"])
    at = []
    for home, theirs in zip(homes, ids, strict=True):
        wanted = part["linked_ids"][part["linked_home"] == home]
        order = np.argsort(theirs)
        found = order[np.minimum(np.searchsorted(theirs, wanted, sorter=order), len(theirs) - 1)]
        if not np.array_equal(theirs[found], wanted):
            raise RuntimeError(f"partition {home} does not own the points that others take for its own")
        at.append(found)
    return {**part, "at": at}


@task
def rank_by_place(blocks: list[dict[str, Any]], reach: float) -> np.ndarray:
    """Positions of a group's points, by the cells of the map: what an epoch reads together is together in memory."""
    ids = np.concatenate([block["ids"] for block in blocks])
    cells = np.floor(np.concatenate([block["places"] for block in blocks], axis=1) / reach)
    rank = np.empty(len(ids), dtype=np.int64)
    rank[np.lexsort((ids, *cells[::-1]))] = np.arange(len(ids))
    return rank


@task
def merged(
    parts: list[dict[str, Any]],
    members: list[int],
    group_of: np.ndarray,
    begins: np.ndarray,
    ranks: dict[int, np.ndarray],
) -> dict[str, Any]:
    """Partitions as one, for the epochs: `group_of` each partition, where its points begin in the group, and the positions
    that points of the groups concerned have then."""
    group, n = int(group_of[members[0]]), sum(len(part["ids"]) for part in parts)
    homes, positions = [], []  # of linked points
    for part in parts:
        home = part["linked_home"]
        position = np.empty(len(home), dtype=np.int64)
        for number, at in zip(np.unique(home), part["at"], strict=True):
            position[home == number] = ranks[int(group_of[number])][begins[number] + at]
        homes.append(group_of[home])
        positions.append(position)
    home, position = np.concatenate(homes), np.concatenate(positions)
    is_outside = home != group
    outside, number = np.unique(np.stack([home, position], axis=1)[is_outside], axis=0, return_inverse=True)
    position[is_outside] = n + number.ravel()
    ends, rank, to = np.cumsum([len(p) for p in positions]), ranks[group], []
    for member, part, end in zip(members, parts, ends, strict=True):
        of_own = rank[begins[member] : begins[member] + len(part["ids"])]
        of_linked = position[end - len(part["linked_home"]) : end]
        to.append(np.concatenate([of_own, of_linked]).astype(np.int32)[part["to"]])
    order = np.argsort(rank)
    sizes = np.concatenate([np.diff(part["offsets"]) for part in parts])
    begin = np.cumsum(sizes) - sizes
    offsets = np.concatenate([[0], np.cumsum(sizes[order])])
    entries = np.arange(offsets[-1]) + np.repeat(begin[order] - offsets[:-1], sizes[order])
    ids = np.concatenate([part["ids"] for part in parts])[order]
    return {
        "ids": ids,
        "by_id": np.argsort(ids).astype(np.int32),
        "offsets": offsets,
        "to": np.concatenate(to)[entries],
        "weights": np.concatenate([part["weights"] for part in parts])[entries],
        "at": [outside[outside[:, 0] == of_home, 1] for of_home in np.unique(outside[:, 0])],
    }


@task
def without_links(part: dict[str, Any]) -> dict[str, Any]:
    return {name: part[name] for name in ("ids", "by_id", "point_of_row")}


# -- before the first epoch ----------------------------------------------------------------------------


@task
def own_places(coordinates: dict[str, Any], part: dict[str, Any]) -> np.ndarray:
    """Of own points, from the coordinates of own rows."""
    return np.ascontiguousarray(coordinates["coordinates"][np.searchsorted(coordinates["index"], part["ids"])])


@task
def averaged(part: dict[str, Any], own: np.ndarray, others: list[np.ndarray]) -> np.ndarray:
    """Every own point at the mean of its neighbours, weighted by memberships; one without any stays."""
    at = np.concatenate([own] + [theirs[k] for theirs, k in zip(others, part["at"], strict=True)])
    out, offsets = own.copy(), part["offsets"]
    for begin in range(0, len(own), _SLAB):
        end = min(begin + _SLAB, len(own))
        of_slab = slice(offsets[begin], offsets[end])
        row = np.repeat(np.arange(end - begin), np.diff(offsets[begin : end + 1]))
        weight = part["weights"][of_slab].astype(np.float64)
        total = np.bincount(row, weights=weight, minlength=end - begin)
        has_any = total > 0
        for k in range(own.shape[1]):
            sums = np.bincount(row, weights=weight * at[part["to"][of_slab], k], minlength=end - begin)
            out[begin:end, k][has_any] = sums[has_any] / total[has_any]
    return out


@task
def extent(part: dict[str, Any], own: np.ndarray, before: np.ndarray) -> dict[str, Any]:
    """Moments and bounds of own places, and how far they are from those before."""
    return {
        "moments": _native.block_moments(np.ascontiguousarray(own[part["by_id"]]), new_run()),
        "low": own.min(axis=0),
        "high": own.max(axis=0),
        "moved": float(np.abs(own - before).max()),
    }


@task
def sample(part: dict[str, Any], own: np.ndarray, step: int) -> dict[str, np.ndarray]:
    """Every so many-th row: its place, and while links are there its strongest neighbours (-1 where there are fewer)."""
    chosen = part["by_id"][part["ids"][part["by_id"]] % step == 0]
    if "to" not in part:
        return {"ids": part["ids"][chosen], "places": own[chosen]}
    ids = np.concatenate([part["ids"], part["linked_ids"]])
    wanted = np.full((len(chosen), JUDGED), -1, dtype=np.int64)
    for row, i in enumerate(chosen):
        of_row = slice(part["offsets"][i], part["offsets"][i + 1])
        others = ids[part["to"][of_row]]
        best = others[np.lexsort((others, -part["weights"][of_row]))[:JUDGED]]
        wanted[row, : len(best)] = best
    return {"ids": part["ids"][chosen], "places": own[chosen], "wanted": wanted}


@task
def nearest(part: dict[str, Any], own: np.ndarray, points: np.ndarray) -> dict[str, np.ndarray]:
    """Of the partition's points the nearest to each of the given places."""
    count = min(SPACED + 1, len(own))
    own = own[part["by_id"]]
    near = _native.near_centers(points.astype(np.float32), own.astype(np.float32), count, new_run())[0]
    apart = np.sqrt(((own[near] - points[:, None, :]) ** 2).sum(axis=2))
    return {"ids": part["ids"][part["by_id"][near]], "distance": apart}


@task
def add_near(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    ids = np.concatenate([p["ids"] for p in parts], axis=1)
    distance = np.concatenate([p["distance"] for p in parts], axis=1)
    order = np.lexsort((ids, distance), axis=1)[:, : SPACED + 1]
    return {"ids": np.take_along_axis(ids, order, axis=1), "distance": np.take_along_axis(distance, order, axis=1)}


# -- epochs --------------------------------------------------------------------------------------------


def tiles_of(places: np.ndarray, low: np.ndarray, width: float) -> np.ndarray:
    """Tiles that hold points, as numbers. Those beyond the edges count as at the edges."""
    count = _TILES[len(places)]
    tile = np.zeros(places.shape[1], dtype=np.int64)
    for plane, least in zip(places, low, strict=True):
        tile = tile * count + np.clip(np.floor((plane - least) / width), 0, count - 1).astype(np.int64)
    is_there = np.zeros(count ** len(places), dtype=bool)
    is_there[tile] = True
    return np.flatnonzero(is_there)


def tile_width(low: np.ndarray, high: np.ndarray, reach: float) -> float:
    """Wide enough for all that one epoch looks at to lie in a tile and in those around it."""
    return max(2 * reach, float((high - low).max()) / _TILES[len(low)])


def near_partitions(tiles: list[np.ndarray], dimensions: int) -> list[list[int]]:
    """For each partition those others that have a point in its tiles or around them."""
    count = _TILES[dimensions]
    here = np.zeros((len(tiles), count**dimensions), dtype=np.uint8)
    for row, of_partition in zip(here, tiles, strict=True):
        row[of_partition] = 1
    around = here.reshape((len(tiles),) + (count,) * dimensions)
    for axis in range(1, dimensions + 1):
        wide = np.pad(around, [(0, 0)] + [(1, 1) if a == axis else (0, 0) for a in range(1, dimensions + 1)])
        take = [np.take(wide, range(k, k + count), axis=axis) for k in range(3)]
        around = np.maximum(np.maximum(take[0], take[1]), take[2])
    meet = around.reshape(here.shape).astype(np.float32) @ here.T.astype(np.float32) > 0
    return [[q for q in np.flatnonzero(row).tolist() if q != p] for p, row in enumerate(meet)]


def _described(
    ids: np.ndarray, places: np.ndarray, frame: tuple[np.ndarray, float], near: int, longest: float
) -> dict[str, Any]:
    return {
        "ids": ids,
        "places": places,
        "near": near,
        "longest": longest,
        "low": places.min(axis=1),
        "tiles": tiles_of(places, *frame),
    }


@task
def start(
    part: dict[str, Any], own: np.ndarray, mean: np.ndarray, unit: float, frame: tuple[np.ndarray, float]
) -> dict[str, Any]:
    """Places in units of the objective. Points in one place come apart by a thousandth of it."""
    apart = np.stack([sample_keys(k + 1, part["ids"]) for k in range(own.shape[1])])
    places = ((own - mean) * unit).T + 1e-3 * apart
    return _described(part["ids"], np.ascontiguousarray(places, dtype=np.float32), frame, 0, 0.0)


@task
def held(part: dict[str, Any], places: np.ndarray, frame: tuple[np.ndarray, float]) -> dict[str, Any]:
    """Places that the client has seen: whoever is lost from here on, nothing before is computed again."""
    return _described(part["ids"], places, frame, 0, 0.0)


@task
def places_of(own: dict[str, Any]) -> np.ndarray:
    return own["places"]


@task
def summary(own: dict[str, Any]) -> dict[str, Any]:
    return {name: own[name] for name in ("near", "longest", "low", "tiles")}


@task
def epoch(
    part: dict[str, Any],
    own: dict[str, Any],
    linked: list[dict[str, Any]],
    around: list[dict[str, Any]],
    step: dict[str, Any],
    seed: int,
    n_parts: int,
) -> dict[str, Any]:
    """Moves own points by their neighbours and by all points within reach."""
    places, none = own["places"], np.empty((len(own["places"]), 0), dtype=np.float32)
    of_linked = [theirs["places"][:, k] for theirs, k in zip(linked, part["at"], strict=True)]
    block = {
        **{name: part[name] for name in ("ids", "by_id", "offsets", "to", "weights")},
        "places": places,
        "linked": np.concatenate([none, *of_linked], axis=1),
        "others": [(theirs["ids"], theirs["places"]) for theirs in around],
    }
    run = run_of(n_parts, seed)
    moved, near, longest = _native.refine_block(
        block, step["epoch"], step["attraction"], step["unit"], step["near"], step["low"], run
    )
    return _described(part["ids"], moved if step["near"] is not None else places, step["frame"], near, longest)


@task
def merged_block(blocks: list[dict[str, Any]], rank: np.ndarray, frame: tuple[np.ndarray, float]) -> dict[str, Any]:
    order = np.argsort(rank)
    ids = np.concatenate([block["ids"] for block in blocks])[order]
    places = np.concatenate([block["places"] for block in blocks], axis=1)[:, order]
    return _described(ids, np.ascontiguousarray(places), frame, 0, 0.0)


@task
def part_of(block: dict[str, Any], rank: np.ndarray, begin: int, end: int) -> dict[str, Any]:
    """The places of a partition among those of its group."""
    return {"places": np.ascontiguousarray(block["places"][:, rank[begin:end]])}


@task
def epochs(
    part: dict[str, Any],
    own: dict[str, Any],
    first: int,
    attraction: np.ndarray,
    unit: float,
    near: float | None,
    seed: int,
) -> dict[str, Any]:
    """Epochs from `first` on of a block that has all points. Without `near` it is measured before."""
    block = {**{name: part[name] for name in ("ids", "by_id", "offsets", "to", "weights")}, "others": []}
    places, moved, run = own["places"], 0.0, run_of(1, seed)
    block["linked"] = np.empty((len(places), 0), dtype=np.float32)
    numbers = [first] if near is None else []
    numbers += range(first, first + len(attraction))
    with keeping_memory():
        for number in numbers:
            block["places"] = places
            low = places.min(axis=1)
            after, sum_of_near, longest = _native.refine_block(
                block, number, float(attraction[number - first]), unit, near, low, run
            )
            places = after if near is not None else places
            near, moved = mean_near(sum_of_near, len(part["ids"])), moved + longest
    return {"ids": part["ids"], "places": places, "near": near, "moved": moved}


def mean_near(sum_of_near: int, n_points: int) -> float:
    """Nearness of a point on the mean, from the exact sum over all points."""
    return max(sum_of_near / 2.0**20 / n_points, 1.0)


@task
def told_of_epochs(own: dict[str, Any]) -> tuple[float, float]:
    return own["near"], own["moved"]


@task
def refined(
    coordinates: dict[str, Any], part: dict[str, Any], own: dict[str, Any], mean: np.ndarray, unit: float
) -> dict[str, Any]:
    """Own rows in the units of the map before."""
    at = own["places"].T.astype(np.float64) / unit + mean
    return {"index": coordinates["index"], "coordinates": at[part["point_of_row"]]}
