#include <algorithm>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "base/os.h"
#include "base/os_cgroup.h"

namespace tintype {
namespace {

// The threads of one core share a list such as "0,4", which so names the core.
std::string siblings(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/topology/thread_siblings_list");
  std::string list;
  return std::getline(file, list) ? list : std::to_string(cpu);
}

int cores_of_affinity() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)  // more than CPU_SETSIZE
    return static_cast<int>(std::thread::hardware_concurrency());
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &allowed)) cores.insert(siblings(cpu));
  }
  return static_cast<int>(cores.size());
}

// "150000 100000" is a quota of one and a half cores, "max 100000" is none.
int cores_of_quota(const std::string& cpu_max) {
  std::istringstream text(cpu_max);
  double quota = 0, period = 0;
  const bool limited = static_cast<bool>(text >> quota >> period) && period > 0;
  return limited ? std::max(1, static_cast<int>(std::ceil(quota / period))) : CPU_SETSIZE;
}

}  // namespace

int usable_cores() {
  int cores = cores_of_affinity();
  for (const std::string& value : cgroup_values("cpu.max")) {
    cores = std::min(cores, cores_of_quota(value));
  }
  return cores;
}

}  // namespace tintype
