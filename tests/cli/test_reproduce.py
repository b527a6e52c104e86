"""geotherm reproduce: a stopped run goes on where it was, parts make the whole, nothing is missing silently.

Data sets are made forty times smaller than the paper's, so that the numbers say nothing and runs take seconds.
"""

import html.parser
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

import pytest

from conftest import PROGRAM

SMALL = ("--quick", "--shrink", "40", "--threads", "1")
VOID = {"meta", "br", "img", "link", "hr"}


def files_of(folder):
    """Contents by name; what a killed process was about to write (.geotherm-PID-N) is no result."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".geotherm-")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def assert_same_files(one, other):
    a, b = files_of(one), files_of(other)
    assert sorted(a) == sorted(b)
    assert [name for name in a if a[name] != b[name]] == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of an undisturbed run of one experiment, without real data."""
    folder = tmp_path_factory.mktemp("whole")
    subprocess.run(
        [PROGRAM, "reproduce", "distances", *SMALL, "-o", folder / "results"],
        check=True, capture_output=True, env=without_data(),
    )  # fmt: skip
    return folder / "results"


def without_data():
    return {name: value for name, value in os.environ.items() if name != "GEOTHERM_DATA"}


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(whole, tmp_path):
    command = [PROGRAM, "reproduce", "distances", *SMALL, "-o", "results"]
    n_before = 0
    for way, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=without_data())
        while run.poll() is None and len(list(tmp_path.glob("results/cache/*.json"))) < n_before + 3:
            time.sleep(0.01)
        run.send_signal(way)
        words = run.communicate(timeout=60)[1]
        n_before = len(list(tmp_path.glob("results/cache/*.json")))
        assert run.returncode == code, words
        assert 0 < n_before < 30, "it was to be stopped in the middle"
    assert "goes on" in words
    # What Ctrl-C leaves is a report of what there is, and says what there is not.
    assert "not run" in (tmp_path / "results/results.md").read_text()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=without_data())
    assert f"{n_before} of them done before" in done.stderr
    assert_same_files(tmp_path / "results", whole)


def test_a_stopped_full_run_has_every_row_and_names_its_seeds(tmp_path):
    command = [PROGRAM, "reproduce", "distances", "--shrink", "40", "--threads", "1", "-o", "results"]
    run = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=without_data())
    first_pair = 45  # jobs: 15 data sets, each on two seeds by published methods and on one by ours
    while run.poll() is None and len(list(tmp_path.glob("results/cache/*.json"))) < first_pair:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    words = run.communicate(timeout=60)[1]
    assert run.returncode == 130, words
    text = (tmp_path / "results/results.md").read_text()
    for method, seeds in (
        ("Heat-Geo, plain", r"\(seeds: \d of 5 to choose, \d of 5 to report\)"),
        (r"\*\*Heat-Geo, our defaults\*\*", r"defaults \(seeds: \d of 5 to report\)"),
    ):
        rows = re.findall(rf"^\| [^|]* \| {method} \|.*$", text, re.M)
        assert len(rows) == 2 * 15, "correlations and norms of every data set"
        for row in rows:
            assert "not run" not in row and re.search(seeds, row), row


def test_parts_make_the_whole(whole, geotherm):
    for part in ("2/3", "1/3", "3/3"):
        geotherm("reproduce", "distances", *SMALL[:-1], "2", "--part", part, "-o", "results", "--data", geotherm.dir)
    assert_same_files(geotherm.dir / "results", whole)
    for wrong in ("0/3", "4/3", "1", "a/b", "1/3x"):
        assert "--part is" in geotherm("reproduce", "distances", "--part", wrong, code=2).stderr


def test_a_finished_run_is_not_repeated(whole, geotherm):
    # A file of the cache that is broken counts as one that is not there.
    for name, content in files_of(whole).items():
        (geotherm.dir / "results" / name).parent.mkdir(parents=True, exist_ok=True)
        (geotherm.dir / "results" / name).write_bytes(content)
    broken = sorted(geotherm.dir.glob("results/cache/*.json"))[0]
    broken.write_text('{"key": {}, "result"')
    done = geotherm("reproduce", "distances", *SMALL)
    assert "1 jobs run, 44 were there" in done.stderr
    assert_same_files(geotherm.dir / "results", whole)


def test_what_our_defaults_decide_is_kept_apart_from_published_methods(whole):
    # Other defaults are another key: they must not make the published methods run again.
    for file in sorted((whole / "cache").glob("*.json")):
        stored = json.loads(file.read_text())
        is_ours = {method.startswith("geotherm") for method in stored["result"]}
        assert is_ours == {"defaults" in stored["key"]}, stored["key"]["label"]


class Balanced(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert name not in ("src", "href") or value.startswith("#"), "the page is to stand alone"

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"


def test_the_page_is_whole_and_every_row_has_paper_ours_and_difference(whole):
    page = Balanced()
    page.feed((whole / "index.html").read_text())
    assert page.open == [] and "svg" in page.seen and "script" not in page.seen
    for picture in whole.glob("*.svg"):
        assert xml.etree.ElementTree.parse(picture).getroot().tag.endswith("svg")
    text = (whole / "results.md").read_text()
    assert "Experiments that were not run: `embeddings`" in text
    rows = [line for line in text.splitlines() if line.startswith("| Swiss roll, noise 0.1 | Heat-Geo, plain |")]
    assert "0.992 ± 0.003" in rows[0]
    ours = [float(cell) for cell in re.findall(r"\| (0\.\d{3}) \| [+-]", rows[0])]
    assert len(ours) == 2 and all(0 < value < 1 for value in ours)
    paper, difference = 0.992, float(re.findall(r"\| ([+-]\d\.\d{3})", rows[0])[0])
    assert abs(ours[0] - paper - difference) < 0.0011  # three numbers of three digits
    for picture in re.findall(r"\]\((.*?\.svg)\)", text):
        assert (whole / picture).exists()


def test_rows_without_data_say_so_and_broken_data_is_told_in_safe_words(geotherm):
    folder = geotherm.dir / "a<script>&b"
    folder.mkdir()
    run = ("reproduce", "clustering", "--quick", "--shrink", "40", "--part", "1/1000", "--data", folder)
    geotherm(*run)
    text = (geotherm.dir / "results/results.md").read_text()
    assert text.count("no data: pbmc3k\\_processed\\_pca50\\_small.npz is not in the data folder") == 7
    (folder / "pbmc3k_processed_pca50_small.npz").write_bytes(b"not an archive")
    failed = geotherm(*run, code=1)
    assert "failed" in failed.stderr
    page = (geotherm.dir / "results/index.html").read_text()
    assert "failed: " in page and "a&lt;script&gt;&amp;b" in page
    assert "<script" not in page


def test_without_a_name_it_lists_what_there_is(geotherm):
    listed = geotherm("reproduce").stdout
    for name in ("distances", "embeddings", "clustering"):
        assert re.search(rf"^{name} +\d+ +0 ", listed, re.M)
    assert not (geotherm.dir / "results").exists()
    refused = geotherm("reproduce", "distance", code=2)
    assert "there is no experiment 'distance'" in refused.stderr and "distances" in refused.stderr
    assert "does not exist" in geotherm("reproduce", "all", "--data", "nowhere", code=2).stderr
