"""Words of the field: terms of our own that the docs, the code and the messages once had do not come back."""

import re
import subprocess

import pytest
from conftest import ROOT

# What must not be written, and what stands in its place.
INSTEAD = {
    r"convict|second hearing|\bsuspects?\b(?! first)": "shortcut edge, candidate edge, rejected edge, second pass",
    r"short[- ]circuit": "shortcut edge",
    r"honest (edge|point)|stray point|\bshores?\b": "true edge, outlier, small component, boundary",
    r"\bplace_of\b|shares? a place": "unique rows, unique_inverse",
    r"which way was gone|way_because": "solver choice: dense or landmarks; reason",
    r"\bone row an? |\bone an? (row|place|point|column|table|cell)\b": "one row per cell",
    r"\btaken out\b": "removed",
    r"random signs": "Rademacher probes",
    r"Poisson kernel": "uniformization (Poisson-weighted series of P^k)",
    r"three tenths": "perplexity reaches 0.3 n",
    r"lists end before the kernel": "N of M points have fewer neighbours than the kernel needs",
    r"src/recipes|recipes\.hpp|RecipeOptions": "method",
    r"\bdoors?\b|\bhouses?\b": "public function, architecture",
}
# The same where users read: documents, headers, help and messages of the program.
FOR_USERS = re.compile(r"^(README\.md|CONTRIBUTING\.md|docs/(?!results/).*\.(md|rst)|include/|apps/cli/)")
INSTEAD_FOR_USERS = {
    r"(its|their|own|new|old|last) places\b|places alone|(no|one|a) place (for|to the)|\bplaces of (the|new|all|points)": "coordinates, position",
    r"held (to|against) ": "compared with, tested against",
    r"\bgo(es)? by (landmarks|pivots)|way round|shortest way": "uses landmarks; detour; shortest path",
    r"hangs? (on|together)|stands? (beside|alone)|told by|asked of|reckon": "depends on, connected; separate; given by",
    r"thick noise|sees? past|spoke for|one (map|sweep|row|column) an? ": "strong noise; one map per table",
}
# Results of runs, data and lists of other projects' names; this file; what other packagers call a recipe.
LEFT_OUT = re.compile(r"^(docs/results/|tests/reference/|viewer/package-lock|tests/cli/test_words\.py)")


@pytest.fixture(scope="module")
def texts():
    if not (ROOT / ".git").exists():
        pytest.skip("a checkout is needed to know which files belong to the project")
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    found = {}
    for name in names:
        path = ROOT / name
        if not name or LEFT_OUT.match(name) or not path.is_file():
            continue
        try:
            found[name] = path.read_text()
        except UnicodeDecodeError:
            continue  # a picture or an array
    assert len(found) > 500
    return found


@pytest.mark.parametrize("words", INSTEAD)
def test_words_of_our_own_are_not_used(texts, words):
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(words, line, re.I)
    ]
    assert not found, f"write '{INSTEAD[words]}' instead:\n" + "\n".join(found)


@pytest.mark.parametrize("words", INSTEAD_FOR_USERS)
def test_users_read_the_terms_of_the_field(texts, words):
    read = {name: text for name, text in texts.items() if FOR_USERS.match(name)}
    assert len(read) > 100
    found = [f"{name}:{i}: {line.strip()[:100]}" for name, text in read.items() for i, line in enumerate(text.splitlines(), 1) if re.search(words, line, re.I)]
    assert not found, f"write '{INSTEAD_FOR_USERS[words]}' instead:\n" + "\n".join(found)


def test_terms_that_are_ours_are_defined_where_they_are_used(texts):
    """A jump is a jump of the uniformized chain; its docs say so, and name the method."""
    assert re.search(r"uniformiz", texts["docs/methods/heat_kernel.md"]) and "jumps of the uniformized chain" in texts["docs/methods/heat_kernel.md"]
    assert "A jump takes 1 / the median diagonal of L" in texts["include/geotherm/heat.hpp"]
    assert "a jump: 1 / the" in texts["docs/methods/shortcuts.md"]
