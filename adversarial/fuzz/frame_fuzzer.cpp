/// Frames of the link: what is read does not depend on how the bytes arrive, and is what was sent.

#include <algorithm>
#include <vector>

#include "link/frame.hpp"
#include "oracle.hpp"

namespace {

using pybox::link::Frame;
using pybox::link::FrameReader;

struct Read {
  std::vector<Frame> frames;
  std::uint64_t skipped = 0;
};

Read read_in_pieces(std::string_view bytes, std::size_t piece) {
  FrameReader reader;
  Read read;
  while (!bytes.empty()) {
    const std::size_t size = std::min(piece, bytes.size());
    reader.feed(bytes.substr(0, size));
    while (auto frame = reader.next()) read.frames.push_back(*std::move(frame));
    bytes.remove_prefix(size);
  }
  read.skipped = reader.skipped();
  return read;
}

bool same(const Frame& a, const Frame& b) {
  return a.type == b.type && a.run == b.run && a.head == b.head && a.body == b.body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pybox::fuzz::require;
  const std::string_view bytes = pybox::fuzz::text_of(data, size);
  const Read whole = read_in_pieces(bytes, bytes.size());
  Read pieces = read_in_pieces(bytes, bytes.empty() ? 1 : 1 + data[0] % 37);
  if (pybox::fuzz::has_seeded_defect() && !pieces.frames.empty()) ++pieces.frames.back().run;
  require(whole.skipped == pieces.skipped, "pieces skip other bytes");
  require(whole.frames.size() == pieces.frames.size(), "pieces give other frames");
  std::size_t used = 0;
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    require(same(whole.frames[i], pieces.frames[i]), "a frame differs in pieces");
    const std::string sent = pybox::link::encode(whole.frames[i]);
    require(bytes.find(sent) != std::string_view::npos, "a frame that was not sent");
    used += sent.size();
  }
  require(used + whole.skipped <= bytes.size(), "more bytes read than sent");
  return 0;
}
