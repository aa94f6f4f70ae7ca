#include "link/frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pybox::link {
namespace {

constexpr std::string_view kMagic = "PBX1";
constexpr std::size_t kHeaderSize = 32;
constexpr std::size_t kCheckAt = 28;

/// Fowler/Noll/Vo 1a, 32 bit (RFC 9923): finds noise, is no protection against a forger.
std::uint32_t fnv1a(std::string_view bytes) {
  std::uint32_t hash = 2166136261U;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 16777619U;
  }
  return hash;
}

void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
  }
}

std::uint64_t get(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

struct Header {
  std::uint8_t type = 0;
  std::uint64_t run = 0;
  std::size_t head = 0;
  std::size_t body = 0;
};

/// Precondition: `bytes` holds at least kHeaderSize.
std::optional<Header> header_in(std::string_view bytes) {
  const std::string_view raw = bytes.substr(0, kHeaderSize);
  if (!raw.starts_with(kMagic)) return std::nullopt;
  if (get(raw, kCheckAt, 4) != fnv1a(raw.substr(0, kCheckAt))) return std::nullopt;
  if (get(raw, 5, 3) != 0 || get(raw, 24, 4) != 0) return std::nullopt;
  const Header header{static_cast<std::uint8_t>(get(raw, 4, 1)), get(raw, 8, 8),
                      static_cast<std::size_t>(get(raw, 16, 4)),
                      static_cast<std::size_t>(get(raw, 20, 4))};
  if (header.head > kMaxHead.count || header.body > kMaxBody.count) return std::nullopt;
  return header;
}

bool is_known(std::uint8_t type) {
  switch (static_cast<FrameType>(type)) {
    case FrameType::Hello:
    case FrameType::Run:
    case FrameType::Stdin:
    case FrameType::Stop:
    case FrameType::ClientGone:
    case FrameType::AttachImage:
    case FrameType::Shutdown:
    case FrameType::AskGuest:
    case FrameType::AskStatus:
    case FrameType::StopVm:
    case FrameType::Ready:
    case FrameType::Output:
    case FrameType::Report:
    case FrameType::Failed:
    case FrameType::ImageReady:
    case FrameType::Started:
    case FrameType::StdinTaken:
    case FrameType::GuestIs:
    case FrameType::Status: return true;
  }
  return false;
}

}  // namespace

std::string encode(const Frame& frame) {
  std::string out;
  out.reserve(kHeaderSize + frame.head.size() + frame.body.size());
  out += kMagic;
  put(out, static_cast<std::uint8_t>(frame.type), 1);
  put(out, 0, 3);
  put(out, frame.run, 8);
  put(out, frame.head.size(), 4);
  put(out, frame.body.size(), 4);
  put(out, 0, 4);
  put(out, fnv1a(out), 4);
  out += frame.head;
  out += frame.body;
  return out;
}

void FrameReader::feed(std::string_view bytes) {
  // Compacting only when at least half is spent keeps the copying linear in what was fed.
  if (start_ > 0 && start_ >= buffer_.size() / 2) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  for (;;) {
    seek_magic();
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    if (rest.size() < kHeaderSize) return std::nullopt;
    const std::optional<Header> header = header_in(rest);
    if (!header) {
      skip(1);
      continue;
    }
    const std::size_t size = kHeaderSize + header->head + header->body;
    if (rest.size() < size) return std::nullopt;
    if (!is_known(header->type)) {
      // Skipped whole: searching its body for headers would let its author forge frames.
      skip(size);
      continue;
    }
    Frame frame{static_cast<FrameType>(header->type), header->run,
                std::string(rest.substr(kHeaderSize, header->head)),
                std::string(rest.substr(kHeaderSize + header->head, header->body))};
    start_ += size;
    return frame;
  }
}

void FrameReader::seek_magic() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  std::size_t at = rest.find(kMagic);
  if (at == std::string_view::npos) {
    // The last bytes may be the beginning of a magic that is still on its way.
    std::size_t kept = std::min(rest.size(), kMagic.size() - 1);
    while (kept > 0 && !kMagic.starts_with(rest.substr(rest.size() - kept))) --kept;
    at = rest.size() - kept;
  }
  skip(at);
}

void FrameReader::skip(std::size_t count) {
  start_ += count;
  skipped_ += count;
}

}  // namespace pybox::link
