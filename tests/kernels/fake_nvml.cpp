// A management library with one GPU of known figures, to test what reads it.
#include <cstring>

namespace {
bool initialised = false;
unsigned long long looks = 0;
enum Status { success = 0, uninitialised = 1, invalid_argument = 2, not_supported = 3, not_found = 6 };
}  // namespace

extern "C" {

int nvmlInit_v2() {
  initialised = true;
  return success;
}

int nvmlShutdown() {
  initialised = false;
  return success;
}

const char* nvmlErrorString(int status) { return status == not_found ? "Not Found" : "Unknown Error"; }

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  if (!initialised) return uninitialised;
  std::strncpy(version, "123.45.06", length);
  return success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  if (!initialised) return uninitialised;
  if (std::strcmp(bus_id, "0000:01:00.0") != 0) return not_found;
  *device = &initialised;
  return success;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz) {
  if (device != &initialised) return invalid_argument;
  *megahertz = type == 1 ? 1755 : 3201;
  return success;
}

int nvmlDeviceGetPowerUsage(void*, unsigned*) { return not_supported; }

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (device != &initialised) return invalid_argument;
  *millijoules = 7000 * ++looks;
  return success;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  if (device != &initialised) return invalid_argument;
  *reasons = 0x24;
  return success;
}
}
