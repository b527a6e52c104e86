"""Writes what the fuzzers start from: FOLDER/<target>/* and FOLDER/<target>.dict.

seeds.py FOLDER PROGRAM; the reference files of tests/reference/io, small files made by NumPy and by
the program, and trees in the language of hdf5_tree.cpp.
"""

import gzip
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

REFERENCE = Path(__file__).resolve().parents[1] / "reference" / "io"
REGRESSIONS = Path(__file__).resolve().parent / "regressions"


def csv() -> dict[str, bytes]:
    tables = {
        "plain": "x1,x2,x3\n1,2,3\n4,5.5,6e-3\n-7,8,inf\n",
        "named": 'id,x1,x2\na,1.5,2\n"b,""c",3,-4e-3\n"d\ne",5,6\n',
        "labels": "id,x1,x2,label\na,1,2,red\nb,3,4,blue\nc,5,6,red\nd,7,8,blue\n",
        "bare": "1\t2\n3\t4\n5\t6.25\n",
        "blanks": "# x y z\n1 2 3\r\n4 5 6\r\n+7 8e1 inf\n",
        "semicolons": "a;b\n1,5;2,5\n3,5;4,5\n",
        "missing": "x1,x2\n1,NA\n,3\n",
        "unicode": "\ufeffx1,x2\n1,2\n3,4\n",
        "empty": "",
    }
    seeds = {}
    for name, text in tables.items():
        for choice in (0, 1, 2, 4, 8):
            seeds[f"{name}-{choice}"] = bytes([choice]) + text.encode()
    seeds["packed"] = b"\x03" + gzip.compress(tables["plain"].encode(), mtime=0)
    for file in ("labelled.tsv", "labelled.csv.gz"):
        seeds[file] = bytes([3 if file.endswith("gz") else 1]) + (REFERENCE / file).read_bytes()
    return seeds


def saved(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def npy() -> dict[str, bytes]:
    seeds = {}
    for dtype in ("<f8", ">f8", "<f4", "<f2", "<i8", "<i4", ">i2", "<u8", "|u1", "|b1"):
        array = np.arange(12).reshape(4, 3).astype(dtype)
        seeds[dtype[1:] + ("-big" if dtype[0] == ">" else "")] = saved(array)
    seeds["fortran"] = saved(np.asfortranarray(np.arange(12.0).reshape(4, 3)))
    seeds["row"] = saved(np.arange(5.0))
    seeds["scalar"] = saved(np.float64(3))
    seeds["cube"] = saved(np.zeros((2, 3, 4)))
    seeds["text"] = saved(np.array(["a", "bc"]))
    seeds["objects"] = (
        b"\x93NUMPY\x01\x00"
        + b"F\x00"
        + (b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }".ljust(69) + b"\n")
    )
    seeds["huge"] = (
        b"\x93NUMPY\x01\x00"
        + b"\x76\x00"
        + (b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 3), }".ljust(117) + b"\n")
    )
    return seeds


def npz() -> dict[str, bytes]:
    seeds = {}
    for name, save in (("plain", np.savez), ("packed", np.savez_compressed)):
        out = io.BytesIO()
        save(out, X=np.arange(12.0).reshape(4, 3), label=np.array(["a", "bc", "d", "e"]), t=np.arange(4))
        seeds[name] = out.getvalue()
    out = io.BytesIO()
    np.savez(out, np.arange(6, dtype="<f4").reshape(2, 3))
    seeds["one"] = out.getvalue()
    return seeds


def mtx() -> dict[str, bytes]:
    seeds = {file.name: file.read_bytes() for file in REFERENCE.glob("*.mtx")}
    matrix = b"%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 5\n2 2 1\n3 1 2\n"
    features = b"g1\tA\tGene Expression\ng2\tB\tAntibody Capture\ng3\tC\tGene Expression\n"
    seeds["tenx"] = matrix + b"\x1eAAA-1\nCCC-1\n\x1e" + features
    seeds["tenx-old"] = matrix + b"\x1eAAA\nCCC\n\x1eg1\tA\ng2\tB\ng3\tC\n"
    seeds["packed"] = gzip.compress(matrix, mtime=0)
    seeds["huge"] = b"%%MatrixMarket matrix coordinate real general\n1000000000000 1000000000000 1\n1 1 1\n"
    seeds["huge-array"] = b"%%MatrixMarket matrix array real general\n1000000000000 1000000000000\n1\n"
    return seeds


def mat() -> dict[str, bytes]:
    return {name: (REFERENCE / name).read_bytes() for name in ("plain.mat", "packed.mat")}


def fcs_file(kind: str, bits: int, events: np.ndarray, order: str = "1,2,3,4") -> bytes:
    n, p = events.shape
    words = {"$PAR": p, "$TOT": n, "$DATATYPE": kind, "$BYTEORD": order, "$MODE": "L", "$NEXTDATA": 0}
    for j in range(1, p + 1):
        words |= {f"$P{j}B": bits, f"$P{j}N": f"FL{j}", f"$P{j}S": f"CD{j}", f"$P{j}R": 1024, f"$P{j}E": "0,0"}
    text = "/" + "".join(f"{key}/{value}/" for key, value in words.items())
    data = events.tobytes()
    begin = 58 + len(text)
    head = f"FCS3.1    {58:8d}{begin - 1:8d}{begin:8d}{begin + len(data) - 1:8d}{0:8d}{0:8d}"
    return head.encode() + text.encode() + data


def fcs() -> dict[str, bytes]:
    events = np.arange(6).reshape(3, 2)
    return {
        "reference": (REFERENCE / "flow.fcs").read_bytes(),
        "float": fcs_file("F", 32, events.astype("<f4")),
        "double": fcs_file("D", 64, events.astype(">f8"), "4,3,2,1"),
        "short": fcs_file("I", 16, events.astype("<u2")),
    }


PLACES, WORDS = (
    re.findall(r'"([^"]*)"', block)
    for block in re.findall(
        r"constexpr std::array (?:places|words) = \{(.*?)\};",
        (Path(__file__).resolve().parent / "hdf5_tree.cpp").read_text(),
        re.DOTALL,
    )
)


class Tree:
    """Builds descriptions for hdf5_tree.cpp."""

    def __init__(self, choice: int):
        self.bytes = bytes([choice])

    def step(self, letter: str, place: str, *rest: int | bytes):
        tail = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in rest)
        self.bytes += letter.encode() + bytes([PLACES.index(place)]) + tail
        return self

    def numbers(self, place: str, kind: int, array: np.ndarray, packing: int = 0):
        data = array.tobytes()
        return self.step("d", place, kind, array.ndim, bytes(array.shape), packing, len(data), data)

    @staticmethod
    def text(value: str) -> bytes:
        if value in WORDS:
            return bytes([WORDS.index(value)])
        return bytes([128 + len(value)]) + value.encode()

    def texts(self, place: str, values: list[str], width: int = 0):
        return self.step("s", place, width, len(values), b"".join(map(self.text, values)))

    def attribute(self, place: str, name: str, value):
        if isinstance(value[0], str):
            return self.step("t", place, self.text(name), len(value), b"".join(map(self.text, value)))
        return self.step("a", place, self.text(name), len(value), bytes(value))

    def frame(self, name: str, names: list[str], columns: list[str] = ()):
        self.step("g", name).attribute(name, "_index", ["_index"]).texts(f"{name}/_index", names)
        return self.attribute(name, "column-order", list(columns)) if columns else self

    def sparse(self, place: str, encoding: str, shape: tuple[int, int], index=np.int32, packing=0):
        self.step("g", place).attribute(place, "encoding-type", [encoding]).attribute(place, "shape", shape)
        self.numbers(f"{place}/data", 0, np.array([1, 2, 3], "<f4"), packing)
        self.numbers(f"{place}/indices", 2 if index == np.int32 else 3, np.array([0, 1, 0], index))
        return self.numbers(f"{place}/indptr", 3, np.array([0, 1, 2, 3, 3][: shape[0] + 1], "<i8"))


def hdf5() -> dict[str, bytes]:
    seeds = {file.name: file.read_bytes() for file in REFERENCE.glob("*.h5*") if file.stat().st_size < 60000}
    cells, genes = ["a", "b", "c", "d"], ["g1", "g2"]
    dense = Tree(0).frame("obs", cells, ["cell_type"]).frame("var", genes)
    dense.step("g", "obs/cell_type").numbers("obs/cell_type/codes", 4, np.array([0, 1, 0, 1], "i1"))
    dense.texts("obs/cell_type/categories", ["a", "b"]).numbers("X", 1, np.arange(8.0).reshape(4, 2), 2)
    seeds["tree-dense"] = dense.bytes
    pca = Tree(8).frame("obs", cells, ["cell_type"]).texts("obs/cell_type", ["a", "b", "a", "c"], 3)
    pca.numbers("obsm/X_pca", 0, np.arange(8, dtype="<f4").reshape(4, 2), 3)
    seeds["tree-pca"] = pca.bytes
    old = Tree(1).frame("obs", cells, ["cell_type"]).numbers("obs/cell_type", 4, np.array([0, 1, 1, 0], "i1"))
    old.texts("obs/__categories/cell_type", ["a", "b"]).sparse("X", "csr_matrix", (4, 2))
    seeds["tree-csr"] = old.bytes
    csc = Tree(3).frame("obs", ["a", "b"]).frame("var", cells).sparse("layers/counts", "csc_matrix", (2, 4), np.int64)
    seeds["tree-csc"] = csc.bytes
    raw = (
        Tree(2).frame("raw/var", genes).sparse("raw/X", "csr_matrix", (4, 2), packing=2).frame("obs", cells, ["score"])
    )
    raw.step("g", "obs/score").numbers("obs/score/values", 3, np.arange(4, dtype="<i8"))
    seeds["tree-raw"] = raw.step("b", "obs/score/mask", 4, bytes([0, 1, 0, 0])).bytes
    seeds["tree-graph"] = Tree(4).sparse("obsp/connectivities", "csr_matrix", (4, 4)).step("g", "obs").bytes
    for name, group, id_, title in (
        ("v3", "matrix", "features/id", "features/name"),
        ("v2", "hg19", "genes", "gene_names"),
    ):
        tenx = Tree(0).step("g", group).texts(f"{group}/barcodes", cells, 8)
        tenx.numbers(f"{group}/data", 2, np.array([1, 2, 3], "<i4"), 2).numbers(
            f"{group}/indices", 3, np.array([0, 1, 0])
        )
        tenx.numbers(f"{group}/indptr", 3, np.array([0, 1, 2, 3, 3])).numbers(
            f"{group}/shape", 2, np.array([2, 4], "<i4")
        )
        tenx.texts(f"{group}/{id_}", genes).texts(f"{group}/{title}", genes)
        if name == "v3":
            tenx.texts("matrix/features/feature_type", ["Gene Expression", "Antibody Capture"])
        seeds[f"tree-tenx-{name}"] = tenx.bytes
    mudata = Tree(0).frame("mod/rna/obs", cells).frame("mod/rna/var", genes)
    mudata.numbers("mod/rna/X", 1, np.arange(8.0).reshape(4, 2)).numbers("mod/rna/obsm/X_pca", 0, np.ones((4, 2), "<f4"))
    mudata.frame("mod/prot/obs", cells[::-1]).sparse("mod/prot/X", "csr_matrix", (4, 2))
    seeds["tree-mudata"] = mudata.attribute("mod", "mod-order", ["rna", "prot"]).bytes
    seeds["tree-mudata-links"] = Tree(1).step("g", "mod").step("l", "mod/rna", PLACES.index("mod")).bytes
    # Claims of 2^40 values that nothing stands behind, and links that lead nowhere or in a circle.
    seeds["tree-claim"] = Tree(1).step("d", "X", 1, 2, 240, 3, 0, 0).bytes
    seeds["tree-links"] = Tree(1).step("l", "X", PLACES.index("obs")).step("l", "obs", PLACES.index("X")).bytes
    return seeds


def model(program: str) -> dict[str, bytes]:
    seeds = {}
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "a.csv"
        rng = np.random.default_rng(0)
        np.savetxt(table, rng.normal(size=(14, 3)), delimiter=",", fmt="%.6g")
        for name, options in {
            "heatgeo": ["--knn", "4"],
            "pca": ["--method", "pca"],
            "reduced": ["--method", "phate", "--knn", "4", "--pca", "2"],
            "cosine": ["--method", "umap", "--metric", "cosine", "--knn", "4"],
        }.items():
            kept = Path(folder) / f"{name}.gtm"
            command = [program, "embed", str(table), "-o", f"{folder}/m.csv", "--model", str(kept), "--quiet"]
            subprocess.run(command + options, check=True, capture_output=True)
            seeds[name] = kept.read_bytes()
            # The same without the long description, whose bytes the fuzzer would waste time on.
            with np.load(kept) as arrays:
                short = {key: np.array("") if key == "description" else arrays[key] for key in arrays}
            out = io.BytesIO()
            np.savez(out, **{k: v for k, v in short.items() if not k.startswith("resolved")})
            seeds[f"{name}-short"] = out.getvalue()
    return seeds


def options_in_help(program: str, command: str) -> list[str]:
    text = subprocess.run([program, command, "--help"], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"--[a-z][a-z0-9-]+", text)))


def options(program: str) -> dict[str, bytes]:
    lines = [
        "embed in.csv -o out.csv --method phate --knn 5 --time auto --seed 3 --threads 2",
        "embed in.csv --pca 20 --shortcuts 0.1 --rates lengths --landmarks 100 --max-memory 1.5GiB",
        "embed in.csv --compare umap,tsne --html a.html --time knee --kernel chebyshev --order 30",
        "embed in.csv --mds sgd --mds-weights heat --n-components 3 --max-iterations 10",
        "distances in.csv -o d.npy --harnack 0.5 --kernel-floor 1e-9 --max-distance 4",
        "transform model.gtm in.csv -o new.csv",
        "synth swiss-roll --noise 0.5 -o roll.npz -n 200",
        "score --truth roll.npz --estimate map.csv",
        "view map.csv --html a.html",
        "methods run.json",
        "completion bash",
        "manual",
        "--version",
        "embed --help",
    ]
    seeds = {f"line-{i}": line.replace(" ", "\n").encode() for i, line in enumerate(lines)}
    for command in ("embed", "distances", "synth", "score", "view"):
        for option in options_in_help(program, command):
            seeds[f"{command}{option}"] = f"{command}\nin.csv\n{option}\n1".encode()
    return seeds


DICTIONARIES = {
    "csv": ["inf", "NaN", "NA", "1e308", "-0", '"', '""', ",", ";", "\t", "\r\n", "label", "x1", "\x1f\x8b", "#"],
    "npy": ["'descr': '<f8'", "'fortran_order': True", "'shape': (", "<f4", ">i8", "|b1", "<U2", "|O", "(0,)"],
    "npz": ["PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "PK\x06\x07", "PK\x07\x08", "X.npy", "\x01\x00"],
    "mtx": [
        "%%MatrixMarket matrix ",
        "coordinate",
        "array",
        "pattern",
        "symmetric",
        "skew-symmetric",
        "integer",
        "%",
        "\x1e",
    ],
    "fcs": [
        "FCS2.0",
        "$PAR",
        "$TOT",
        "$BEGINDATA",
        "$ENDDATA",
        "$BYTEORD",
        "$DATATYPE",
        "$P1B",
        "$P1R",
        "$P1N",
        "4,3,2,1",
    ],
    "mat": ["MATLAB 5.0", "IM", "MI", "data", "\x0e", "\x0f", "\x06", "\x09"],
    "hdf5": ["\x89HDF", "TREE", "SNOD", "HEAP", "GCOL", "OHDR", "FRHP", "\xff\xff\xff\xff\xff\xff\xff\xff"],
    "model": ["format_version", "checksum", "n_neighbors", "coordinates.npy", "keys.npy", "points.npy", "rotation"],
    "options": ["auto", "none", "1e999", "-1", "nan", "--", "=", "@", "4GB", "18446744073709551616", "\xff"],
}


def main():
    folder, program = Path(sys.argv[1]), sys.argv[2]
    made = {
        "csv": csv(), "npy": npy(), "npz": npz(), "mtx": mtx(), "fcs": fcs(), "mat": mat(), "hdf5": hdf5(),
        "model": model(program), "options": options(program),
    }  # fmt: skip
    for target, seeds in made.items():
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / target / name).write_bytes(content)
        for file in (REGRESSIONS / target).glob("*"):
            (folder / target / file.name).write_bytes(file.read_bytes())
        words = DICTIONARIES[target]
        if target == "options":
            words = words + options_in_help(program, "embed")
        quoted = ("".join(c if c.isascii() and c.isalnum() else f"\\x{ord(c):02x}" for c in word) for word in words)
        (folder / f"{target}.dict").write_text("".join(f'"{word}"\n' for word in quoted))


if __name__ == "__main__":
    main()
