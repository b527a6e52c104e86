"""device= in Python: the words of the table, and arrays that lie in a GPU's memory."""

import shutil

import numpy as np
import pytest

import geotherm


@pytest.fixture
def points():
    return np.random.default_rng(3).normal(size=(120, 4)).astype(np.float32)


class OnDevice:
    """As CuPy's arrays look from outside: the interface, and a copy to the host."""

    __cuda_array_interface__ = {"version": 3}

    def __init__(self, values):
        self.values = values
        self.shape = values.shape
        self.n_copies = 0

    def get(self):
        self.n_copies += 1
        return self.values

    def __array__(self, *args, **kwargs):
        raise TypeError("implicit conversion to a host array is not allowed")


def test_arrays_on_a_device_are_copied_once(points):
    there = OnDevice(points)
    found = geotherm.HeatGeo(random_state=1).fit_transform(there)
    assert there.n_copies == 1
    assert (found == geotherm.HeatGeo(random_state=1).fit_transform(points)).all()


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a CUDA device")
def test_without_a_device_cuda_is_refused_and_auto_is_the_cpu(points):
    with pytest.raises(ValueError, match="GEOTHERM_WITH_CUDA=ON|no CUDA device was found"):
        geotherm.HeatGeo(device="cuda").fit_transform(points)
    found = geotherm.HeatGeo(device="auto", random_state=1).fit_transform(points)
    assert (found == geotherm.HeatGeo(random_state=1).fit_transform(points)).all()
