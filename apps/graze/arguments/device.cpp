#include "arguments/device.h"

#include <fmt/format.h>

#include <algorithm>

namespace graze::command {

void add_device(CLI::App& command, DeviceArguments& arguments, bool several) {
  command
      .add_option(
          "--device", arguments.device,
          "cpu, gpu, or auto: a GPU if there is one and it can answer, else the CPU; the output "
          "names the device and the reason")
      ->check(CLI::IsMember({"auto", "cpu", "gpu"}))
      ->capture_default_str();
  if (several)
    command
        .add_option("--gpus", arguments.gpus,
                    "the GPUs that share the work, by their numbers, separated by commas; a number "
                    "may be repeated; default: all")
        ->delimiter(',');
}

std::string UsedDevice::line() const {
  return "device: " + name + (reason.empty() ? "" : " (" + reason + ")");
}

std::vector<int> choose_gpus(const DeviceArguments& arguments, UsedDevice& used) {
  if (!arguments.gpus.empty() && !arguments.tries_gpu())
    throw UsageError("--gpus needs --device gpu or auto");
  if (!arguments.tries_gpu()) return {};
  const gpu::Devices found = gpu::devices();
  if (found.list.empty()) {
    leave_gpu(arguments, found.outcome.message, used);
    return {};
  }
  std::vector<int> chosen = arguments.gpus;
  if (chosen.empty())
    for (const gpu::Device& device : found.list) chosen.push_back(device.index);
  for (const int index : chosen)
    if (std::none_of(found.list.begin(), found.list.end(),
                     [&](const gpu::Device& device) { return device.index == index; }))
      throw UsageError(fmt::format("--gpus: no GPU has the number {}", index));
  used.name = std::find_if(found.list.begin(), found.list.end(), [&](const gpu::Device& device) {
                return device.index == chosen[0];
              })->name;
  if (arguments.device == "auto") used.reason = "a GPU was found";
  return chosen;
}

void leave_gpu(const DeviceArguments& arguments, const std::string& reason, UsedDevice& used) {
  if (arguments.device == "gpu")
    throw UsageError("--device gpu: " + reason + "; use --device cpu or auto");
  used = {"cpu", arguments.device == "auto" ? reason : ""};
}

}  // namespace graze::command
