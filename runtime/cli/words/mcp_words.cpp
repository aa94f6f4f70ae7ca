#include "cli/words/mcp_words.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

#include "base/text.hpp"
#include "cli/words/exec_words.hpp"
#include "run/choose_engine.hpp"

namespace pybox::cli {
namespace {

constexpr std::array kMcpOptions = {
    Option{"--engine", "vm|native", "what makes the boxes (default: vm)"},
    Option{"--max-timeout", "S", "the longest a call may ask for (default: 2; at most 300)"},
    Option{"--default-timeout", "S", "seconds when a call sets none (default: 2)"},
    Option{"--images", "LIST", "images a call may use (default: stdlib)"},
    Option{"--python", "V", "the Python version (default: 3.13)"},
    Option{"--tools", "LIST", "tools to offer (default: run_python)"},
    Option{"--packages", "WHICH", "none, locked or any, for execute_python (default: none)"},
    Option{"--max-output", "BYTES", "the most kept of each stream (default: 8192)"},
    Option{"--max-calls", "N", "calls in a session (default: 32)"},
    Option{"--max-messages", "N", "messages in a session (default: 256)"},
    Option{"--max-concurrent", "N", "runs at once, others get `busy` (default: 1)"},
};

constexpr std::string_view kMcpDetails =
    R"(An MCP client starts this command and talks to it over stdin and stdout, in
the protocol's revisions 2024-11-05 to 2025-11-25 and 2026-07-28. A client can
ask for less than these options allow, not for more. LIST: names with commas.
Tools: run_python, execute_python, check_environment, validate_script. The last
three are for clients that used another server before. The server does not start
the VM and runs nothing outside a box. docs/mcp.md has each client's set-up.)";

constexpr std::uint32_t kMost = 1000000;

Error usage(std::string what) { return {ErrorKind::Usage, std::move(what)}; }

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) names.emplace_back(take_until(list, ','));
  return names;
}

/// Leaves `into` alone when the option was not given.
Result<void> take_count(const Words& words, std::string_view option, std::uint32_t most,
                        std::uint32_t& into) {
  const auto text = words.value(option);
  if (!text) return {};
  std::uint32_t value = 0;
  const auto end = std::from_chars(text->data(), text->data() + text->size(), value);
  if (end.ec != std::errc() || end.ptr != text->data() + text->size() || value < 1 ||
      value > most) {
    return usage(fmt::format("`{}` takes a whole number from 1 to {}, not `{}`", option, most,
                             visible(*text)));
  }
  into = value;
  return {};
}

Result<std::optional<Nanos>> seconds_of(const Words& words, std::string_view option) {
  const auto text = words.value(option);
  if (!text) return std::optional<Nanos>();
  const double value = PYBOX_TRY(seconds_word(option, *text));
  const double most = seconds(ceiling::kMaxTimeoutOperator);
  if (!(value >= mcp::ceiling::kMinTimeout) || value > most) {
    return usage(fmt::format("`{}` takes {} to {} seconds, not `{}`", option,
                             mcp::ceiling::kMinTimeout, most, visible(*text)));
  }
  return std::optional(from_seconds(value));
}

Result<std::vector<mcp::Tool>> tools_of(std::string_view list) {
  std::vector<mcp::Tool> tools;
  for (const std::string& name : split(list)) {
    const auto tool = mcp::tool_from(name);
    if (!tool) {
      return usage("`--tools` names `" + visible(name) + "`, which no tool is called")
          .hint("tools: run_python, execute_python, check_environment, validate_script");
    }
    tools.push_back(*tool);
  }
  return tools;
}

Result<void> take_lists(const Words& words, mcp::Operator& allowed) {
  if (const auto images = words.value("--images")) allowed.images = split(*images);
  if (const auto tools = words.value("--tools")) allowed.tools = PYBOX_TRY(tools_of(*tools));
  if (const auto which = words.value("--packages")) {
    const auto packages = mcp::packages_from(*which);
    if (!packages)
      return usage("`--packages` is `none`, `locked` or `any`, not `" + visible(*which) + "`");
    allowed.packages = *packages;
  }
  return {};
}

}  // namespace

Result<mcp::Operator> mcp_operator(const Words& words, const Settings& settings) {
  mcp::Operator allowed;
  allowed.engine = PYBOX_TRY(run::choose_engine(words.value("--engine"), settings));
  if (const auto python = words.value("--python")) allowed.python = *python;
  PYBOX_TRY(take_lists(words, allowed));
  allowed.max_timeout = PYBOX_TRY(seconds_of(words, "--max-timeout"));
  allowed.default_timeout = PYBOX_TRY(seconds_of(words, "--default-timeout"));
  std::uint32_t max_output = 0;
  PYBOX_TRY(take_count(words, "--max-output",
                       static_cast<std::uint32_t>(ceiling::kOutputStreamBytes.count), max_output));
  if (max_output > 0) allowed.max_output = max_output;
  PYBOX_TRY(take_count(words, "--max-calls", kMost, allowed.max_calls));
  PYBOX_TRY(take_count(words, "--max-messages", kMost, allowed.max_messages));
  PYBOX_TRY(take_count(words, "--max-concurrent", 16, allowed.max_concurrent));
  PYBOX_TRY(mcp::check_operator(allowed));
  return allowed;
}

Command mcp_command(Result<int> (*run)(const Words&, const Surroundings&)) {
  return {
      .name = "mcp",
      .summary = "Serve an AI agent over MCP, with tools that run Python in boxes",
      .synopsis = "[OPTIONS]",
      .positionals = {},
      .options = kMcpOptions,
      .details = kMcpDetails,
      .program_option = {},
      .run = run,
  };
}

}  // namespace pybox::cli
