#include "campaign/run/redact.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/digest.hpp"

namespace pybox::campaign {
namespace {

constexpr std::size_t kShortest = 3;
constexpr std::size_t kBlock = 64;  // of SHA-256

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether the secret at this place stands alone; a path does wherever it is found.
bool stands_alone(std::string_view text, std::size_t at, std::string_view secret) {
  if (secret.find('/') != std::string_view::npos) return true;
  const std::size_t end = at + secret.size();
  return (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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
    return each.first.size() < kShortest || each.first == "root" || each.first == "/root" ||
           each.first == "localhost";
  });
  std::stable_sort(secrets_.begin(), secrets_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::string Redactor::clean(std::string_view text) const {
  std::string clean;
  while (!text.empty()) {
    const auto found = std::find_if(secrets_.begin(), secrets_.end(), [&](const auto& each) {
      const std::string_view before(clean);
      if (!text.starts_with(each.first)) return false;
      if (each.first.find('/') != std::string::npos) return true;
      return (before.empty() || !is_word(before.back())) && stands_alone(text, 0, each.first);
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
    if (stream->truncated() || !clean(stream->bytes)) continue;
    stream->bytes_total = stream->bytes.size();
    stream->sha256 = sha256_hex(stream->bytes);
  }
  for (std::string& text : report.outcome.evidence) clean(text);
  for (std::string& text : report.notes) clean(text);
  clean(report.cleanup.detail);
  if (report.failure) {
    clean(report.failure->message);
    clean(report.failure->hint);
  }
  if (changed) report.notes.push_back("redacted: what tells whose machine this is");
}

Redactor redactor_of_this_host(const sys::StateDirs& dirs) {
  utsname names{};
  (void)::uname(&names);
  return Redactor(Secrets{{dirs.home.string(), "pybox-home"},
                          {from_environment("HOME"), "home"},
                          {names.nodename, "host"},
                          {from_environment("USER"), "user"},
                          {from_environment("LOGNAME"), "user"},
                          {from_environment("SUDO_USER"), "user"}});
}

std::string keyed_digest(std::string_view key, std::string_view message) {
  std::string block(key);
  if (block.size() > kBlock) block = from_hex(sha256_hex(key));
  const std::string inner = from_hex(sha256_hex(padded(block, 0x36) + std::string(message)));
  return sha256_hex(padded(block, 0x5c) + inner);
}

}  // namespace pybox::campaign
