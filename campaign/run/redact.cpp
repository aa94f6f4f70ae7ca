#include "campaign/run/redact.hpp"

#include <algorithm>
#include <cctype>

#include "base/digest.hpp"

namespace pybox::campaign {
namespace {

constexpr std::size_t kShortest = 3;
/// Shared by many machines, or words of a probe's line, without which it would say nothing.
constexpr std::string_view kEverybodys[] = {"root",  "/root", "localhost", "00:00:00:00:00:00",
                                            "nonce", "proof", "signature", "detail",
                                            "pybox"};
constexpr std::size_t kBlock = 64;  // of SHA-256

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_path(std::string_view secret) { return secret.find('/') != std::string_view::npos; }

/// Whether `text` begins with the secret as a word of its own, behind what was there before.
bool begins_with(std::string_view text, std::string_view secret, std::string_view before) {
  if (!text.starts_with(secret)) return false;
  if (text.size() > secret.size() && is_word(text[secret.size()])) return false;
  return is_path(secret) || before.empty() || !is_word(before.back());
}

std::string from_hex(std::string_view hex) {
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(value(hex[i]) * 16 + value(hex[i + 1]));
  return bytes;
}

std::string padded(std::string key, unsigned char with) {
  key.resize(kBlock, '\0');
  for (char& c : key) c = static_cast<char>(static_cast<unsigned char>(c) ^ with);
  return key;
}

}  // namespace

Redactor::Redactor(Secrets secrets) : secrets_(std::move(secrets)) {
  std::erase_if(secrets_, [](const auto& each) {
    return each.first.size() < kShortest ||
           std::find(std::begin(kEverybodys), std::end(kEverybodys), each.first) !=
               std::end(kEverybodys);
  });
  std::stable_sort(secrets_.begin(), secrets_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string Redactor::clean(std::string_view text) const {
  std::string clean;
  while (!text.empty()) {
    const auto found = std::find_if(secrets_.begin(), secrets_.end(), [&](const auto& each) {
      return begins_with(text, each.first, clean);
    });
    if (found == secrets_.end()) {
      clean += text.front();
      text.remove_prefix(1);
    } else {
      clean += "<" + found->second + ">";
      text.remove_prefix(found->first.size());
    }
  }
  return clean;
}

void clean_report(RunReport& report, const Redactor& redactor) {
  bool changed = false;
  const auto clean = [&](std::string& text) {
    std::string cleaned = redactor.clean(text);
    if (cleaned == text) return false;
    text = std::move(cleaned);
    changed = true;
    return true;
  };
  for (CapturedStream* stream : {&report.out, &report.err}) {
    const std::uint64_t dropped =
        stream->bytes_total - std::min<std::uint64_t>(stream->bytes_total, stream->bytes.size());
    if (!clean(stream->bytes)) continue;
    stream->bytes_total = stream->bytes.size() + dropped;
    if (dropped == 0) stream->sha256 = sha256_hex(stream->bytes);
  }
  clean(report.host.kernel);
  for (SealCheck& check : report.seal.checks) {
    for (std::string* text : {&check.expected, &check.observed, &check.method}) clean(*text);
  }
  for (ReturnedFile& file : report.files.returned) clean(file.name);
  for (OmittedFile& file : report.files.omitted) clean(file.name);
  for (std::string& text : report.outcome.evidence) clean(text);
  for (std::string& text : report.notes) clean(text);
  clean(report.cleanup.detail);
  if (report.failure) {
    clean(report.failure->message);
    clean(report.failure->hint);
  }
  if (changed) report.notes.push_back("redacted: what tells whose machine this is");
}

std::string keyed_digest(std::string_view key, std::string_view message) {
  std::string block(key);
  if (block.size() > kBlock) block = from_hex(sha256_hex(key));
  const std::string inner = from_hex(sha256_hex(padded(block, 0x36) + std::string(message)));
  return sha256_hex(padded(block, 0x5c) + inner);
}

}  // namespace pybox::campaign
