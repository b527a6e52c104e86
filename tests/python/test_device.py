"""device= in Python: the words of the table, and arrays that lie in a GPU's memory."""

import shutil
import sys

import numpy as np
import pytest

import geotherm
from geotherm._input import as_points, points_there


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


class Address:
    """A table at an address of a GPU, by the CUDA array interface; nothing here reads it."""

    def __init__(self, shape=(7, 3), typestr="<f4", strides=None):
        self.shape = shape
        self.__cuda_array_interface__ = {
            "version": 3, "shape": shape, "typestr": typestr, "strides": strides, "data": (4096, False),
        }


def test_tables_in_c_order_are_taken_by_their_address():
    for given in (Address(), Address(typestr="<f8"), Address(strides=(12, 4)), Address(typestr="<f8", strides=(24, 8))):
        assert points_there(given).n_points == 7
    other = (Address(typestr="<f2"), Address(typestr=">f8"), Address(strides=(4, 28)), Address(shape=(7,)), np.zeros((7, 3)))
    for given in other:
        assert points_there(given) is None


def test_a_table_at_an_address_is_read_by_a_build_with_cuda_alone(monkeypatch):
    monkeypatch.setattr(geotherm._native, "has_cuda_device", lambda: True)
    if shutil.which("nvidia-smi") is None:
        with pytest.raises(ValueError, match="no CUDA device was found|GEOTHERM_WITH_CUDA=ON"):
            geotherm.HeatGeo(device="cuda").fit(Address())


def test_maps_are_given_back_in_the_library_of_the_input(points, monkeypatch):
    class Place:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            return False

    class Cupy:
        ndarray = OnDevice

        @staticmethod
        def asarray(values):
            return OnDevice(values)

    monkeypatch.setitem(sys.modules, "cupy", Cupy)
    monkeypatch.setattr(OnDevice, "device", Place(), raising=False)
    on_host = geotherm.HeatGeo(random_state=1).fit(points)
    estimator = geotherm.HeatGeo(random_state=1)
    found = estimator.fit_transform(OnDevice(points))
    assert isinstance(found, OnDevice)
    assert (found.values == on_host.embedding_).all()
    assert isinstance(estimator.embedding_, np.ndarray)
    placed = estimator.transform(OnDevice(points[:5]))
    assert isinstance(placed, OnDevice)
    assert (placed.values == on_host.embedding_[:5]).all()


class Tensor:
    """A tensor in the host's memory as other libraries have them: DLPack, and no conversion by NumPy."""

    def __init__(self, values):
        self.values = values
        self.shape = values.shape
        self.n_taken = 0

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __dlpack__(self, **options):
        self.n_taken += 1
        return self.values.__dlpack__(**options)

    def __array__(self, *args, **kwargs):
        raise TypeError("this would be a copy")


def test_tensors_of_the_host_are_taken_without_a_copy(points):
    assert np.shares_memory(as_points(Tensor(points)), points)
    found = geotherm.HeatGeo(random_state=1).fit_transform(Tensor(points))
    assert isinstance(found, np.ndarray)
    assert (found == geotherm.HeatGeo(random_state=1).fit_transform(points)).all()


def test_arrays_that_may_not_be_written_are_taken_without_a_copy(points):
    points.flags.writeable = False
    assert np.shares_memory(as_points(points), points)
    geotherm.HeatGeo(random_state=1).fit(points)


def test_torch_tensors_are_taken_without_a_copy(points):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(points.copy()).requires_grad_()
    assert as_points(tensor).ctypes.data == tensor.data_ptr()
    found = geotherm.HeatGeo(random_state=1).fit_transform(tensor)
    assert isinstance(found, np.ndarray)


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there may be a CUDA device")
def test_without_a_device_cuda_is_refused_and_auto_is_the_cpu(points):
    with pytest.raises(ValueError, match="GEOTHERM_WITH_CUDA=ON|no CUDA device was found"):
        geotherm.HeatGeo(device="cuda").fit_transform(points)
    found = geotherm.HeatGeo(device="auto", random_state=1).fit_transform(points)
    assert (found == geotherm.HeatGeo(random_state=1).fit_transform(points)).all()
