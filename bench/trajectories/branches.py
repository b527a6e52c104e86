"""Branches of a network, the cells on them, and how well two networks agree in them."""
import numpy as np


def chains_of(edges):
    """Branches: runs of edges between milestones that join one edge or more than two; a ring is one branch. Each is a list of
    (edge, whether it is walked from its `from` to its `to`), with the milestones at which it begins and ends."""
    at = {}
    for k, (a, b, _) in enumerate(edges):
        at.setdefault(a, []).append(k)
        at.setdefault(b, []).append(k)
    stay = sorted(m for m, around in at.items() if len(around) != 2)
    free, chains = set(range(len(edges))), []
    for start in [*stay, *sorted(set(at) - set(stay))]:  # the second part finds rings
        for first in at[start]:
            if first not in free:
                continue
            here, k, chain = start, first, []
            while True:
                free.discard(k)
                a, b, _ = edges[k]
                chain.append((k, here == a))
                here = b if here == a else a
                if here == start or len(at[here]) != 2:
                    break
                k = next(other for other in at[here] if other != k)
            chains.append((start, here, chain))
    return chains


def on_branches(network):
    """Branches (start, end, length), and for each cell its branch and the share of it that lies before the cell."""
    edges = [tuple(edge) for edge in network["network"]]
    branches, place = [], {}
    for start, end, chain in chains_of(edges):
        length = sum(edges[k][2] for k, _ in chain)
        before = 0.0
        for k, is_forward in chain:
            place[edges[k][:2]] = (len(branches), before, edges[k][2], is_forward, length)
            before += edges[k][2]
        branches.append((start, end, length))
    cells = []
    for a, b, share in zip(network["from"], network["to"], network["percentage"], strict=True):
        branch, before, own, is_forward, length = place[a, b]
        along = before + own * (share if is_forward else 1 - share)
        cells.append((branch, along / length if length > 0 else 0.0))
    return branches, cells


def branch_f1(truth, network):
    """dynverse's F1_branches: every branch against the one with which it shares most cells (Jaccard), both ways."""
    ours, theirs = (np.array([branch for branch, _ in on_branches(n)[1]]) for n in (network, truth))
    shared = np.array([[np.sum((ours == a) & (theirs == b)) / np.sum((ours == a) | (theirs == b)) for a in set(ours)] for b in set(theirs)])
    recovery, relevance = shared.max(1).mean(), shared.max(0).mean()
    return 2 * recovery * relevance / (recovery + relevance)
