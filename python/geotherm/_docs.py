"""Docstrings of the estimators: each parameter is described once and put where it is read.

A class docstring holds ``{parameters}`` and ``{attributes}``; `documented` fills them in.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from . import _native

WORDS: dict[str, str] = _native.option_words()

PARAMETERS: dict[str, str] = {
    "n_components": "n_components : int\n    Dimensions of the map.",
    "knn": "knn : int or None\n    Neighbours of each point, itself not counted; None leaves it to the method (10; UMAP: 15).\n"
    "    More is smoother, but may join what is apart.",
    "metric": "metric : str\n    Distance of rows: {words}. ``'precomputed'``: X holds distances (n x n; sparse: those\n"
    "    known). ``'precomputed_affinity'``: X holds edge weights.",
    "search": "search : str\n    How neighbours are found: {words}.",
    "pca": "pca : None, 'none', 'auto' or int\n    Reduce the table first: not at all, to a rank chosen from the data (principal components are left\n    alone), or to this rank. None: the method's own choice (HeatGeo: 'auto', others: 'none').",
    "graph": "graph : str\n    Edge weights: {words}.",
    "decay": "decay : float\n    alpha-decay: exponent of the kernel; larger is closer to a hard cut.",
    "threshold": "threshold : float\n    alpha-decay: smaller affinities are dropped.",
    "anisotropy": "anisotropy : float\n    alpha-decay: 0 keeps the density of the sample, 1 divides it out.",
    "components": "components : str\n    A graph in pieces: {words} (joined by the shortest links, left apart, refused).",
    "shortcuts": "shortcuts : None, 'off', 'auto' or float\n    Take out short-circuit edges: no, yes, or this share of the edges is examined (up to 0.5). None: the\n    method's own choice (HeatGeo: 'auto' up to 20,000 points, others: 'off').",
    "rates": "rates : None or str\n    Heat counts hops, or moves in lengths (in the units of the data): {words}. None: the method's own\n    choice (HeatGeo: 'lengths', others: 'hops').",
    "time": "time : 'auto' or float\n    How long heat spreads (methods of a walk: whole steps); 'auto' reads it off the entropy curve.",
    "laplacian": "laplacian : str\n    One of {words}.",
    "kernel": "kernel : str\n    How the heat kernel is computed: {words}; uniformization is right in every entry.",
    "order": "order : int or None\n    chebyshev: degree; euler: steps.",
    "harnack": "harnack : float\n    Weight of the volume term; 1 makes d(i, i) = 0.",
    "denoise": "denoise : float\n    Mix in distances between rows of distances: 0 none, 1 only those.",
    "kernel_floor": "kernel_floor : float or None\n    Raise smaller kernel entries to this: a truncated distance.",
    "max_distance": "max_distance : float or None\n    Cut larger distances to this.",
    "landmarks": "landmarks : 'auto', 'none' or int\n    Measure distances between so many landmarks and place every point by them: in place of all pairs where those\n    are too many ('auto': above 20,000 points, or where memory is short), never, or always. Then\n    there is no ``dissimilarity_``.",
    "mds": "mds : str\n    Metric scaling: {words}.",
    "mds_weights": "mds_weights : str\n    Let near pairs count more: {words}.",
    "max_iterations": "max_iterations : int or None\n    Sweeps of the scaling at most.",
    "tolerance": "tolerance : float\n    SMACOF stops when two sweeps in a row lower the stress by less than this share.",
    "n_shakes": "n_shakes : int\n    SMACOF: further runs from shaken starts; the lowest stress is kept.",
    "refine": "refine : None, 'auto', 'off' or int\n    Let neighbours find each other in the finished map while its large shape stays: not at all, or for so many\n    epochs (300 is usual). None, 'auto': off, unless `balance` is given.",
    "balance": "balance : float or None\n    What the refinement is for: 0 keeps geodesics (the same as ``refine='off'``), 1 puts neighbours first.",
    "perplexity": "perplexity : float\n    Effective number of neighbours.",
    "early_exaggeration": "early_exaggeration : float\n    Attraction is multiplied by this in the first iterations.",
    "n_iterations": "n_iterations : int\n    All iterations, the exaggerated ones counted.",
    "theta": "theta : float\n    Barnes-Hut: a cell is one point where size / distance is below this; 0 is exact.",
    "learning_rate": "learning_rate : float or None\n    Step; None: max(200, n / early_exaggeration).",
    "min_dist": "min_dist : float\n    How close points may lie in the map, in units of `spread`.",
    "spread": "spread : float\n    Scale of the map.",
    "n_epochs": "n_epochs : int or None\n    Passes over the edges; None: 500 up to 10,000 points, falling to 200 for more.",
    "negative_sample_rate": "negative_sample_rate : float\n    Random points pushed away for each edge that pulls.",
    "precomputed_knn": "precomputed_knn : (indices, distances) or None\n    Neighbour tables (n x k) found elsewhere; X then only says how many points there are.",
    "keep_dissimilarity": "keep_dissimilarity : bool\n    Keep the n x n distances of the method as ``dissimilarity_``.",
    "random_state": "random_state : int, RandomState, Generator or None\n    The same whole number gives the same result, to the bit; None draws a seed from NumPy.",
    "n_jobs": "n_jobs : int or None\n    Threads; -1 takes every core, None one. The result does not depend on it.",
    "verbose": "verbose : bool\n    Show progress, through tqdm where it is installed.",
    "callbacks": "callbacks : callable, list of callables or None\n    Called as ``callback(stage, done, total, objective)``; returning False stops the run, which keeps\n"
    "    the map as far as it has come.",
}

ATTRIBUTES: dict[str, str] = {
    "embedding_": "embedding_ : ndarray of shape (n_samples, n_components)\n    The map, float64.",
    "graph_": "graph_ : csr_matrix\n    Symmetric edge weights of the distinct points, short circuits taken out where that was asked for.",
    "unique_inverse_": "unique_inverse_ : ndarray of shape (n_samples,)\n    For each row its distinct point, a row of ``graph_``: rows that are equal share a place.",
    "time_": "time_ : float\n    The time (or number of steps) that was used.",
    "dissimilarity_": "dissimilarity_ : ndarray of shape (n_samples, n_samples)\n    The method's distances, with ``keep_dissimilarity=True``.",
    "stress_": "stress_ : float\n    Squared differences between distances and the map, over squared distances.",
    "report_": "report_ : dict\n    What was asked for, decided and seen, the seed, warnings, and the time each stage took.",
    "n_iter_": "n_iter_ : int\n    Iterations of the layout.",
}

Class = TypeVar("Class", bound=type)


def _indented(blocks: list[str], prefix: str) -> str:
    lines = "\n".join(blocks).split("\n")
    return "\n".join([lines[0], *(prefix + line if line else line for line in lines[1:])])


def documented(*attributes: str, **own: str) -> Any:
    """Fill in the parameters of __init__ and the attributes named; `own` adds a class's own parameters."""

    def fill(cls: Class) -> Class:
        blocks = []
        for name in inspect.signature(cls.__init__).parameters:
            if name == "self":
                continue
            block = own.get(name) or PARAMETERS[name]
            blocks.append(block.replace("{words}", WORDS.get(name, "")))
        shown = [ATTRIBUTES[name] for name in ("embedding_", *attributes, "report_", "n_iter_")]
        assert cls.__doc__ is not None
        text = cls.__doc__.replace("{parameters}", _indented(blocks, "    "))
        cls.__doc__ = text.replace("{attributes}", _indented(shown, "    "))
        return cls

    return fill
