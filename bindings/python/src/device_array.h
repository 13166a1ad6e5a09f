#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "arrays.h"
#include "graze/gpu.h"

namespace graze::python {

// Positions in memory of a GPU, used where they lie: an object that has __cuda_array_interface__
// (CuPy, Numba, PyTorch) or __dlpack__ with a CUDA device (these, JAX). Keeps the memory alive.
struct DeviceArray {
  gpu::DevicePositions positions;
  int device = -1;         // of DLPack; -1: that of the search
  void* stream = nullptr;  // that the search has to wait for; null: the positions are ready
  std::shared_ptr<void> owner;
};

// Returns nothing for an object that is not in memory of a GPU. Throws TypeError or ValueError,
// which names the argument, if the array is not float64, not of shape (n, 3), or its rows do not
// follow each other.
std::optional<DeviceArray> device_array(py::handle value, const char* name);

}  // namespace graze::python
