"""--device: what a build for the CPU alone says, and that auto goes on without a GPU."""

import shutil

import pytest

pytestmark = pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a CUDA device")


@pytest.fixture
def roll(geotherm):
    geotherm("synth", "swiss-roll", "--n", 200, "--seed", 1, "-o", "roll.npz")
    return "roll.npz:X"


@pytest.mark.parametrize("more", [[], ["--estimate"]])
def test_cuda_without_a_device_is_refused_with_the_remedy(geotherm, roll, more):
    done = geotherm("embed", roll, "--device", "cuda", "-o", "map.npy", *more, code=2)
    assert "--device is cuda: " in done.stderr
    assert "-DGEOTHERM_WITH_CUDA=ON" in done.stderr or "no CUDA device was found" in done.stderr
    assert not (geotherm.dir / "map.npy").exists()


def test_auto_without_a_device_says_so_and_is_the_map_of_the_cpu(geotherm, roll):
    done = geotherm("embed", roll, "--device", "auto", "-o", "auto.npy")
    assert "device: cpu (" in done.stderr
    geotherm("embed", roll, "-o", "cpu.npy")
    assert (geotherm.dir / "auto.npy").read_bytes() == (geotherm.dir / "cpu.npy").read_bytes()


def test_other_names_and_methods_without_device_parts(geotherm, roll):
    done = geotherm("embed", roll, "--device", "gpu", "-o", "map.npy", code=2)
    assert "cuda" in done.stderr
    done = geotherm("embed", roll, "--method", "pca", "--device", "auto", "-o", "map.npy", code=2)
    assert "--device" in done.stderr
