#include "graze/gpu/kernels/stages.h"

#include <cub/device/device_radix_sort.cuh>

namespace graze::gpu::device {
namespace {

// Sorts three arrays in shared memory, one per 256 threads.
__device__ inline void sort_samples(double (&values)[3][sample_size]) {
  double* const own = values[threadIdx.x / sample_size];
  const int i = threadIdx.x % sample_size;
  for (int k = 2; k <= sample_size; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      const int other = i ^ j;
      if (other > i) {
        const double x = own[i], y = own[other];
        if ((x > y) == ((i & k) == 0)) {
          own[i] = y;
          own[other] = x;
        }
      }
    }
  __syncthreads();
}

// Computes the frame of a sample of the positions at the start, in one block. It changes no answer.
__global__ void __launch_bounds__(3 * sample_size) frame_of_sample(Arrays a) {
  __shared__ double value[3][sample_size];
  const int axis = threadIdx.x / sample_size, i = threadIdx.x % sample_size;
  const uint64_t at = uint64_t(i) * a.vertices / sample_size;
  const double x = a.control->now.start[3 * at + axis];
  value[axis][i] = x;
  sort_samples(value);
  const double middle[3] = {value[0][sample_size / 2], value[1][sample_size / 2],
                            value[2][sample_size / 2]};
  __syncthreads();
  value[axis][i] = fabs(x / 2 - (axis == 0 ? middle[0] : axis == 1 ? middle[1] : middle[2]) / 2);
  sort_samples(value);
  if (threadIdx.x > 0) return;
  double reach = 0, extent = 0;
  for (int k = 0; k < 3; ++k) {
    reach = fmax(reach, value[k][sample_size / 2]);
    extent = fmax(extent, 2 * value[k][sample_size - 1]);
  }
  *a.frame = make_frame(middle, reach, extent);
}

__device__ inline void codes_of_vertex(const Arrays& a, uint32_t vertex, MovingBox& box) {
  FloatCorner corner;
  place_vertex(*a.frame, a.control->now.start + 3 * uint64_t{vertex},
               a.control->now.end + 3 * uint64_t{vertex}, 0, 1, 0, corner, box);
}

__global__ void key_vertices(Arrays a) {
  for (uint64_t v = first_of_warp() + (threadIdx.x & 31); v < a.vertices; v += warp_stride()) {
    MovingBox box;
    codes_of_vertex(a, static_cast<uint32_t>(v), box);
    a.keys[0][v] = curve_code(box, curve_bits(a.vertices));
    a.ids[0][v] = static_cast<uint32_t>(v);
  }
}
__global__ void place_order(Arrays a) {
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < a.vertices; i += warp_stride()) {
    a.order[i] = a.ids_out[0][i];
    a.place[a.ids_out[0][i]] = static_cast<uint32_t>(i);
  }
}
template <int corners>
__global__ void key_features(Arrays a) {
  const uint32_t count = corners == 2 ? a.edges : a.faces;
  const uint32_t* const from = corners == 2 ? a.mesh_edges : a.mesh_faces;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    MovingBox box, other;
    codes_of_vertex(a, from[corners * i], box);
    for (int c = 1; c < corners; ++c) {
      codes_of_vertex(a, from[corners * i + c], other);
      extend(box, other);
    }
    a.keys[corners - 1][i] = curve_code(box, curve_bits(a.vertices));
    a.ids[corners - 1][i] = static_cast<uint32_t>(i);
  }
}
template <int corners>
__global__ void place_features(Arrays a) {
  const uint32_t count = corners == 2 ? a.edges : a.faces;
  const uint32_t* const from = corners == 2 ? a.mesh_edges : a.mesh_faces;
  Feature* const to = corners == 2 ? a.edge : a.face;
  for (uint64_t i = first_of_warp() + (threadIdx.x & 31); i < count; i += warp_stride()) {
    Feature feature;
    feature.id = a.ids_out[corners - 1][i];
    for (int c = 0; c < 3; ++c)
      feature.corner[c] =
          a.place[from[uint64_t{corners} * feature.id + (c < corners ? c : corners - 1)]];
    to[i] = feature;
  }
}

}  // namespace

void find_frame(const Launch& at) {
  frame_of_sample<<<1, 3 * sample_size, 0, at.stream>>>(at.a);
}

cudaError_t sort_keys(const Launch& at, int kind, void* memory, std::size_t& bytes) {
  const uint32_t count = kind == 0 ? at.a.vertices : kind == 1 ? at.a.edges : at.a.faces;
  return cub::DeviceRadixSort::SortPairs(memory, bytes, at.a.keys[kind], at.a.keys_out[kind],
                                         at.a.ids[kind], at.a.ids_out[kind], count, 0,
                                         3 * curve_bits(at.a.vertices), at.stream);
}

void make_keys(const Launch& at, int kind) {
  if (kind == 0)
    key_vertices<<<at.blocks_for(at.a.vertices, 256), 256, 0, at.stream>>>(at.a);
  else if (kind == 1)
    key_features<2><<<at.blocks_for(at.a.edges, 256), 256, 0, at.stream>>>(at.a);
  else
    key_features<3><<<at.blocks_for(at.a.faces, 256), 256, 0, at.stream>>>(at.a);
}
void place(const Launch& at, int kind) {
  if (kind == 0)
    place_order<<<at.blocks_for(at.a.vertices, 256), 256, 0, at.stream>>>(at.a);
  else if (kind == 1)
    place_features<2><<<at.blocks_for(at.a.edges, 256), 256, 0, at.stream>>>(at.a);
  else
    place_features<3><<<at.blocks_for(at.a.faces, 256), 256, 0, at.stream>>>(at.a);
}

}  // namespace graze::gpu::device
