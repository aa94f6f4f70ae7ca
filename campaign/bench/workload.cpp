#include "campaign/bench/workload.hpp"

#include <array>

namespace pybox::campaign {
namespace {

constexpr std::array kAll = {
    // The interpreter's start and end, and nothing between: what a sealed run costs is plainest
    // here.
    Workload{"stdlib", "empty", "pass\n", ""},
    // Work that is all the program's own: the box adds nothing to it but its limit of CPU.
    Workload{"stdlib", "compute", "print(sum(i * i for i in range(300_000)))\n",
             "8999955000050000\n"},
    // Hundreds of files are opened and mapped: what a read-only root costs shows here.
    Workload{"data", "pandas",
             "import numpy as np\n"
             "import pandas as pd\n"
             "print(int(pd.DataFrame({\"a\": np.arange(4)}).a.sum()))\n",
             "6\n"},
};

}  // namespace

std::span<const Workload> workloads() { return kAll; }

}  // namespace pybox::campaign
