#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "link/order.hpp"

namespace pybox::link {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxWord = 256;     ///< names, ids, dates
constexpr std::size_t kMaxName = 1024;    ///< a path below /tmp/input (files/name.hpp)
constexpr std::size_t kMaxItems = 65536;  ///< of any list; the head's own size is the real bound
constexpr std::uint64_t kMaxLimit = 1ULL << 40U;

/// A field whose text or number is of the right type and still means nothing.
Error bad(const std::string& what) {
  return Error(ErrorKind::Protocol, "a run order has a wrong " + what);
}

bool is_digest(std::string_view text) {
  constexpr std::string_view kPrefix = "sha256:";
  return text.size() == kPrefix.size() + 64 && text.starts_with(kPrefix) &&
         text.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
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

Result<std::uint64_t> positive(JsonFields& fields, std::string_view key, std::uint64_t most) {
  const std::uint64_t value = PYBOX_TRY(fields.count(key, most));
  if (value == 0) return bad(fields.place(key));
  return value;
}

Result<std::uint32_t> positive32(JsonFields& fields, std::string_view key) {
  return static_cast<std::uint32_t>(PYBOX_TRY(positive(fields, key, 0xffffffffU)));
}

Result<Limits> limits_from(JsonFields fields) {
  constexpr std::uint64_t kMaxStream = 8 * ceiling::kOutputStreamBytes.count;
  Limits limits;
  limits.memory = Bytes{PYBOX_TRY(positive(fields, "memory_bytes", kMaxLimit))};
  limits.pids = PYBOX_TRY(positive32(fields, "pids"));
  limits.cpu = MilliCores{PYBOX_TRY(positive32(fields, "cpu_millicores"))};
  limits.stdout_bytes = Bytes{PYBOX_TRY(fields.count("stdout_bytes", kMaxStream))};
  limits.stderr_bytes = Bytes{PYBOX_TRY(fields.count("stderr_bytes", kMaxStream))};
  limits.tmp = Bytes{PYBOX_TRY(positive(fields, "tmp_bytes", kMaxLimit))};
  limits.tmp_inodes = PYBOX_TRY(positive32(fields, "tmp_inodes"));
  PYBOX_TRY(fields.finish());
  return limits;
}

/// Arguments are bytes (man 2 execve), JSON is text: they travel in base64.
Result<std::vector<std::string>> args_from(const std::vector<const json*>& list) {
  std::vector<std::string> args;
  for (const json* item : list) {
    std::string arg;
    if (!item->is_string() || !base64_decode(item->get_ref<const std::string&>(), arg) ||
        arg.find('\0') != std::string::npos) {
      return bad("args_base64");
    }
    args.push_back(std::move(arg));
  }
  return args;
}

Result<std::vector<OrderHead::File>> inputs_from(const std::vector<const json*>& list) {
  std::vector<OrderHead::File> files;
  std::uint64_t total = 0;
  for (const json* item : list) {
    JsonFields fields = PYBOX_TRY(JsonFields::of(*item, "inputs"));
    OrderHead::File file;
    file.name = PYBOX_TRY(fields.text("name", kMaxName));
    file.bytes = PYBOX_TRY(fields.count("bytes", ceiling::kInputBytes.count));
    if (PYBOX_TRY(fields.flag("folder"))) file.kind = InputFile::Kind::Folder;
    PYBOX_TRY(fields.finish());
    total += file.bytes;
    const bool folder_with_bytes = file.kind == InputFile::Kind::Folder && file.bytes > 0;
    if (!is_input_name(file.name) || folder_with_bytes || total > ceiling::kInputBytes.count) {
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
    head.order.request.inputs.push_back({std::move(file.name), take(file.bytes), file.kind});
  }
  return std::move(head.order);
}

Result<void> fill_words(RunOrder& order, JsonFields& fields) {
  order.receipt_id = PYBOX_TRY(fields.text("receipt_id", kMaxWord));
  if (!is_plain_word(order.receipt_id)) return bad("receipt_id");
  order.created_at = PYBOX_TRY(fields.text("created_at", kMaxWord));
  order.image_id = PYBOX_TRY(fields.text("image_id", kMaxWord));
  if (!is_digest(order.image_id)) return bad("image_id");
  order.rootfs = PYBOX_TRY(fields.text("rootfs"));
  if (!order.rootfs.empty() && !order.rootfs.starts_with('/')) return bad("rootfs");
  order.code_sha256 = PYBOX_TRY(fields.text("code_sha256", kMaxWord));
  order.stream_output = PYBOX_TRY(fields.flag("stream_output"));
  order.has_stdin = PYBOX_TRY(fields.flag("has_stdin"));
  for (const json* name : PYBOX_TRY(fields.list("leave_out", kMaxItems))) {
    if (!name->is_string() || !is_plain_word(name->get_ref<const std::string&>())) {
      return bad("leave_out");
    }
    order.leave_out.push_back(name->get<std::string>());
  }
  return {};
}

Result<void> fill_request(Request& request, JsonFields& fields) {
  constexpr auto kMaxNanos = static_cast<std::uint64_t>(ceiling::kMaxTimeoutOperator / Nanos(1));
  const auto engine = engine_from(PYBOX_TRY(fields.text("engine", kMaxWord)));
  if (!engine) return bad("engine");
  request.engine = *engine;
  request.image = PYBOX_TRY(fields.text("image", kMaxWord));
  request.python = PYBOX_TRY(fields.text("python", kMaxWord));
  request.timeout = Nanos(PYBOX_TRY(positive(fields, "timeout_ns", kMaxNanos)));
  request.program_name = PYBOX_TRY(fields.text("program_name", kMaxWord));
  const std::vector<const json*> args = PYBOX_TRY(fields.list("args_base64", kMaxItems));
  request.args = PYBOX_TRY(args_from(args));
  request.return_files = PYBOX_TRY(fields.flag("return_files"));
  request.cold = PYBOX_TRY(fields.flag("cold"));
  const std::string orphaned = PYBOX_TRY(fields.text("when_orphaned", kMaxWord));
  if (orphaned != "run_on" && orphaned != "kill") return bad("when_orphaned");
  request.when_orphaned =
      orphaned == "kill" ? Request::WhenOrphaned::Kill : Request::WhenOrphaned::RunOn;
  const JsonFields limits = PYBOX_TRY(fields.object("limits"));
  request.limits = PYBOX_TRY(limits_from(limits));
  return check_program_name(request.program_name);
}

}  // namespace

std::string order_head(const RunOrder& order) {
  const Request& request = order.request;
  json inputs = json::array();
  for (const InputFile& file : request.inputs) {
    inputs.push_back({{"name", file.name},
                      {"bytes", file.bytes.size()},
                      {"folder", file.kind == InputFile::Kind::Folder}});
  }
  json args = json::array();
  for (const std::string& arg : request.args) args.push_back(base64_encode(arg));
  const json head = {
      {"receipt_id", order.receipt_id},
      {"created_at", order.created_at},
      {"image_id", order.image_id},
      {"rootfs", order.rootfs},
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
  const json root = PYBOX_TRY_CONTEXT(parse_json(text), "the run order");
  JsonFields fields = PYBOX_TRY_CONTEXT(JsonFields::of(root, ""), "the run order");
  OrderHead head;
  PYBOX_TRY(fill_words(head.order, fields));
  PYBOX_TRY(fill_request(head.order.request, fields));
  head.program_bytes = PYBOX_TRY(fields.count("program_bytes", ceiling::kProgramBytes.count));
  const std::vector<const json*> inputs = PYBOX_TRY(fields.list("inputs", ceiling::kInputEntries));
  head.inputs = PYBOX_TRY(inputs_from(inputs));
  PYBOX_TRY(fields.finish());
  return head;
}

Result<RunOrder> order_from(std::string_view head, std::string_view body) {
  return with_body(PYBOX_TRY(order_head_from(head)), body);
}

}  // namespace pybox::link
