#pragma once
/// Oracles for what a box holds on to: scratch space, dead children, processes that stay behind.
/// The kernel's and boxd's numbers decide; a probe's `reached` that they do not bear out is
/// `unproven`.

#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {

/// `ENOSPC` (the probe's word, borne out by the peak of memory, of which scratch space is a part):
/// nothing beyond the size was kept.
Reading read_scratch(const Check& check, const Record& record);
/// `ENOSPC` (the probe's word, borne out by the files that boxd found).
Reading read_inodes(const Check& check, const Record& record);
/// `collected`: the last samples of the run hold no more than the program itself; `reached`: the
/// dead stay.
Reading read_orphans(const Check& check, const Record& record);
/// `removed`: every process of the box ended with it; `reached`: some could not be ended.
Reading read_cleanup(const Check& check, const Record& record);

}  // namespace pybox::campaign
