#pragma once
/// One client, from its first line to its last answer: what may be asked when, what is running, how
/// much is left. Knows no descriptors but the event that a worker raises; lines come in by take()
/// and go out by the function it was given.
///
/// Everything happens in one thread. A call is answered at most once because whoever takes it off
/// the list of calls in flight decides its end: collect() answers it, a cancellation silences it.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "mcp/catalogue.hpp"
#include "mcp/lines.hpp"
#include "mcp/log.hpp"
#include "mcp/message.hpp"
#include "mcp/operator.hpp"
#include "mcp/worker.hpp"

namespace pybox::mcp {

class Session {
 public:
  using Send = std::function<void(std::string_view line)>;
  /// `done_fd` is the event that workers raise; all references outlive the session.
  Session(const Operator& allowed, Send send, Log& log, int done_fd);

  void take(const Line& line, Nanos now);
  /// Answers the calls whose runs have ended. To be called when done_fd is raised.
  void collect();
  /// Sends progress to those who asked for it.
  void tick(Nanos now);
  /// When tick() has something to do next; nullopt: nothing to do.
  std::optional<Nanos> next_tick() const;

  /// Cancels every run. None of them is answered.
  void cancel_all(std::string_view why);
  bool idle() const { return calls_.empty(); }
  /// More messages came than the operator allows: no further one is read.
  bool exhausted() const { return exhausted_; }
  bool anything_read() const { return messages_ > 0; }

 private:
  struct Call {
    std::string id;
    Era era = Era::Legacy;
    std::uint64_t batch = 0;
    std::string progress_token;
    Nanos next_progress{};
    unsigned progress = 0;
    bool cancelled = false;
    bool runs = false;  ///< a program; others take no place
    std::unique_ptr<Worker> worker;
  };
  /// Answers of a batch wait for each other and go out on one line.
  struct Batch {
    std::size_t open = 0;
    std::vector<std::string> answers;
  };
  /// Where an answer goes: to a line of its own, or into a batch.
  struct Asker {
    std::string id;
    Era era = Era::Legacy;
    std::uint64_t batch = 0;
  };

  bool count_message();
  void take_batch(const Frame& frame, Nanos now);
  void take_message(const Message& message, std::uint64_t batch, Nanos now);
  void take_request(const Message& message, const Asker& asker, Nanos now);
  void take_legacy(const Message& message, const Asker& asker, Nanos now);
  void take_modern(const Message& message, const Asker& asker, Nanos now);
  void initialize(const Message& message, const Asker& asker);
  void list_tools(const Message& message, const Asker& asker);
  void call_tool(const Message& message, const Asker& asker, Nanos now);
  void start(Tool tool, const CallParams& params, const Asker& asker, Nanos now);
  void cancel(const std::string& id);
  void finish(Call& call);

  bool has_place(bool runs) const;
  bool in_flight(std::string_view id) const;
  void answer(const Asker& asker, std::string_view result_members);
  void refuse(const Asker& asker, const Fault& fault);
  void deliver(std::uint64_t batch, std::string line);
  void close_one(std::uint64_t batch);

  const Operator& allowed_;
  Send send_;
  Log& log_;
  int done_fd_;
  Catalogue catalogue_;
  std::string version_;  ///< negotiated by `initialize`; empty before
  std::vector<Call> calls_;
  std::map<std::uint64_t, Batch> batches_;
  std::uint64_t last_batch_ = 0;
  std::uint32_t messages_ = 0;
  std::uint32_t calls_made_ = 0;
  bool exhausted_ = false;
};

}  // namespace pybox::mcp
