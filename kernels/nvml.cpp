#include "kernels/nvml.hpp"

#include <dlfcn.h>

namespace tilemeter::kernels {

// The few declarations of nvml.h that are used; the library keeps them binary compatible under these names.
using Result = int;  // 0 is success
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;

struct Nvml::Functions {
  explicit Functions(const std::string& library) : handle(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) {
      const char* reason = dlerror();
      throw NvmlError("NVML is missing (" + std::string(reason == nullptr ? library : reason) + ")");
    }
    try {
      load(init, "nvmlInit_v2");
      load(shutdown, "nvmlShutdown");
      load(error_string, "nvmlErrorString");
      load(driver_version, "nvmlSystemGetDriverVersion");
      load(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
      load(clock, "nvmlDeviceGetClockInfo");
      load(power, "nvmlDeviceGetPowerUsage");
      load(energy, "nvmlDeviceGetTotalEnergyConsumption");
      load(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
      require(init(), "nvmlInit_v2");
    } catch (...) {
      dlclose(handle);
      throw;
    }
  }
  ~Functions() {
    shutdown();
    dlclose(handle);
  }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  void require(Result result, const char* call) const {
    if (result != 0) throw NvmlError(std::string("NVML: ") + call + ": " + error_string(result));
  }

  void* handle;
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  const char* (*error_string)(Result) = nullptr;
  Result (*driver_version)(char*, unsigned) = nullptr;
  Result (*by_bus_id)(const char*, void**) = nullptr;
  Result (*clock)(void*, int, unsigned*) = nullptr;        // MHz
  Result (*power)(void*, unsigned*) = nullptr;             // mW
  Result (*energy)(void*, unsigned long long*) = nullptr;  // mJ
  Result (*reasons)(void*, unsigned long long*) = nullptr;

 private:
  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr) throw NvmlError(std::string("NVML: the library has no ") + name);
  }
};

Nvml::Nvml(const std::string& bus_id, const std::string& library)
    : functions_(std::make_shared<const Functions>(library)) {
  functions_->require(functions_->by_bus_id(bus_id.c_str(), &device_), "nvmlDeviceGetHandleByPciBusId_v2");
}

std::string Nvml::driver() const {
  char version[96] = {};
  functions_->require(functions_->driver_version(version, sizeof version), "nvmlSystemGetDriverVersion");
  return version;
}

ClockSample Nvml::sample() const {
  const auto scaled = [&](auto function, auto amount, double unit, auto... arguments) -> std::optional<double> {
    if (function(device_, arguments..., &amount) != 0) return std::nullopt;
    return static_cast<double>(amount) * unit;
  };
  ClockSample sample;
  sample.sm_hertz = scaled(functions_->clock, 0u, 1e6, sm_clock);
  sample.memory_hertz = scaled(functions_->clock, 0u, 1e6, memory_clock);
  sample.watts = scaled(functions_->power, 0u, 1e-3);
  sample.joules = scaled(functions_->energy, 0ull, 1e-3);
  unsigned long long reasons = 0;
  if (functions_->reasons(device_, &reasons) == 0) sample.reasons = reasons;
  return sample;
}

ClockSampler::ClockSampler(Nvml nvml, std::chrono::milliseconds period)
    : nvml_(std::move(nvml)), period_(period), thread_([this] { run(); }) {}

ClockSampler::~ClockSampler() {
  if (thread_.joinable()) stop();
}

std::vector<ClockSample> ClockSampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return samples_;
}

void ClockSampler::run() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    ClockSample sample = nvml_.sample();
    sample.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    lock.lock();
    samples_.push_back(sample);
  } while (!wake_.wait_for(lock, period_, [&] { return stopping_; }));
}

}  // namespace tilemeter::kernels
