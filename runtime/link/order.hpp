#pragma once
/// A run as boxd gets it: the head of a Run frame. Carries everything a receipt needs from the
/// request, so that boxd can keep the record of a run whose client died.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "request/request.hpp"

namespace pybox::link {

struct RunOrder {
  std::string receipt_id;
  std::string created_at;  ///< RFC 3339
  std::string image_id;
  std::string rootfs;  ///< native engine: where the image's tree is; empty for a guest's boxd
  std::string code_sha256;
  Request request;             ///< program and inputs travel in the frame's body
  bool stream_output = false;  ///< send Output frames while the program runs
  bool has_stdin = false;      ///< false: the program's stdin is empty
  /// boxd-campaign only: protections left out. The released boxd refuses an order that names any.
  std::vector<std::string> leave_out;
};

/// Head JSON and body of the Run frame.
std::string order_head(const RunOrder& order);
std::string order_body(const RunOrder& order);

/// What a head announces: everything but the bytes of program and files.
struct OrderHead {
  struct File {
    std::string name;
    std::uint64_t bytes = 0;
    InputFile::Kind kind = InputFile::Kind::File;
  };
  RunOrder order;  ///< its request has no program and no inputs
  std::uint64_t program_bytes = 0;
  std::vector<File> inputs;
};
/// Reads the head alone, for a record that outlived the body.
Result<OrderHead> order_head_from(std::string_view head);
/// Reads head and body back; checks sizes against what was announced.
Result<RunOrder> order_from(std::string_view head, std::string_view body);

}  // namespace pybox::link
