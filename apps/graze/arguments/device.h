#pragma once

#include <string>
#include <vector>

#include "commands/command.h"
#include "graze/gpu.h"

// The option --device of the commands that a GPU can answer.
namespace graze::command {

struct DeviceArguments {
  std::string device = "auto";  // cpu, gpu or auto
  std::vector<int> gpus;        // of --gpus, empty: all

  bool tries_gpu() const { return device != "cpu"; }
};

// Adds --device and, with `several`, --gpus, for commands that divide their work.
void add_device(CLI::App& command, DeviceArguments& arguments, bool several = false);

// The device that answered, for the user: "cpu" or the name of the GPU. With --device auto also the
// reason for the choice.
struct UsedDevice {
  std::string name = "cpu", reason;

  // Returns "device: NAME (reason)".
  std::string line() const;
};

// Returns the GPUs to use: those of --gpus, or all. Sets `used` to the name of the first, or to the
// reason why there is none. Throws UsageError if --device gpu is given and there is no GPU,
// and for an index in --gpus that is not that of a GPU.
std::vector<int> choose_gpus(const DeviceArguments& arguments, UsedDevice& used);

// Reasons why the CPU answers.
inline constexpr const char* curves_need_cpu = "the GPU search does not support curves";
inline constexpr const char* ranks_need_cpu = "the ranks of graze-mpi answer on CPUs";

// Records that the CPU answers for this reason, a sentence. Throws UsageError if --device gpu
// requires a GPU.
void leave_gpu(const DeviceArguments& arguments, const std::string& reason, UsedDevice& used);

}  // namespace graze::command
