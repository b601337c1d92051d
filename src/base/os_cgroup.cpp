#include "base/os_cgroup.h"

#include <fstream>

namespace tintype {
namespace {

// "/user.slice/job": the line "0::PATH" is version 2's.
std::string own_group() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return {};
}

}  // namespace

std::vector<std::string> cgroup_values(const std::string& name) {
  std::vector<std::string> values;
  std::string group = own_group();
  while (!group.empty()) {
    if (group == "/") group.clear();
    std::ifstream file("/sys/fs/cgroup" + group + "/" + name);
    if (std::string value; std::getline(file, value)) values.push_back(value);
    group.resize(group.empty() ? 0 : group.find_last_of('/'));
  }
  return values;
}

}  // namespace tintype
