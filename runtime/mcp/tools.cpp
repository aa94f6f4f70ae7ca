#include "mcp/tools.hpp"

#include "files/check_inputs.hpp"

#include "mcp/arguments.hpp"
#include "mcp/delivery.hpp"
#include "mcp/environment.hpp"
#include "mcp/result_text.hpp"
#include "mcp/run_call.hpp"
#include "mcp/script.hpp"

namespace pybox::mcp {
namespace {

/// What stands around a result on its line: envelope, era, newline.
constexpr std::size_t kAroundResult = 512;

Asked asked_of(Tool tool, std::string_view arguments, const Operator& allowed) {
  switch (tool) {
    case Tool::RunPython: return run_python_asked(arguments, allowed);
    case Tool::ExecutePython: return execute_python_asked(arguments, allowed);
    case Tool::CheckEnvironment: return nothing_asked(arguments, allowed);
    case Tool::ValidateScript: return validate_script_asked(arguments, allowed);
  }
  return {};
}

/// What a script needs is looked at before it takes a place among the runs.
Result<void> check_needs(Tool tool, const Asked& asked, const Operator& allowed) {
  if (tool == Tool::RunPython) return files::check_inputs(asked.request.inputs);
  if (tool == Tool::ExecutePython) PYBOX_TRY(script_needs(asked, allowed));
  return {};
}

bool runs_programs(Tool tool) { return tool == Tool::RunPython || tool == Tool::ExecutePython; }

CallOutcome refusal(Tool tool, const Request& request, const Error& why, std::size_t budget) {
  if (runs_programs(tool)) return refuse_call(tool, request, why, budget);
  return {text_result(error_words(why), true), {}};
}

CallOutcome execute(Asked asked, const Operator& allowed, std::size_t budget, int cancel_fd) {
  const auto needs = script_needs(asked, allowed);
  const auto taken =
      needs ? take_packages(asked.request, *needs, allowed) : Result<void>(needs.error());
  if (!taken) return refuse_call(Tool::ExecutePython, asked.request, taken.error(), budget);
  return run_call(Tool::ExecutePython, std::move(asked), allowed, budget, cancel_fd);
}

Worker::Job job_of(Tool tool, Asked asked, const Operator& allowed, std::size_t budget) {
  switch (tool) {
    case Tool::CheckEnvironment:
      return [&allowed](int) {
        return CallOutcome{text_result(environment_text(allowed), false), {}};
      };
    case Tool::ValidateScript:
      return [&allowed, asked = std::move(asked)](int) {
        const Validation made = validate_script(asked, allowed);
        return CallOutcome{text_result(made.text, !made.valid), {}};
      };
    case Tool::ExecutePython:
      return [&allowed, budget, asked = std::move(asked)](int cancel_fd) {
        return execute(asked, allowed, budget, cancel_fd);
      };
    case Tool::RunPython:
      return [tool, &allowed, budget, asked = std::move(asked)](int cancel_fd) {
        return run_call(tool, asked, allowed, budget, cancel_fd);
      };
  }
  return {};
}

}  // namespace

PreparedCall prepare_call(Tool tool, std::string_view arguments, const Operator& allowed,
                          std::size_t id_bytes) {
  const std::size_t budget = kMaxResponseBytes - kAroundResult - id_bytes;
  Asked asked = asked_of(tool, arguments, allowed);
  if (!asked.refusal) {
    auto checked = check_needs(tool, asked, allowed);
    if (!checked) asked.refusal = std::move(checked).error();
  }
  PreparedCall prepared;
  prepared.runs = runs_programs(tool);
  Request bare = asked.request;
  bare.inputs.clear();
  prepared.refuse = [tool, budget, bare](const Error& why) {
    return refusal(tool, bare, why, budget);
  };
  if (asked.refusal) {
    prepared.refused = refusal(tool, asked.request, *asked.refusal, budget);
  } else {
    prepared.job = job_of(tool, std::move(asked), allowed, budget);
  }
  return prepared;
}

}  // namespace pybox::mcp
