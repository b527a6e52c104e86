"""Every file that the documents link to or name is there."""

import re

import pytest

from conftest import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/**/*.md"))]
# Made up on purpose, in the worked example of CONTRIBUTING.md.
EXAMPLES = {"src/metrics/silhouette.cpp", "src/metrics/silhouette_test.cpp"}
FOLDERS = "src|include|apps|tests|docs|bench|examples|scripts|cmake"


def without_code(text):
    return re.sub(r"```.*?```", "", text, flags=re.S)


def links_of(document):
    """Targets of relative links, without their anchors."""
    found = re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", without_code(document.read_text()))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def paths_of(document):
    """Paths from the root in `code`: with a folder in front; names with <module> or * in them stand for many."""
    found = re.findall(rf"`((?:{FOLDERS})/[^`\s]*)`", without_code(document.read_text()))
    return [path for path in found if not re.search(r"[<>*{}]", path) and path not in EXAMPLES]


def files_after_a_comma(document):
    """`src/module/a.cpp`, `b.cpp`: the second is in the folder of the first."""
    text = without_code(document.read_text())
    return re.findall(r"`(src/[\w/]+/)\w+\.cpp`,[^`|\n]*`(\w+\.cpp)`", text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_named_is_there(document):
    for target in links_of(document):
        assert (document.parent / target).exists(), target
    for path in paths_of(document):
        assert (ROOT / path).exists(), path
    for folder, name in files_after_a_comma(document):
        assert (ROOT / folder / name).exists(), folder + name


def test_the_search_finds_what_it_should():
    """A pattern that matches nothing would pass everywhere."""
    assert sum(len(links_of(d)) for d in DOCUMENTS) > 10
    assert sum(len(paths_of(d)) for d in DOCUMENTS) > 40
    assert sum(len(files_after_a_comma(d)) for d in DOCUMENTS) > 1


def test_every_header_is_in_the_architecture():
    text = (ROOT / "docs/architecture.md").read_text()
    for header in (ROOT / "include/geotherm").glob("*.hpp"):
        assert header.name in text, header.name


def test_every_source_is_in_the_common_frame():
    text = (ROOT / "docs/methods/common_frame.md").read_text()
    not_methods = re.compile(r"methods|input|method_options|options?_\w+|options|\w+_stage|check_map|\w+_test")
    for source in (ROOT / "src/methods").glob("*.cpp"):
        if not not_methods.fullmatch(source.stem):
            assert f"`src/methods/{source.name}`" in text, source.name


def anchors_of(document):
    """Of headings, as mkdocs and GitHub make them."""
    headings = re.findall(r"^#+ (.+)$", without_code(document.read_text()), re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "") for heading in headings]
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_anchor_is_a_heading(document):
    text = without_code(document.read_text())
    for target, anchor in re.findall(r"\]\(([^)\s#]*)#([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        page = (document.parent / target) if target else document
        if page.suffix == ".md":
            assert anchor in anchors_of(page), f"{target}#{anchor}"


def test_every_page_is_in_the_navigation_of_the_site():
    named = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    made = {f"reference/{name}.md" for name in ("cli", "python", "cpp")}  # scripts/site_hooks.py
    there = {str(path.relative_to(ROOT / "docs")) for path in ROOT.glob("docs/**/*.md")}
    assert named - made == there, (named - made) ^ there


@pytest.mark.parametrize("name", ["heat_geodesic", "heat_kernel", "graphs", "landmarks", "new_points", "phate", "spectral", "layouts", "mds", "refinement", "shortcuts", "trajectories"])
def test_a_method_page_says_idea_options_cost_use_and_references(name):
    text = (ROOT / f"docs/methods/{name}.md").read_text()
    for part in ("**Idea.**", "| options |", "| cost |", "| use it when |", "| use another when |", "## References"):
        assert part in text, part
