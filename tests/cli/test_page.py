"""The HTML page: what is in the file, and what is refused. The page itself is tested in a browser (viewer/test)."""

import base64
import html.parser
import json
import re
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest


def head_of(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', text, re.S).group(1))


def block_of(path, ref):
    text = path.read_text(encoding="utf-8")
    found = re.search(rf'id="block-{ref["block"]}">([^<]*)</script>', text).group(1)
    raw = zlib.decompress(base64.b64decode(found))
    if ref["type"] == "text":
        return raw.decode().split("\n")
    return np.frombuffer(raw, {"u8": "<u1", "u16": "<u2", "u32": "<u4", "f32": "<f4"}[ref["type"]])


@pytest.fixture
def data(geotherm):
    geotherm("synth", "swiss-roll", "--n", 200, "--seed", 1, "-o", "roll.npz")
    return "roll.npz"


def test_a_page_holds_every_map_its_columns_and_the_graph(geotherm, data):
    geotherm(
        "embed",
        "roll.npz:X",
        "-o",
        "map.csv",
        "--html",
        "map.html",
        "--compare",
        "pca,tsne",
        "--title",
        "Roll",
        "--color",
        "t",
    )
    path = geotherm.dir / "map.html"
    head = head_of(path)
    assert [panel["name"] for panel in head["panels"]] == ["HeatGeo", "PCA", "t-SNE"]
    assert head["n"] == head["total"] == 200 and head["title"] == "Roll" and head["color"] == "t"
    names = [column["name"] for column in head["columns"]]
    assert {"t", "label", "distortion"} <= set(names)
    assert sum(name == "distortion" for name in names) == 3
    t = next(column for column in head["columns"] if column["name"] == "t")
    assert np.allclose(block_of(path, t["values"]), np.load(geotherm.dir / "roll.npz")["t"], rtol=1e-6)

    # 16 bits per axis: the map to 1e-5 of its extent.
    panel = head["panels"][0]
    places = block_of(path, panel["coords"]).reshape(2, 200).T / 65535 * panel["extent"] + panel["low"]
    table = np.loadtxt(geotherm.dir / "map.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    assert np.abs(places - table).max() < 1.01e-5 * panel["extent"]
    assert head["graph"]["places"] == 200 and head["entropy"]["chosen"] == pytest.approx(head["graph"]["time"])
    assert head["manifest"]["compared"][1]["method"] == "tsne"
    assert block_of(path, head["graph"]["counts"]).sum() == head["graph"]["targets"]["length"]


def test_a_page_of_a_method_without_heat_has_the_graph_all_the_same(geotherm, data):
    geotherm("embed", "roll.npz:X", "-o", "map.csv", "--method", "umap", "--html", "map.html")
    assert "graph" in head_of(geotherm.dir / "map.html")


def test_view_reads_maps_columns_and_features(geotherm):
    rng = np.random.default_rng(0)
    names = [f"cell {i}" for i in range(50)]
    lines = ["id,x1,x2"] + [f"{name},{a},{b}" for name, (a, b) in zip(names, rng.normal(size=(50, 2)))]
    (geotherm.dir / "map.csv").write_text("\n".join(lines))
    order = rng.permutation(50)
    kinds = ["B", 'T "x", y', "NK"]
    cells = ["name,kind,score,batch"] + [
        f'cell {i},"{kinds[i % 3].replace(chr(34), chr(34) * 2)}",{i / 7 if i else ""},{i % 4}' for i in order
    ]
    (geotherm.dir / "cells.csv").write_text("\n".join(cells))
    points = ["id,CD3D,LYZ"] + [f"{name},{i % 5 if i % 5 > 2 else 0},{i}" for i, name in enumerate(names)]
    (geotherm.dir / "data.csv").write_text("\n".join(points))
    geotherm(
        "view", "Mine=map.csv", "map.csv", "-o", "page.html", "--annotations", "cells.csv", "--points", "data.csv",
        "--features", "CD3D,LYZ", "--color", "kind", "--link", "Tree=tree.html",
    )  # fmt: skip
    path = geotherm.dir / "page.html"
    head = head_of(path)
    assert [panel["name"] for panel in head["panels"]] == ["Mine", "map"]
    columns = {column["name"]: column for column in head["columns"]}
    # Rows came in another order: they are matched by name.
    codes = block_of(path, columns["kind"]["codes"])
    assert [columns["kind"]["labels"][c] for c in codes[:3]] == kinds
    assert columns["kind"]["labels"] == sorted(kinds)
    score = block_of(path, columns["score"]["values"])
    assert np.isnan(score[0]) and score[7] == pytest.approx(1)
    assert columns["batch"]["kind"] == "category" and columns["batch"]["labels"] == ["0", "1", "2", "3"]
    assert columns["CD3D"]["kind"] == "sparse" and columns["LYZ"]["kind"] == "number"
    assert list(block_of(path, columns["CD3D"]["rows"])[:2]) == [3, 4]
    assert block_of(path, head["names"]) == names
    assert head["links"] == [{"title": "Tree", "file": "tree.html"}]


def test_names_from_the_data_are_no_markup(geotherm):
    nasty = "</script><script>alert(1)</script>\u2028<b>&"
    lines = ["id,x1,x2"] + [f"{nasty}{i},{i},{i * i}" for i in range(5)]
    (geotherm.dir / "map.csv").write_text("\n".join(lines), encoding="utf-8")
    geotherm("view", f"{nasty}=map.csv", "-o", "page.html", "--title", nasty)
    text = (geotherm.dir / "page.html").read_text(encoding="utf-8")
    assert "alert(1)<" not in text and "<b>" not in text and text.count("<script>") == 1
    assert head_of(geotherm.dir / "page.html")["title"] == nasty
    assert block_of(geotherm.dir / "page.html", head_of(geotherm.dir / "page.html")["names"])[3] == nasty + "3"


ATTACKS = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><svg onload=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "&lt;script&gt;&#x3C;b>",
    "line\u2028break\u2029and\u202ertl",
    "javascript:alert(1)",
    "\\u003c/script\\u003e \\",
    "__SCRIPT_HASH__ {{x}} ${x} `x`",
    "very long " * 2000,
]


class Tags(html.parser.HTMLParser):
    """The elements of a page with their attributes, without what is between them."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_no_text_of_the_data_becomes_markup_in_the_page_or_the_picture(geotherm, attack):
    """Names of rows, columns, labels, features and files, and the title: the elements stay the same."""

    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    def page_with(text, name):
        rows = range(12)
        points = [f"id,{quoted(text)},x2,x3"] + [f"{quoted(f'{text}{i}')},{i},{i % 5},{i % 3}" for i in rows]
        cells = [f"id,{quoted(f'{text} kind')},score"]
        cells += [f"{quoted(f'{text}{i}')},{quoted(text) if i % 2 else 'other'},{i}" for i in rows]
        (geotherm.dir / "points.csv").write_text("\n".join(points), encoding="utf-8")
        (geotherm.dir / "cells.csv").write_text("\n".join(cells), encoding="utf-8")
        link = text[:200].replace("=", "-") + "=tree.html"
        outputs = ["-o", "map.csv", "--html", f"{name}.html", "--plot", f"{name}.svg"]
        page = ["--title", text, "--annotations", "cells.csv", "--link", link]
        geotherm("embed", "points.csv", "--method", "pca", *outputs, *page)
        return geotherm.dir / f"{name}.html"

    harmless, attacked = page_with("plain", "a"), page_with(attack, "b")
    expected, found = (Tags(path.read_text(encoding="utf-8")).found for path in (harmless, attacked))
    assert found == expected
    head = head_of(attacked)
    assert head["title"] == attack
    columns = {column["name"]: column for column in head["columns"]}
    assert set(columns[f"{attack} kind"]["labels"]) == {attack, "other"}
    assert block_of(attacked, head["names"])[3] == f"{attack}3"
    elements = [
        sorted(element.tag for element in ElementTree.parse(geotherm.dir / name).iter()) for name in ("a.svg", "b.svg")
    ]
    assert set(elements[1]) <= set(elements[0])


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--html", "page.txt"], 2, "--html is 'page.txt'"),
        (["--compare", "umap"], 2, "give --html"),
        (["--html", "p.html", "--compare", "nothing"], 2, "nothing"),
        (["--html", "p.html", "--color", "size"], 2, "--color is 'size': the page has"),
        (["--html", "p.html", "--features", "CD3D"], 2, "no column 'CD3D'"),
        (["--html", "p.html", "--annotations", "absent.csv"], 1, "absent.csv: cannot be opened"),
        (["--html", "p.html", "--link", "Away=https://example.org"], 2, "a file beside the page"),
    ],
)
def test_what_a_page_cannot_show_is_refused(geotherm, data, args, code, words):
    assert words in geotherm("embed", "roll.npz:X", "-o", "map.csv", *args, code=code).stderr
    assert not (geotherm.dir / "p.html").exists()


def test_view_refuses_maps_of_different_points(geotherm):
    np.save(geotherm.dir / "a.npy", np.random.default_rng(0).normal(size=(5, 2)))
    np.save(geotherm.dir / "b.npy", np.random.default_rng(0).normal(size=(6, 2)))
    assert "the same points" in geotherm("view", "a.npy", "b.npy", "-o", "p.html", code=2).stderr
    assert "written as .html" in geotherm("view", "a.npy", "-o", "p.svg", code=2).stderr
