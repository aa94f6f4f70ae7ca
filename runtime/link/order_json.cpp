#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "link/order.hpp"

namespace pybox::link {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxWord = 256;     ///< names, ids, dates
constexpr std::size_t kMaxName = 4096;    ///< a path below /tmp/input (PATH_MAX)
constexpr std::size_t kMaxItems = 65536;  ///< of any list; the head's own size is the real bound
constexpr std::uint64_t kMaxLimit = 1ULL << 40U;

/// Reads typed fields of one object and remembers the first that is wrong, so that the callers stay
/// straight lines. After ok() is false every value read is a default.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {}

  std::string text(const char* key, std::size_t most = kMaxWord) {
    const json* value = find(key);
    if (value == nullptr || !value->is_string()) return wrong(key), std::string();
    const auto& string = value->get_ref<const std::string&>();
    if (string.size() > most) return wrong(key), std::string();
    return string;
  }
  bool boolean(const char* key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_boolean()) return wrong(key), false;
    return value->get<bool>();
  }
  std::uint64_t number(const char* key, std::uint64_t least, std::uint64_t most) {
    const json* value = find(key);
    if (value == nullptr || !value->is_number_unsigned()) return wrong(key), 0;
    const auto n = value->get<std::uint64_t>();
    if (n < least || n > most) return wrong(key), 0;
    return n;
  }
  const json& list(const char* key) {
    static const json kEmpty = json::array();
    const json* value = find(key);
    if (value == nullptr || !value->is_array() || value->size() > kMaxItems) {
      return wrong(key), kEmpty;
    }
    return *value;
  }
  const json& object(const char* key) {
    static const json kEmpty = json::object();
    const json* value = find(key);
    if (value == nullptr || !value->is_object()) return wrong(key), kEmpty;
    return *value;
  }
  void wrong(const char* key) {
    if (problem_.empty()) problem_ = key;
  }
  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }

 private:
  const json* find(const char* key) const {
    const auto it = object_.find(key);
    return it == object_.end() ? nullptr : &*it;
  }
  const json& object_;
  std::string problem_;
};

Error bad(const std::string& what) {
  return Error(ErrorKind::Protocol, "a run order has a wrong " + what);
}

bool is_digest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

/// Receipt ids and protection names become file names and log words.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 && !text.starts_with('.') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_' || c == '.';
         });
}

/// Relative, and no component that would climb or vanish.
bool is_input_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxName || name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (true) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part.empty() || part == "." || part == ".." || part.size() > 255) return false;
    if (part.size() == name.size()) return true;
    name.remove_prefix(part.size() + 1);
  }
}

json limits_json(const Limits& limits) {
  return {{"memory_bytes", limits.memory.count},
          {"pids", limits.pids},
          {"cpu_millicores", limits.cpu.count},
          {"stdout_bytes", limits.stdout_bytes.count},
          {"stderr_bytes", limits.stderr_bytes.count},
          {"tmp_bytes", limits.tmp.count},
          {"tmp_inodes", limits.tmp_inodes}};
}

Limits limits_from(Fields fields, std::string& problem) {
  constexpr std::uint64_t kMax32 = 0xffffffffU;
  Limits limits;
  limits.memory = Bytes{fields.number("memory_bytes", 1, kMaxLimit)};
  limits.pids = static_cast<std::uint32_t>(fields.number("pids", 1, kMax32));
  limits.cpu = MilliCores{static_cast<std::uint32_t>(fields.number("cpu_millicores", 1, kMax32))};
  limits.stdout_bytes =
      Bytes{fields.number("stdout_bytes", 0, 8 * ceiling::kOutputStreamBytes.count)};
  limits.stderr_bytes =
      Bytes{fields.number("stderr_bytes", 0, 8 * ceiling::kOutputStreamBytes.count)};
  limits.tmp = Bytes{fields.number("tmp_bytes", 1, kMaxLimit)};
  limits.tmp_inodes = static_cast<std::uint32_t>(fields.number("tmp_inodes", 1, kMax32));
  problem = fields.problem();
  return limits;
}

/// Arguments are bytes (man 2 execve), JSON is text: they travel in base64.
Result<std::vector<std::string>> args_from(const json& list) {
  std::vector<std::string> args;
  for (const json& item : list) {
    std::string arg;
    if (!item.is_string() || !base64_decode(item.get_ref<const std::string&>(), arg) ||
        arg.find('\0') != std::string::npos) {
      return bad("args");
    }
    args.push_back(std::move(arg));
  }
  return args;
}

Result<std::vector<OrderHead::File>> inputs_from(const json& list) {
  std::vector<OrderHead::File> files;
  std::uint64_t total = 0;
  for (const json& item : list) {
    if (!item.is_object()) return bad("inputs");
    Fields fields(item);
    OrderHead::File file{fields.text("name", kMaxName),
                         fields.number("bytes", 0, ceiling::kInputBytes.count)};
    total += file.bytes;
    if (!fields.ok() || !is_input_name(file.name) || total > ceiling::kInputBytes.count) {
      return bad("inputs");
    }
    files.push_back(std::move(file));
  }
  return files;
}

/// Cuts the body into the program and the input files, exactly.
Result<RunOrder> with_body(OrderHead head, std::string_view body) {
  const auto take = [&](std::uint64_t size) {
    const std::string_view part = body.substr(0, size);
    body.remove_prefix(part.size());
    return std::string(part);
  };
  std::uint64_t announced = head.program_bytes;
  for (const OrderHead::File& file : head.inputs) announced += file.bytes;
  if (announced != body.size()) return bad("body size");
  head.order.request.program = take(head.program_bytes);
  for (OrderHead::File& file : head.inputs) {
    head.order.request.inputs.push_back({std::move(file.name), take(file.bytes)});
  }
  return std::move(head.order);
}

Result<void> fill_words(RunOrder& order, Fields& fields) {
  order.receipt_id = fields.text("receipt_id");
  if (!is_word(order.receipt_id)) fields.wrong("receipt_id");
  order.created_at = fields.text("created_at");
  order.image_id = fields.text("image_id");
  if (!is_digest(order.image_id)) fields.wrong("image_id");
  order.code_sha256 = fields.text("code_sha256");
  order.stream_output = fields.boolean("stream_output");
  order.has_stdin = fields.boolean("has_stdin");
  for (const json& name : fields.list("leave_out")) {
    if (!name.is_string() || !is_word(name.get_ref<const std::string&>())) return bad("leave_out");
    order.leave_out.push_back(name.get<std::string>());
  }
  return {};
}

Result<void> fill_request(Request& request, Fields& fields) {
  const auto engine = engine_from(fields.text("engine"));
  if (!engine) fields.wrong("engine");
  request.engine = engine.value_or(EngineKind::Vm);
  request.image = fields.text("image");
  request.python = fields.text("python");
  request.timeout = Nanos(fields.number(
      "timeout_ns", 1, static_cast<std::uint64_t>(ceiling::kMaxTimeoutOperator / Nanos(1))));
  request.program_name = fields.text("program_name");
  request.args = PYBOX_TRY(args_from(fields.list("args_base64")));
  request.return_files = fields.boolean("return_files");
  request.cold = fields.boolean("cold");
  const std::string orphaned = fields.text("when_orphaned");
  if (orphaned != "run_on" && orphaned != "kill") fields.wrong("when_orphaned");
  request.when_orphaned =
      orphaned == "kill" ? Request::WhenOrphaned::Kill : Request::WhenOrphaned::RunOn;
  std::string problem;
  request.limits = limits_from(Fields(fields.object("limits")), problem);
  if (!problem.empty()) return bad("limits." + problem);
  return {};
}

}  // namespace

std::string order_head(const RunOrder& order) {
  const Request& request = order.request;
  json inputs = json::array();
  for (const InputFile& file : request.inputs) {
    inputs.push_back({{"name", file.name}, {"bytes", file.bytes.size()}});
  }
  json args = json::array();
  for (const std::string& arg : request.args) args.push_back(base64_encode(arg));
  const json head = {
      {"receipt_id", order.receipt_id},
      {"created_at", order.created_at},
      {"image_id", order.image_id},
      {"code_sha256", order.code_sha256},
      {"stream_output", order.stream_output},
      {"has_stdin", order.has_stdin},
      {"leave_out", order.leave_out},
      {"engine", name_of(request.engine)},
      {"image", request.image},
      {"python", request.python},
      {"timeout_ns", static_cast<std::uint64_t>(request.timeout.count())},
      {"program_name", request.program_name},
      {"program_bytes", request.program.size()},
      {"args_base64", std::move(args)},
      {"inputs", std::move(inputs)},
      {"return_files", request.return_files},
      {"cold", request.cold},
      {"when_orphaned", request.when_orphaned == Request::WhenOrphaned::Kill ? "kill" : "run_on"},
      {"limits", limits_json(request.limits)}};
  // Names were checked to be UTF-8 by request/; replacing is for a caller that did not.
  return head.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string order_body(const RunOrder& order) {
  std::string body = order.request.program;
  for (const InputFile& file : order.request.inputs) body += file.bytes;
  return body;
}

Result<OrderHead> order_head_from(std::string_view text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return bad("head (no JSON object)");
  OrderHead head;
  Fields fields(root);
  PYBOX_TRY(fill_words(head.order, fields));
  PYBOX_TRY(fill_request(head.order.request, fields));
  head.program_bytes = fields.number("program_bytes", 0, ceiling::kProgramBytes.count);
  const json& inputs = fields.list("inputs");
  if (!fields.ok()) return bad(fields.problem());
  PYBOX_TRY(check_program_name(head.order.request.program_name));
  head.inputs = PYBOX_TRY(inputs_from(inputs));
  return head;
}

Result<RunOrder> order_from(std::string_view head, std::string_view body) {
  return with_body(PYBOX_TRY(order_head_from(head)), body);
}

}  // namespace pybox::link
