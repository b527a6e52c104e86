"""Bad input and misuse: a clear message on stderr, the right exit code, no half-written output."""

import os
import struct

import numpy as np
import pytest


def refused(geotherm, code, *words, args):
    done = geotherm(*args, code=code)
    for word in words:
        assert word in done.stderr, done.stderr
    assert done.stdout == ""
    leftovers = [p.name for p in geotherm.dir.iterdir() if p.name.startswith("out") or ".tmp" in p.name]
    assert leftovers == []
    return done


def embed(name, *options):
    return ("embed", name, "-o", "out.npy", *options)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_bad_cell_is_named_by_row_and_column(geotherm, points, bad, dtype):
    points = points.astype(dtype)
    points[17, 2] = bad
    np.save(geotherm.dir / "in.npy", points)
    refused(geotherm, 1, "in.npy", "row 17", "column 2", args=embed("in.npy"))


def test_a_missing_value_in_a_csv_is_named_by_line_and_column(geotherm):
    (geotherm.dir / "in.csv").write_text("a,b\n1,2\n3,NA\n5,6\n")
    refused(geotherm, 1, "in.csv", "line 3", "column 2", args=embed("in.csv"))


@pytest.mark.parametrize("name", ["in.csv", "in.npy", "in.npz", "in.tsv"])
def test_an_empty_file(geotherm, name):
    (geotherm.dir / name).write_bytes(b"")
    refused(geotherm, 1, name, "empty", args=embed(name))


def test_a_header_without_rows(geotherm):
    (geotherm.dir / "in.csv").write_text("a,b,c\n")
    refused(geotherm, 1, "in.csv", args=embed("in.csv"))


def test_one_row(geotherm):
    (geotherm.dir / "in.csv").write_text("a,b,c\n1,2,3\n")
    refused(geotherm, 1, "1 row", "at least 2", args=embed("in.csv"))


def test_a_constant_column_is_no_obstacle(geotherm, points):
    np.save(geotherm.dir / "in.npy", np.c_[points, np.full(60, 7.0)])
    for options in ((), ("--pca", "auto"), ("--metric", "correlation")):
        geotherm(*embed("in.npy", *options))
        assert np.isfinite(np.load(geotherm.dir / "out.npy")).all()


def test_all_points_equal(geotherm):
    np.save(geotherm.dir / "in.npy", np.ones((30, 4)))
    geotherm(*embed("in.npy"))
    assert (np.load(geotherm.dir / "out.npy") == 0).all()


def test_a_ragged_csv_is_named_by_line(geotherm):
    (geotherm.dir / "in.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8\n")
    refused(geotherm, 1, "in.csv", "line 3", "2", "3", args=embed("in.csv"))


def test_text_in_a_number_column_is_named(geotherm):
    (geotherm.dir / "in.csv").write_text("a,b,c\n1,2,3\n4,five,6\n7,8,9\n")
    refused(geotherm, 1, "in.csv", "line 3", "column 2", "five", args=embed("in.csv"))


@pytest.mark.parametrize(
    "options,words",
    [
        (("--knn", 60), ("knn", "60")),
        (("--knn", 0), ("knn", "0")),
        (("--time", 0), ("time", "0")),
        (("--time", -3), ("time", "-3")),
        (("--time", "soon"), ("time", "soon")),
        (("--pca", "many"), ("pca", "many")),
        (("--pca", 99), ("pca", "99")),
        (("--n-components", 0), ("--n-components", "0")),
        (("--harnack", -1), ("harnack", "-1")),
        (("--denoise", 1.5), ("denoise", "1.5")),
        (("--kernel", "chebyshev", "--order", 0), ("order", "0")),
        (("--method", "magic"), ("--method", "magic")),
        (("--graph", "ring"), ("--graph", "ring")),
        (("--plot", "picture.docx"), ("--plot", ".svg")),
        (("--unknown",), ("--unknown",)),
    ],
)
def test_misuse_has_exit_code_two_and_names_the_option(geotherm, points, options, words):
    np.save(geotherm.dir / "in.npy", points)
    refused(geotherm, 2, *words, args=embed("in.npy", *options))


def test_missing_arguments_point_to_the_help(geotherm):
    refused(geotherm, 2, "--help", args=("embed",))
    refused(geotherm, 2, "--help", args=())


def test_a_missing_file_and_a_folder(geotherm):
    refused(geotherm, 1, "nothing.csv", args=embed("nothing.csv"))
    (geotherm.dir / "folder.csv").mkdir()
    refused(geotherm, 1, "folder.csv", args=embed("folder.csv"))


def test_an_unknown_ending_lists_what_is_read(geotherm):
    (geotherm.dir / "in.xls").write_text("1")
    refused(geotherm, 1, "in.xls", ".csv", ".npy", args=embed("in.xls"))


def test_an_unwritable_output(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    refused(geotherm, 1, "nowhere", args=("embed", "in.npy", "-o", "nowhere/out.npy"))


def test_a_read_only_folder(as_a_user, points):
    np.save(as_a_user.dir / "in.npy", points)
    (as_a_user.dir / "locked").mkdir(mode=0o500)
    refused(as_a_user, 1, "locked", args=("embed", "in.npy", "-o", "locked/out.npy"))


def test_a_small_file_that_claims_two_gigabytes(geotherm):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (16384, 16384), }"
    header += b" " * (117 - len(header)) + b"\n"
    (geotherm.dir / "in.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64
    )
    refused(geotherm, 1, "in.npy", "2,147,483,648", args=embed("in.npy"))


def test_an_npz_with_several_tables_lists_them(geotherm, points):
    np.savez(geotherm.dir / "in.npz", first=points, second=points[:, :2], label=np.arange(60))
    refused(geotherm, 1, "first", "second", "in.npz:", args=embed("in.npz"))
    refused(geotherm, 1, "third", "first", args=embed("in.npz:third"))
    geotherm(*embed("in.npz:second"))


def test_rows_from_beyond_the_table(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    refused(geotherm, 2, "60", args=("distances", "in.npy", "-o", "out.npy", "--from", "3,60"))


def test_score_of_different_numbers_of_points(geotherm, points):
    np.save(geotherm.dir / "truth.npy", np.zeros((60, 60)))
    np.save(geotherm.dir / "map.npy", points[:50])
    refused(geotherm, 1, "50", "60", args=("score", "--truth", "truth.npy", "--estimate", "map.npy"))


def test_a_distance_matrix_that_is_not_square(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    refused(geotherm, 1, "square", "60 x 3", args=embed("in.npy", "--metric", "precomputed"))
