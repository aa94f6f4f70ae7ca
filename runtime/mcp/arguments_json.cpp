#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "files/check_inputs.hpp"
#include "mcp/arguments.hpp"

namespace pybox::mcp {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxDependencies = 64;
constexpr std::size_t kMaxDependencyBytes = 1024;

Error bad(std::string what, std::string hint) {
  return Error(ErrorKind::Usage, std::move(what)).hint(std::move(hint));
}

const json* find(const json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

/// Refuses whatever the schema does not name.
Result<void> check_keys(const json& object, std::span<const std::string_view> known,
                        std::string_view of) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view near = nearest(key, known);
    std::string names;
    for (const std::string_view name : known)
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", name);
    return bad(fmt::format("{} takes no `{}`", of, visible(key).substr(0, 100)),
               near.empty() ? (names.empty() ? "call it without arguments" : "it takes " + names)
                            : fmt::format("did you mean `{}`?", near));
  }
  return {};
}

/// A program's text under `key`.
Result<std::string> program_from(const json& arguments, std::string_view key) {
  const json* value = find(arguments, key);
  if (value == nullptr) {
    return bad(fmt::format("`{}` is required", key),
               fmt::format("put the Python source into `{}`, for example 'print(1)'", key));
  }
  if (!value->is_string()) {
    return bad(fmt::format("`{}` must be text", key), "send the Python source as one string");
  }
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() > ceiling::kCodeBytes) {
    return Error(ErrorKind::Refused, fmt::format("`{}` is {} bytes long; the most is {}", key,
                                                 text.size(), ceiling::kCodeBytes))
        .hint("send less source, and data as `files`");
  }
  return text;
}

/// A whole number; 10.0 is one (JSON Schema 2020-12, "integer").
std::optional<double> whole_number(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  return std::trunc(number) == number ? std::optional(number) : std::nullopt;
}

Result<Nanos> timeout_from(const json& value, std::string_view key, Tool tool,
                           const Operator& allowed) {
  const bool whole = tool == Tool::ExecutePython;
  const double least = whole ? 1 : ceiling::kMinTimeout;
  const Nanos most = allowed.ceiling_of(tool);
  const std::string hint =
      fmt::format("ask for {} to {}{}", least, seconds(most), whole ? ", in whole seconds" : "");
  if (!value.is_number() || (whole && !whole_number(value))) {
    return bad(fmt::format("`{}` must be a {}", key, whole ? "whole number" : "number"), hint);
  }
  const auto asked = value.get<double>();
  if (asked < least) {
    return bad(fmt::format("`{}` must be at least {} seconds", key, least), hint);
  }
  return check_timeout(asked, most, /*set_by_server=*/true);
}

Result<void> take_output_limit(const json* value, Tool tool, const Operator& allowed,
                               Request& request) {
  std::uint64_t bytes = allowed.default_output(tool);
  if (value != nullptr) {
    const auto number = whole_number(*value);
    if (!number || *number < 1 || *number > allowed.output_ceiling()) {
      return bad("`max_output_bytes` must be a whole number from 1 to " +
                     std::to_string(allowed.output_ceiling()) + " (set by the server)",
                 "leave it out for the default");
    }
    bytes = static_cast<std::uint64_t>(*number);
  }
  request.limits.stdout_bytes = Bytes{bytes};
  request.limits.stderr_bytes = Bytes{bytes};
  return {};
}

Result<void> take_image(const json* value, const Operator& allowed, Request& request) {
  if (value == nullptr) return {};
  std::string names;
  for (const std::string& name : allowed.images)
    names += (names.empty() ? "`" : ", `") + name + "`";
  const std::string hint = "this server has " + names;
  if (!value->is_string()) return bad("`image` must be text", hint);
  const auto& name = value->get_ref<const std::string&>();
  request.image = visible(name).substr(0, 64);
  if (std::find(allowed.images.begin(), allowed.images.end(), name) == allowed.images.end()) {
    return Error(ErrorKind::Refused,
                 fmt::format("the image `{}` is not allowed (set by the server)", request.image))
        .hint(hint);
  }
  return {};
}

Result<InputFile> file_from(const json& value, std::size_t index) {
  constexpr std::array<std::string_view, 3> kKeys = {"name", "content", "encoding"};
  const std::string place = fmt::format("`files[{}]`", index);
  const std::string shape = R"(a file is {"name": "data.csv", "content": "…"})";
  if (!value.is_object()) return bad(place + " must be an object", shape);
  PYBOX_TRY(check_keys(value, kKeys, place));
  for (const char* key : {"name", "content"}) {
    const json* text = find(value, key);
    if (text == nullptr || !text->is_string()) {
      return bad(fmt::format("{} needs the text `{}`", place, key), shape);
    }
  }
  InputFile file;
  file.name = value["name"].get<std::string>();
  file.bytes = value["content"].get<std::string>();
  PYBOX_TRY(files::check_input_name(file.name));
  const json* encoding = find(value, "encoding");
  if (encoding == nullptr || *encoding == "utf-8") return file;
  if (*encoding != "base64") {
    return bad(place + " has an unknown `encoding`", "it is `utf-8` or `base64`");
  }
  std::string decoded;
  if (!base64_decode(file.bytes, decoded)) {
    return bad(place + " is not base64", "use the standard alphabet with padding, without spaces");
  }
  file.bytes = std::move(decoded);
  return file;
}

Result<void> take_files(const json* value, Request& request) {
  if (value == nullptr) return {};
  if (!value->is_array()) return bad("`files` must be a list", "each file is an object in it");
  if (value->size() > ceiling::kFiles) {
    return Error(ErrorKind::Refused,
                 fmt::format("{} files were sent; the most is {}", value->size(), ceiling::kFiles))
        .hint("send fewer, or one archive");
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < value->size(); ++i) {
    InputFile file = PYBOX_TRY(file_from((*value)[i], i));
    total += file.bytes.size();
    request.inputs.push_back(std::move(file));
  }
  if (total > ceiling::kFileBytes) {
    return Error(ErrorKind::Refused,
                 fmt::format("the files hold {} bytes; the most is {}", total, ceiling::kFileBytes))
        .hint("send less data");
  }
  return {};
}

Result<void> take_dependencies(const json* value, Asked& asked) {
  if (value == nullptr) return {};
  const std::string hint = R"(it is a list of requirements: ["numpy>=2"])";
  if (!value->is_array()) return bad("`dependencies` must be a list", hint);
  if (value->size() > kMaxDependencies) {
    return bad(fmt::format("`dependencies` holds more than {} entries", kMaxDependencies), hint);
  }
  for (const json& item : *value) {
    if (!item.is_string() || item.get_ref<const std::string&>().size() > kMaxDependencyBytes) {
      return bad(fmt::format("each of `dependencies` must be text of at most {} bytes",
                             kMaxDependencyBytes),
                 hint);
    }
    asked.dependencies.push_back(item.get<std::string>());
  }
  return {};
}

/// The request of a call that says nothing.
Asked begin(Tool tool, const Operator& allowed) {
  Asked asked;
  Request& request = asked.request;
  request.engine = allowed.engine;
  request.image = allowed.images.front();
  request.python = allowed.python;
  request.timeout = allowed.default_of(tool);
  request.when_orphaned = Request::WhenOrphaned::Kill;
  request.limits = limits_for_image(request.image);
  request.limits.stdout_bytes = Bytes{allowed.default_output(tool)};
  request.limits.stderr_bytes = request.limits.stdout_bytes;
  return asked;
}

/// Precondition: `arguments` was taken by parse_json() before.
json parsed(std::string_view arguments) {
  auto value = parse_json(arguments);
  return value ? std::move(value).value() : json::object();
}

Result<void> take_run_python(const json& arguments, const Operator& allowed, Request& request) {
  constexpr std::array<std::string_view, 6> kKeys = {"code",  "timeout_s", "max_output_bytes",
                                                     "image", "files",     "return_files"};
  PYBOX_TRY(check_keys(arguments, kKeys, "`run_python`"));
  request.program = PYBOX_TRY(program_from(arguments, "code"));
  PYBOX_TRY(take_image(find(arguments, "image"), allowed, request));
  request.limits = limits_for_image(request.image);
  PYBOX_TRY(
      take_output_limit(find(arguments, "max_output_bytes"), Tool::RunPython, allowed, request));
  if (const json* timeout = find(arguments, "timeout_s")) {
    request.timeout = PYBOX_TRY(timeout_from(*timeout, "timeout_s", Tool::RunPython, allowed));
  }
  if (const json* wanted = find(arguments, "return_files")) {
    if (!wanted->is_boolean()) return bad("`return_files` must be true or false", "leave it out");
    request.return_files = wanted->get<bool>();
  }
  return take_files(find(arguments, "files"), request);
}

Result<void> take_execute_python(const json& arguments, const Operator& allowed, Asked& asked) {
  constexpr std::array<std::string_view, 3> kKeys = {"script", "dependencies", "timeout_seconds"};
  PYBOX_TRY(check_keys(arguments, kKeys, "`execute_python`"));
  asked.request.program = PYBOX_TRY(program_from(arguments, "script"));
  if (const json* timeout = find(arguments, "timeout_seconds")) {
    asked.request.timeout =
        PYBOX_TRY(timeout_from(*timeout, "timeout_seconds", Tool::ExecutePython, allowed));
  }
  return take_dependencies(find(arguments, "dependencies"), asked);
}

Result<void> take_validate_script(const json& arguments, Asked& asked) {
  constexpr std::array<std::string_view, 2> kKeys = {"script", "dependencies"};
  PYBOX_TRY(check_keys(arguments, kKeys, "`validate_script`"));
  asked.request.program = PYBOX_TRY(program_from(arguments, "script"));
  return take_dependencies(find(arguments, "dependencies"), asked);
}

Asked with(Result<void> taken, Asked asked) {
  if (!taken) asked.refusal = std::move(taken).error();
  return asked;
}

}  // namespace

Asked run_python_asked(std::string_view arguments, const Operator& allowed) {
  Asked asked = begin(Tool::RunPython, allowed);
  auto taken = take_run_python(parsed(arguments), allowed, asked.request);
  return with(std::move(taken), std::move(asked));
}

Asked execute_python_asked(std::string_view arguments, const Operator& allowed) {
  Asked asked = begin(Tool::ExecutePython, allowed);
  auto taken = take_execute_python(parsed(arguments), allowed, asked);
  return with(std::move(taken), std::move(asked));
}

Asked validate_script_asked(std::string_view arguments, const Operator& allowed) {
  Asked asked = begin(Tool::ValidateScript, allowed);
  auto taken = take_validate_script(parsed(arguments), asked);
  return with(std::move(taken), std::move(asked));
}

Asked nothing_asked(std::string_view arguments, const Operator& allowed) {
  Asked asked = begin(Tool::CheckEnvironment, allowed);
  auto taken = check_keys(parsed(arguments), {}, "`check_environment`");
  return with(std::move(taken), std::move(asked));
}

}  // namespace pybox::mcp
