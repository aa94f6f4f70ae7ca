#include "mcp/session.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "mcp/tools.hpp"
#include "mcp/wire.hpp"

namespace pybox::mcp {
namespace {

/// Progress tells a client with a timeout of its own that the run is alive.
constexpr Nanos kProgressEvery = std::chrono::seconds(1);

/// Calls that run no program, at once.
constexpr std::ptrdiff_t kMaxQuickCalls = 4;

Fault unknown_method(std::string_view method) {
  return {code::kMethodNotFound,
          fmt::format("Method not found: {}", visible(method.substr(0, 100))),
          {}};
}

}  // namespace

Session::Session(const Operator& allowed, Send send, Log& log, int done_fd)
    : allowed_(allowed),
      send_(std::move(send)),
      log_(log),
      done_fd_(done_fd),
      catalogue_(allowed) {}

bool Session::count_message() {
  if (exhausted_) return false;
  if (messages_ == allowed_.max_messages) {
    exhausted_ = true;
    log_.line(fmt::format("closed: more than {} messages came in one session (`--max-messages`)",
                          allowed_.max_messages));
    return false;
  }
  ++messages_;
  return true;
}

void Session::take(const Line& line, Nanos now) {
  if (line.too_long) {
    if (!count_message()) return;
    refuse({}, {code::kInvalidRequest,
                fmt::format("a message is at most {} bytes long", kMaxLineBytes),
                {}});
    return;
  }
  const Frame frame = read_frame(line.text);
  if (frame.is_batch && !frame.fault) return take_batch(frame, now);
  if (frame.fault) {
    if (count_message()) refuse({}, *frame.fault);
    return;
  }
  if (count_message()) take_message(frame.messages.front(), 0, now);
}

void Session::take_batch(const Frame& frame, Nanos now) {
  const bool initializes =
      std::any_of(frame.messages.begin(), frame.messages.end(),
                  [](const Message& message) { return message.method == "initialize"; });
  if (version_ != kBatchVersion || initializes) {
    if (!count_message()) return;
    refuse({}, {code::kInvalidRequest,
                initializes ? "`initialize` must not be part of a batch"
                            : "batches belong to revision 2025-03-26 alone",
                {}});
    return;
  }
  const std::uint64_t batch = ++last_batch_;
  batches_[batch].open = 1;  // held until every message was looked at
  for (const Message& message : frame.messages) {
    if (!count_message()) break;
    take_message(message, batch, now);
  }
  close_one(batch);
}

void Session::take_message(const Message& message, std::uint64_t batch, Nanos now) {
  const Asker asker{message.id, message.era, batch};
  switch (message.kind) {
    case Message::Kind::Response: return;
    case Message::Kind::Notification:
      // Whatever it says, a notification is never answered and never makes a run.
      if (message.method == "notifications/cancelled" && !message.fault) {
        cancel(cancelled_id(message.params));
      }
      return;
    case Message::Kind::Broken:
    case Message::Kind::Request:
      if (batch != 0) ++batches_[batch].open;
      if (message.kind == Message::Kind::Broken) return refuse(asker, *message.fault);
      return take_request(message, asker, now);
  }
}

void Session::take_request(const Message& message, const Asker& asker, Nanos now) {
  if (message.fault) return refuse(asker, *message.fault);
  if (in_flight(message.id)) {
    return refuse(asker, {code::kInvalidRequest, "a request with this `id` is in progress", {}});
  }
  if (message.era == Era::Modern) return take_modern(message, asker, now);
  take_legacy(message, asker, now);
}

void Session::take_modern(const Message& message, const Asker& asker, Nanos now) {
  if (message.method == "server/discover") return answer(asker, catalogue_.discover());
  if (message.method == "tools/list") return list_tools(message, asker);
  if (message.method == "tools/call") return call_tool(message, asker, now);
  refuse(asker, unknown_method(message.method));
}

void Session::take_legacy(const Message& message, const Asker& asker, Nanos now) {
  if (message.method == "initialize") return initialize(message, asker);
  if (message.method == "ping") return answer(asker, "");
  // Some clients ask for these although no such capability is declared, and give up on an error.
  const std::string_view empty_list = message.method == "resources/list" ? R"("resources":[])"
                                      : message.method == "resources/templates/list"
                                          ? R"("resourceTemplates":[])"
                                      : message.method == "prompts/list" ? R"("prompts":[])"
                                                                         : "";
  const bool lists = message.method == "tools/list";
  const bool calls = message.method == "tools/call";
  if (empty_list.empty() && !lists && !calls) return refuse(asker, unknown_method(message.method));
  if (version_.empty()) {
    return refuse(asker, {code::kInvalidRequest, "not initialized: send `initialize` first", {}});
  }
  if (!empty_list.empty()) return answer(asker, empty_list);
  if (lists) return list_tools(message, asker);
  call_tool(message, asker, now);
}

void Session::initialize(const Message& message, const Asker& asker) {
  const auto asked = protocol_version_from(message.params);
  if (!asked) return refuse(asker, {code::kInvalidParams, asked.error().message(), {}});
  version_ = negotiate(*asked);
  answer(asker, catalogue_.initialize(version_));
}

void Session::list_tools(const Message& message, const Asker& asker) {
  const auto checked = check_list_params(message.params);
  if (!checked) return refuse(asker, {code::kInvalidParams, checked.error().message(), {}});
  answer(asker, catalogue_.tools(asker.era));
}

void Session::call_tool(const Message& message, const Asker& asker, Nanos now) {
  const auto params = call_params_from(message.params);
  if (!params) return refuse(asker, {code::kInvalidParams, params.error().message(), {}});
  const auto tool = tool_from(params->tool);
  if (!tool || !allowed_.offers(*tool)) {
    return refuse(asker, {code::kInvalidParams,
                          fmt::format("Unknown tool: {}",
                                      visible(std::string_view(params->tool).substr(0, 100))),
                          {}});
  }
  start(*tool, *params, asker, now);
}

void Session::start(Tool tool, const CallParams& params, const Asker& asker, Nanos now) {
  PreparedCall prepared = prepare_call(tool, params.arguments, allowed_, asker.id.size());
  ++calls_made_;
  std::optional<Error> refusal;
  if (calls_made_ > allowed_.max_calls) {
    refusal = Error(ErrorKind::Usage,
                    fmt::format("this session has made its {} calls (set by the server)",
                                allowed_.max_calls))
                  .hint("start a new session");
  } else if (!prepared.refused && !has_place(prepared.runs)) {
    refusal = Error(ErrorKind::Usage,
                    fmt::format("busy: a call is in progress, and this server runs {} at once",
                                allowed_.max_concurrent))
                  .hint("wait for its answer, then call again");
  }
  if (refusal) return answer(asker, prepared.refuse(*refusal).body);
  if (prepared.refused) return answer(asker, prepared.refused->body);
  auto worker = Worker::start(std::move(prepared.job), done_fd_);
  if (!worker) return answer(asker, prepared.refuse(worker.error()).body);
  const bool token_is_free = std::none_of(calls_.begin(), calls_.end(), [&](const Call& call) {
    return call.progress_token == params.progress_token;
  });
  calls_.push_back({asker.id, asker.era, asker.batch, token_is_free ? params.progress_token : "",
                    now + kProgressEvery, 0, false, prepared.runs, std::move(*worker)});
}

void Session::cancel(const std::string& id) {
  if (id.empty()) return;
  for (Call& call : calls_) {
    if (call.id != id || call.cancelled) continue;
    call.cancelled = true;
    call.worker->cancel();
    return;
  }
}

void Session::cancel_all(std::string_view why) {
  for (Call& call : calls_) {
    if (call.cancelled) continue;
    log_.line(fmt::format("cancelling a call: {}", why));
    call.cancelled = true;
    call.worker->cancel();
  }
}

void Session::collect() {
  for (Call& call : calls_) {
    if (call.worker->finished()) finish(call);
  }
  std::erase_if(calls_, [](const Call& call) { return call.worker == nullptr; });
}

void Session::finish(Call& call) {
  const CallOutcome outcome = call.worker->take();
  call.worker.reset();
  if (!call.cancelled) return answer({call.id, call.era, call.batch}, outcome.body);
  log_.line("cancelled call: " + outcome.log);
  if (call.batch != 0) close_one(call.batch);
}

void Session::tick(Nanos now) {
  for (Call& call : calls_) {
    if (call.progress_token.empty() || call.cancelled || now < call.next_progress) continue;
    // A run that has ended is answered next; progress may not come after that.
    if (call.worker->finished()) continue;
    call.next_progress = now + kProgressEvery;
    send_(progress_line(call.progress_token, ++call.progress));
  }
}

std::optional<Nanos> Session::next_tick() const {
  std::optional<Nanos> next;
  for (const Call& call : calls_) {
    if (call.progress_token.empty() || call.cancelled || call.worker->finished()) continue;
    if (!next || call.next_progress < *next) next = call.next_progress;
  }
  return next;
}

bool Session::has_place(bool runs) const {
  const auto same = std::count_if(calls_.begin(), calls_.end(),
                                  [&](const Call& call) { return call.runs == runs; });
  return same < (runs ? allowed_.max_concurrent : kMaxQuickCalls);
}

bool Session::in_flight(std::string_view id) const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [&](const Call& call) { return call.id == id && !call.cancelled; });
}

void Session::answer(const Asker& asker, std::string_view result_members) {
  deliver(asker.batch, result_line(asker.id, result_of(asker.era, result_members)));
}

void Session::refuse(const Asker& asker, const Fault& fault) {
  deliver(asker.batch, error_line(asker.id, fault));
}

void Session::deliver(std::uint64_t batch, std::string line) {
  if (batch == 0) return send_(line);
  batches_[batch].answers.push_back(std::move(line));
  close_one(batch);
}

void Session::close_one(std::uint64_t batch) {
  const auto found = batches_.find(batch);
  if (--found->second.open > 0) return;
  std::string line;
  for (const std::string& answer : found->second.answers)
    line += (line.empty() ? "[" : ",") + answer;
  batches_.erase(found);
  if (!line.empty()) send_(line + "]");
}

}  // namespace pybox::mcp
