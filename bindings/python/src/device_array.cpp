#include "device_array.h"

#include <cstdint>
#include <string>

namespace graze::python {
namespace {

// The structures of DLPack up to version 0.8, from its specification.
struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t dimensions;
  std::uint8_t type_code, type_bits;
  std::uint16_t type_lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* manager;
  void (*deleter)(DlManagedTensor*);
};
constexpr int dl_cuda = 2, dl_float = 2;

void check_shape(const char* name, std::size_t dimensions, std::int64_t columns) {
  if (dimensions != 2 || columns != 3)
    throw_value_error(name, "expected shape (n, 3) in memory of the GPU");
}
void check_contiguous(const char* name, bool contiguous) {
  if (!contiguous)
    throw_value_error(name, "expected rows that follow each other in memory of the GPU");
}

DeviceArray of_interface(const py::dict& interface, const char* name, py::handle value) {
  const auto shape = interface["shape"].cast<py::tuple>();
  if (const auto type = interface["typestr"].cast<std::string>(); type != "<f8")
    throw_type_error(name, "expected float64 in memory of the GPU, got " + type);
  check_shape(name, shape.size(), shape.size() == 2 ? shape[1].cast<std::int64_t>() : 0);
  DeviceArray array;
  array.positions.count = shape[0].cast<std::size_t>();
  if (interface.contains("strides") && !interface["strides"].is_none()) {
    const auto strides = interface["strides"].cast<py::tuple>();
    check_contiguous(name, strides.size() == 2 && strides[0].cast<std::int64_t>() == 24 &&
                               strides[1].cast<std::int64_t>() == 8);
  }
  const auto data = interface["data"].cast<py::tuple>();
  array.positions.rows = reinterpret_cast<const double*>(data[0].cast<std::uintptr_t>());
  // 1 and 2 are the default streams, and also their handles in CUDA.
  if (interface.contains("stream") && !interface["stream"].is_none())
    array.stream = reinterpret_cast<void*>(interface["stream"].cast<std::uintptr_t>());
  array.owner = std::shared_ptr<void>(new py::object(py::reinterpret_borrow<py::object>(value)),
                                      [](void* object) {
                                        const py::gil_scoped_acquire gil;
                                        delete static_cast<py::object*>(object);
                                      });
  return array;
}

DeviceArray of_capsule(const py::capsule& capsule, const char* name) {
  if (std::string(capsule.name()) != "dltensor")
    throw_type_error(name, "expected a capsule of DLPack with the name dltensor");
  DlManagedTensor* const managed = capsule.get_pointer<DlManagedTensor>();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // the tensor is ours
  DeviceArray array;
  array.owner = std::shared_ptr<void>(managed, [](void* memory) {
    DlManagedTensor* const tensor = static_cast<DlManagedTensor*>(memory);
    const py::gil_scoped_acquire gil;
    if (tensor->deleter) tensor->deleter(tensor);
  });
  const DlTensor& tensor = managed->tensor;
  if (tensor.type_code != dl_float || tensor.type_bits != 64 || tensor.type_lanes != 1)
    throw_type_error(name, "expected float64 in memory of the GPU");
  check_shape(name, static_cast<std::size_t>(tensor.dimensions),
              tensor.dimensions == 2 ? tensor.shape[1] : 0);
  check_contiguous(name, !tensor.strides || (tensor.strides[0] == 3 && tensor.strides[1] == 1));
  array.positions.count = static_cast<std::size_t>(tensor.shape[0]);
  array.positions.rows =
      reinterpret_cast<const double*>(static_cast<const char*>(tensor.data) + tensor.byte_offset);
  array.device = tensor.device_id;
  return array;
}

}  // namespace

std::optional<DeviceArray> device_array(py::handle value, const char* name) {
  if (py::hasattr(value, "__cuda_array_interface__"))
    return of_interface(value.attr("__cuda_array_interface__").cast<py::dict>(), name, value);
  if (!py::hasattr(value, "__dlpack__") || !py::hasattr(value, "__dlpack_device__"))
    return std::nullopt;
  const auto device = value.attr("__dlpack_device__")().cast<py::tuple>();
  if (device[0].cast<int>() != dl_cuda) return std::nullopt;
  // Stream 1 is the legacy default stream: the producer makes it wait for the data.
  DeviceArray array = of_capsule(value.attr("__dlpack__")(py::arg("stream") = 1), name);
  array.stream = reinterpret_cast<void*>(std::uintptr_t{1});
  return array;
}

}  // namespace graze::python
