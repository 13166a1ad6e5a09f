"""Tests device="gpu": the reason if there is no device, and arrays in the memory of a device."""

import ctypes

import graze
import numpy as np
import pytest
from graze import _core


class CudaArray:
    """An object with __cuda_array_interface__ whose memory is not owned."""

    def __init__(self, **changes):
        self.__cuda_array_interface__ = {
            "shape": (4, 3), "typestr": "<f8", "data": (0x1000, True), "version": 3, "strides": None,
            "stream": None, **changes,
        }  # fmt: skip


def test_an_array_of_the_device_is_used_where_it_lies():
    assert _core.device_array(CudaArray()) == (0x1000, 4, -1, 0)
    assert _core.device_array(CudaArray(strides=(24, 8), stream=1)) == (0x1000, 4, -1, 1)
    assert _core.device_array(np.zeros((4, 3))) is None
    assert _core.device_array([[1, 2, 3]]) is None


@pytest.mark.parametrize(
    "changes, error, words",
    [
        ({"typestr": "<f4"}, TypeError, "x: expected float64 in memory of the GPU, got <f4"),
        ({"shape": (4, 2)}, ValueError, r"x: expected shape \(n, 3\)"),
        ({"shape": (12,)}, ValueError, r"x: expected shape \(n, 3\)"),
        ({"strides": (8, 32)}, ValueError, "x: expected rows that follow each other"),
    ],
)
def test_other_arrays_of_the_device_are_refused(changes, error, words):
    with pytest.raises(error, match=words):
        _core.device_array(CudaArray(**changes))


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]  # fmt: skip


class DlpackArray:
    """An object with DLPack whose memory is not owned."""

    def __init__(self, shape=(4, 3), strides=None, bits=64, device=(2, 1), data=0x2000):
        self.deleted = 0
        self.device = device
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * 2)(*strides) if strides else None

        def delete(_):
            self.deleted += 1

        self.tensor = Tensor(
            data, device[0], device[1], len(shape), 2, bits, 1, self.shape, self.strides, 8, None,
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(delete),
        )  # fmt: skip

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        assert stream == 1
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


def test_a_tensor_of_dlpack_is_used_where_it_lies_and_released():
    array = DlpackArray(strides=(3, 1))
    assert _core.device_array(array) == (0x2008, 4, 1, 1)
    assert array.deleted == 1
    assert _core.device_array(DlpackArray(device=(1, 0))) is None  # memory of the host
    for wrong in (DlpackArray(bits=32), DlpackArray(shape=(12,)), DlpackArray(strides=(1, 4))):
        with pytest.raises((TypeError, ValueError), match="memory of the GPU"):
            _core.device_array(wrong)
        assert wrong.deleted == 1


def test_the_answers_are_those_of_the_cpu_or_the_reason_is_given(step):
    faces, x0, x1 = step
    expected = graze.earliest_impact(faces, x0, x1)
    search = graze.StepSearch(faces, len(x0), device="auto")
    found = search.earliest_impact(x0, x1)
    assert (found.toi, found.pair, found.kind) == (expected.toi, expected.pair, expected.kind)
    assert (search.device == "cpu") == bool(search.device_reason)
    hits = search.all_impacts(x0, x1)
    assert hits["toi"].tolist() == graze.all_impacts(faces, x0, x1)["toi"].tolist()
    free = [graze.collision_free_stepsize(faces, x0, x1, min_separation=d) for d in (0, 1e-3)]
    assert [search.collision_free_stepsize(x0, x1, min_separation=d) for d in (0, 1e-3)] == free
    assert 0 < free[1] < free[0] < 1
    pairs = graze.find_pairs(faces, x0, x1)
    assert search.find_pairs(x0, x1).vertex_face.tolist() == pairs.vertex_face.tolist()
    if search.device == "cpu":
        with pytest.raises(RuntimeError, match="device='gpu': no device: "):
            graze.StepSearch(faces, len(x0), device="gpu")
    else:
        gpu = graze.StepSearch(faces, len(x0), device="gpu")
        assert gpu.earliest_impact(x0, x1).toi == expected.toi
        assert gpu.collision_free_stepsize(x0, x1, min_separation=1e-3) == free[1]
        with pytest.raises(RuntimeError, match="unsupported: candidates"):
            gpu.candidates(x0, x1, 0.1)
    with pytest.raises(ValueError, match="device: expected 'auto', 'cpu' or 'gpu'"):
        graze.StepSearch(faces, len(x0), device="tpu")


class Driver:
    """Memory of the first GPU, by the CUDA driver alone."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        self.device, self.memory = device, []

    def call(self, name, *arguments):
        assert getattr(self.library, name)(*arguments) == 0, name

    def copy(self, rows):
        """Returns the address of a copy of the rows, 8 bytes after the begin of its memory."""
        size, address = rows.nbytes, ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size + 8))
        self.memory.append(address)
        to = address.value + 8
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(to), ctypes.c_void_p(rows.ctypes.data),
                  ctypes.c_size_t(size))  # fmt: skip
        return to

    def release(self):
        for address in self.memory:
            self.call("cuMemFree_v2", address)
        self.call("cuDevicePrimaryCtxRelease_v2", self.device)


@pytest.mark.parametrize("streams", [(None, None), (1, None), (1, 2)])
def test_positions_on_the_device_have_the_answers_of_the_host(cloth, streams):
    faces, x0, x1 = cloth
    reason = graze.StepSearch(faces, len(x0), device="auto").device_reason
    if reason:
        pytest.skip(reason)
    search = graze.StepSearch(faces, len(x0), device="gpu")
    driver = Driver()
    try:
        rows = [driver.copy(x) for x in (x0, x1)]
        by_interface = [
            CudaArray(shape=x0.shape, data=(address, True), stream=stream)
            for address, stream in zip(rows, streams)
        ]
        by_dlpack = [DlpackArray(x0.shape, device=(2, 0), data=address - 8) for address in rows]
        first, hits = graze.earliest_impact(faces, x0, x1), graze.all_impacts(faces, x0, x1)
        pairs = graze.find_pairs(faces, x0, x1)
        free = graze.collision_free_stepsize(faces, x0, x1)
        assert len(hits) > 100
        for positions in (by_interface, by_dlpack):
            found = search.earliest_impact(*positions)
            assert (found.toi, found.pair, found.kind) == (first.toi, first.pair, first.kind)
            assert search.all_impacts(*positions).tobytes() == hits.tobytes()
            assert search.collision_free_stepsize(*positions) == free
            assert search.find_pairs(*positions).edge_edge.tolist() == pairs.edge_edge.tolist()
        assert [array.deleted for array in by_dlpack] == [4, 4]
        with pytest.raises(ValueError, match="both in memory of the GPU or both in that of"):
            search.earliest_impact(by_interface[0], x1)
        with pytest.raises(ValueError, match="expected arrays of the GPU 0 of the search, got GPU 1"):
            search.earliest_impact(*[DlpackArray(x0.shape, data=rows[0] - 8)] * 2)
    finally:
        driver.release()
