#pragma once
/// One line of input as messages: JSON-RPC 2.0 envelopes, checked, with the protocol era each one
/// belongs to. Hostile input: any bytes at all.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mcp/wire.hpp"

namespace pybox::mcp {

/// Legacy: revisions 2024-11-05 to 2025-11-25, which begin with `initialize`. Modern: 2026-07-28,
/// where every request names its version in `params._meta` and nothing is remembered.
enum class Era { Legacy, Modern };

constexpr std::string_view kModernVersion = "2026-07-28";
constexpr std::string_view kNewestLegacyVersion = "2025-11-25";
/// The only revision in which a list of messages on one line must be served.
constexpr std::string_view kBatchVersion = "2025-03-26";

/// Error codes aside, more than this in one batch is no use anybody has shown.
constexpr std::size_t kMaxBatch = 32;

struct Message {
  enum class Kind {
    Request,
    Notification,
    Response,  ///< to be ignored: PyBox asks nothing
    Broken,    ///< neither; `fault` says why, `id` is set when it could be read
  };
  Kind kind = Kind::Broken;
  Era era = Era::Legacy;
  std::string id;      ///< as usable_id() gives it; empty: none
  std::string method;  ///< as sent, any bytes of UTF-8
  std::string params;  ///< the text of an object, "{}" when absent
  /// Also set on a Request whose `params` or `_meta` do not fit.
  std::optional<Fault> fault;
};

struct Frame {
  bool is_batch = false;
  std::optional<Fault> fault;  ///< of the frame as a whole; then there are no messages
  std::vector<Message> messages;
};

Frame read_frame(std::string_view line);

/// The parameters of the methods that have any. Precondition: `params` is Message::params. Errors
/// have kind Usage: invalid parameters.
Result<std::string> protocol_version_from(std::string_view params);
Result<void> check_list_params(std::string_view params);
struct CallParams {
  std::string tool;
  std::string arguments;       ///< the text of an object
  std::string progress_token;  ///< a JSON token; empty: no progress is wanted
};
Result<CallParams> call_params_from(std::string_view params);
/// Of notifications/cancelled; empty when it names nothing that could be a request.
std::string cancelled_id(std::string_view params);

/// The version that answers an `initialize`: the client's when PyBox knows it, else the newest.
std::string_view negotiate(std::string_view asked);

}  // namespace pybox::mcp
