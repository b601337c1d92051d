// Limits that a container, a service manager or a batch system has put on this process.
#pragma once

#include <string>
#include <vector>

namespace tintype {

// What the control file `name` ("cpu.max") says in the process's own control group (version 2) and
// in each group around it, the innermost first; empty where there is none.
std::vector<std::string> cgroup_values(const std::string& name);

}  // namespace tintype
