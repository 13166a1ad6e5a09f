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

// `several`: also --gpus, for commands that share their work out.
void add_device(CLI::App& command, DeviceArguments& arguments, bool several = false);

// Where a question was answered, for the user: "cpu" or the name of the GPU, and with --device auto
// why. Without --device auto there is no reason.
struct UsedDevice {
  std::string name = "cpu", reason;

  // Returns "device: NAME (reason)".
  std::string line() const;
};

// Returns the GPUs to use: those of --gpus, or all. Sets `used` to the name of the first, or to the
// reason why there is none. Throws UsageError where --device gpu asks for a GPU and there is none,
// and for an index in --gpus that is not that of a GPU.
std::vector<int> choose_gpus(const DeviceArguments& arguments, UsedDevice& used);

// Reasons why the CPU answers.
inline constexpr const char* curves_need_cpu = "the GPU search does not support curves";
inline constexpr const char* ranks_need_cpu = "the ranks of graze-mpi answer on CPUs";

// Notes that the CPU answers for this reason, a sentence. Throws UsageError where --device gpu asks
// for a GPU.
void leave_gpu(const DeviceArguments& arguments, const std::string& reason, UsedDevice& used);

}  // namespace graze::command
