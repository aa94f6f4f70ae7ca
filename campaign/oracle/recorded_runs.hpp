#pragma once
/// Oracles of the recorded runs (campaign/checks/receipts/recorded.toml): one a row. Each compares
/// what the receipts, or boxd's report, say with what must have happened; the program's own word is
/// only where the row is about it. `as-recorded`: all of it holds in every pass. `reached`: a run
/// ended, or was told, otherwise.

#include "campaign/oracle/oracle.hpp"

namespace pybox::campaign {

// From the receipts that drivers/receipt_recorded.py hands back.
Reading read_recorded_hello(const Check& check, const Record& record);
Reading read_recorded_traceback(const Check& check, const Record& record);
Reading read_recorded_deadline(const Check& check, const Record& record);
Reading read_recorded_message(const Check& check, const Record& record);
Reading read_recorded_force_killed(const Check& check, const Record& record);

// From boxd's report; a word of the probe that the report does not bear out is `unproven`.
Reading read_recorded_memory(const Check& check, const Record& record);
Reading read_recorded_processes(const Check& check, const Record& record);
Reading read_recorded_outside(const Check& check, const Record& record);

}  // namespace pybox::campaign
