#pragma once
/// Oracles of resource checks: the kernel's numbers in the report decide, not the probe's word. A
/// probe that says `reached` must be borne out by them, else it is `unproven`.

#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {

/// `oom`: the kernel counted a kill for memory and the peak stayed at the limit.
Reading read_oom(const Check& check, const Record& record);
/// `refused`: the kernel refused a task and the peak stayed at the limit.
Reading read_pids(const Check& check, const Record& record);
/// `throttled`: no more CPU time than the share of the time it ran, nor in any half a second;
/// `idle`: not even that, the machine was busy.
Reading read_cpu(const Check& check, const Record& record);
/// `timeout` (the deadline), `box-timer`, else the probe's word.
Reading read_timeout(const Check& check, const Record& record);
/// `killed`: the deadline met the program itself, as its wait status tells; `reached`: it is
/// unknown how it ended.
Reading read_wait_status(const Check& check, const Record& record);
/// `truncated`: no more output kept than agreed, all of it counted.
Reading read_output(const Check& check, const Record& record);
/// `refused`, `not-received`, `omitted`, `received`: what became of the files; `reached` when one
/// of them is the planted file, or more came back than may.
Reading read_files(const Check& check, const Record& record);
/// `one-moment`: the files that came back can have existed side by side; `reached` when not.
Reading read_moment(const Check& check, const Record& record);

}  // namespace pybox::campaign
