"""Refinement of a map in blocks: the epochs of the program's refinement, each one round of all partitions.

What an epoch does to a point depends on the places of its neighbours and of all points within reach before the epoch,
on the seed and the point's number: not on the partition that it is in, nor on who works on it
(docs/methods/refinement.md).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _native
from . import _refine_blocks as tasks
from ._cluster import Stages

#: So many epochs are computed again at most where a worker is lost: then the client sees the places.
HELD_EPOCHS = 25
#: Points of a worker up to which its partitions are worked on as one, and epochs of a task that has all points: rounds of
#: small tasks wait for the scheduler.
MOST_MERGED = 1_000_000
AT_ONCE = 5


def reason_against(plan: dict[str, Any], n_components: int) -> str:
    """Empty where the map is to be refined; else why not."""
    if not plan:
        return "by default a map in blocks is not refined"
    if plan["epochs"] == 0:
        return "not asked for"
    if n_components > 3:
        return f"maps of 1, 2 or 3 dimensions can be refined, this one has {n_components}"
    return ""


class Refinement:
    """The points of all partitions, linked to their neighbours. `links` are futures, one for each partition."""

    def __init__(self, stages: Stages, links: list[Any], seed: int) -> None:
        self._stages, self._seed = stages, seed
        about = stages.client.gather(self._each(tasks.about_links, links, name="about-links"))
        self._homes = [a["homes"] for a in about]
        self._sizes = np.array([a["n_points"] for a in about])
        self.n_points = int(self._sizes.sum())
        total = sum(a["total"] for a in about)
        self._unit_of_weights = self.n_points / total if total > 0 else 0.0
        ids = self._each(tasks.ids_of, links, name="ids-of")
        self._links = [
            stages.submit(tasks.joined, part, [ids[q] for q in homes], name="joined")
            for part, homes in zip(links, self._homes, strict=True)
        ]
        stages.release([*links, *ids])

    def _each(self, function: Any, *columns: Any, name: str, common: tuple[Any, ...] = ()) -> list[Any]:
        return [self._stages.submit(function, *row, *common, name=name) for row in zip(*columns, strict=True)]

    def run(self, maps: list[Any], plan: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Refined coordinates by partition as futures, or those of `maps`; and what was done."""
        stages = self._stages
        if self.n_points < 3:
            return maps, {"refine_epochs": 0.0, "refine_reason": f"there are {self.n_points} distinct points"}
        own = self._each(tasks.own_places, maps, self._links, name="own-places")
        step = -(-self.n_points // tasks.SAMPLED)
        parts = stages.client.gather(self._each(tasks.sample, self._links, own, name="sample", common=(step,)))
        wanted = np.concatenate([p["wanted"] for p in parts])
        before = self._fit(own, parts, wanted)
        told: dict[str, Any] = {"refine_epochs": 0.0, "refine_kept_before": before["kept"]}

        first = own
        for _ in range(plan["rounds"]):
            means = [
                stages.submit(tasks.averaged, part, mine, [own[q] for q in homes], name="averaged")
                for part, mine, homes in zip(self._links, own, self._homes, strict=True)
            ]
            if own is not first:
                stages.release(own)
            own = means
        seen = stages.client.gather(self._each(tasks.extent, self._links, own, first, name="extent"))
        stages.release(first)
        n, mean, scatter = _native.merge_moments([s["moments"] for s in seen])
        deviation = float(np.sqrt(np.trace(scatter) / (n * len(mean))))
        if not deviation > 0:
            return maps, {**told, "refine_reason": "all points are in one place"}
        if plan["rounds"] > 0:
            parts = stages.client.gather(self._each(tasks.sample, self._links, own, name="sample", common=(step,)))
        spacing = self._fit(own, parts, wanted)["spacing"] / deviation
        unit = (plan["spacing"] / spacing if spacing * plan["widest"] > plan["spacing"] else plan["widest"]) / deviation
        low = (np.min([s["low"] for s in seen], axis=0) - mean) * unit
        high = (np.max([s["high"] for s in seen], axis=0) - mean) * unit
        frame = (low, tasks.tile_width(low, high, plan["reach"]))
        blocks = self._each(tasks.start, self._links, own, name="start", common=(mean, unit, frame))
        stages.release(own)
        blocks, longest = self._epochs_of_groups(blocks, frame, plan)
        made = self._each(tasks.refined, maps, self._links, blocks, name="refined", common=(mean, unit))
        stages.release(blocks)
        own = self._each(tasks.own_places, made, self._links, name="own-places")
        parts = stages.client.gather(self._each(tasks.sample, self._links, own, name="sample", common=(step,)))
        kept = self._fit(own, parts, wanted)["kept"]
        stages.release(own)
        if plan["is_of_balance"] and kept < before["kept"]:
            stages.release(made)
            reason = f"it would keep {kept:.1%} of the neighbours in place of {before['kept']:.1%}"
            return maps, {**told, "refine_reason": reason}
        stages.release(maps)
        return made, {
            "refine_epochs": float(plan["epochs"]),
            "refine_kept_before": before["kept"],
            "refine_kept": kept,
            "refine_reason": "epochs of the balance" if plan["is_of_balance"] else "as many epochs as asked for",
            "refine_unit": unit,
            "refine_largest_move": max(s["moved"] for s in seen) + (1e-3 + longest) / unit,
        }

    def _fit(self, own: list[Any], parts: list[dict[str, Any]], wanted: np.ndarray) -> dict[str, float]:
        """Of a sample: the share of strongest neighbours among the nearest, and the median distance to the 15th."""
        ids = np.concatenate([p["ids"] for p in parts])
        places = np.concatenate([p["places"] for p in parts])
        near = self._each(tasks.nearest, self._links, own, name="nearest", common=(places,))
        nearest = self._stages.reduce(near, tasks.add_near, name="add-near")
        found = nearest.result()
        self._stages.release([*near, nearest])
        kept, spacings = 0, []
        for own_id, of_row, distance, strongest in zip(ids, found["ids"], found["distance"], wanted, strict=True):
            others = np.flatnonzero(of_row != own_id)[: tasks.SPACED]
            kept += len(np.intersect1d(of_row[others[: tasks.JUDGED]], strongest))
            spacings.append(distance[others[-1]])
        return {"kept": kept / max(1, int((wanted >= 0).sum())), "spacing": float(np.median(spacings))}

    def _epochs_of_groups(
        self, blocks: list[Any], frame: tuple[np.ndarray, float], plan: dict[str, Any]
    ) -> tuple[list[Any], float]:
        """The epochs of all blocks, their points in the order of the map, as one block for each worker where they are small:
        points may be shared out and numbered in any way."""
        stages, n_workers = self._stages, max(1, len(self._stages.client.nthreads()))
        group_of = np.arange(len(blocks))
        if n_workers < len(blocks) and self.n_points <= MOST_MERGED * n_workers:
            middle = np.cumsum(self._sizes) - self._sizes / 2
            group_of = np.unique((middle * n_workers / self.n_points).astype(np.int64), return_inverse=True)[1]
        groups = [np.flatnonzero(group_of == g).tolist() for g in range(group_of.max() + 1)]
        begins = np.concatenate([np.cumsum(self._sizes[members]) - self._sizes[members] for members in groups])
        homes = [
            sorted({int(group_of[q]) for p in members for q in self._homes[p]} - {g})
            for g, members in enumerate(groups)
        ]
        ranks = [
            stages.submit(tasks.rank_by_place, [blocks[p] for p in members], plan["reach"], name="rank-by-place")
            for members in groups
        ]
        links = [
            stages.submit(
                tasks.merged, [self._links[p] for p in members], members, group_of, begins,
                {h: ranks[h] for h in [g, *homes[g]]}, name="merged",
            )
            for g, members in enumerate(groups)
        ]  # fmt: skip
        light = self._each(tasks.without_links, self._links, name="without-links")
        stages.release(self._links)
        self._links = light
        joined = [
            stages.submit(tasks.merged_block, [blocks[p] for p in members], rank, frame, name="merged-block")
            for members, rank in zip(groups, ranks, strict=True)
        ]
        stages.release(blocks)
        run = self._epochs_of_one if len(groups) == 1 else self._epochs
        joined, moved = run(joined, links, homes, frame, plan)
        parts = [
            stages.submit(tasks.part_of, block, rank, int(begins[p]), int(begins[p] + self._sizes[p]), name="part-of")
            for block, rank, members in zip(joined, ranks, groups, strict=True)
            for p in members
        ]
        stages.release([*joined, *links, *ranks])
        return parts, moved

    def _epochs_of_one(
        self,
        blocks: list[Any],
        links: list[Any],
        homes: list[Any],
        frame: tuple[np.ndarray, float],
        plan: dict[str, Any],
    ) -> tuple[list[Any], float]:
        """The same of a block that has all points: some epochs by each task."""
        stages, near, moved, n_epochs = self._stages, None, 0.0, plan["epochs"]
        for first in range(0, n_epochs, AT_ONCE):
            stages.tell("refinement", first, n_epochs)
            attraction = plan["attraction"][first : min(first + AT_ONCE, n_epochs)]
            unit = self._unit_of_weights
            moves = stages.submit(
                tasks.epochs, links[0], blocks[0], first, attraction, unit, near, self._seed, name="epochs"
            )
            stages.release(blocks)
            blocks = [moves]
            told = self._each(tasks.told_of_epochs, blocks, name="told-of-epochs")
            near, longest = stages.client.gather(told)[0]
            stages.release(told)
            moved += longest
            if (first + AT_ONCE) % HELD_EPOCHS == 0 and first + AT_ONCE < n_epochs:
                blocks = self._held(blocks, links, frame)
        stages.tell("refinement", n_epochs, n_epochs)
        return blocks, moved

    def _held(self, blocks: list[Any], links: list[Any], frame: tuple[np.ndarray, float]) -> list[Any]:
        places = self._stages.client.gather(self._each(tasks.places_of, blocks, name="places-of"))
        self._stages.release(blocks)
        return self._each(tasks.held, links, places, name="held", common=(frame,))

    def _epochs(
        self,
        blocks: list[Any],
        links: list[Any],
        homes: list[Any],
        frame: tuple[np.ndarray, float],
        plan: dict[str, Any],
    ) -> tuple[list[Any], float]:
        """The blocks after all epochs, and the sum of the longest moves."""
        stages, near, moved = self._stages, None, 0.0
        seen = self._summaries(blocks)
        n_epochs = plan["epochs"]
        # The first is only measured: nearness is that of the epoch before.
        for number in range(-1, n_epochs):
            stages.tell("refinement", max(number, 0), n_epochs)
            at = max(number, 0)
            step = {
                "epoch": at,
                "attraction": float(plan["attraction"][at]),
                "unit": self._unit_of_weights,
                "near": near,
                "low": np.min([s["low"] for s in seen], axis=0),
                "frame": frame,
            }
            meet = tasks.near_partitions([s["tiles"] for s in seen], len(frame[0]))
            moves = [
                stages.submit(
                    tasks.epoch, part, mine, [blocks[q] for q in of_links], [blocks[q] for q in around], step,
                    self._seed, len(blocks), name="epoch",
                )
                for part, mine, of_links, around in zip(links, blocks, homes, meet, strict=True)
            ]  # fmt: skip
            stages.release(blocks)
            blocks = moves
            seen = self._summaries(blocks)
            near = tasks.mean_near(sum(s["near"] for s in seen), self.n_points)
            moved += max(s["longest"] for s in seen)
            if (number + 1) % HELD_EPOCHS == 0 and 0 < number + 1 < n_epochs:
                blocks = self._held(blocks, links, frame)
        stages.tell("refinement", n_epochs, n_epochs)
        return blocks, moved

    def _summaries(self, blocks: list[Any]) -> list[dict[str, Any]]:
        told = self._each(tasks.summary, blocks, name="summary")
        seen = self._stages.client.gather(told)
        self._stages.release(told)
        return seen
