#pragma once
/// Evidence that was changed, with the signer's key or without it, and what verifying says of it.

#include <functional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "reports/folder_for_tests.hpp"
#include "reports/verify/verify.hpp"

namespace pybox::reports {

/// What verifying says; empty when the folder holds.
inline std::string refusal(const SampleFolder& folder) {
  const auto verified = verify_evidence(folder.path(), test_key().public_key());
  if (verified) return "";
  CHECK(
      (verified.error().kind() == ErrorKind::Evidence || verified.error().kind() == ErrorKind::Io));
  return verified.error().message();
}

inline bool says(const SampleFolder& folder, std::string_view words) {
  const std::string message = refusal(folder);
  INFO(message);
  const bool found = message.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The folder changed by `change` and then signed again by the same key: what only a signer can do.
/// Evidence that is signed but does not hold together is caught by what it says.
inline std::string refusal_though_signed(const std::function<void(const SampleFolder&)>& change) {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  change(folder);
  REQUIRE(sign_plan(folder.path(), test_key()).has_value());
  const auto written = write_reports(folder.path(), test_key());
  if (!written) return "writer: " + written.error().message();
  return refusal(folder);
}

/// Puts a changed campaign.json where events and statements still fit it.
inline std::string with_campaign(std::string_view from, std::string_view to) {
  return refusal_though_signed([&](const SampleFolder& folder) {
    folder.put("campaign.json", replaced(folder.read("campaign.json"), from, to));
  });
}

/// Puts changed events, with the chain and campaign.json made to fit again.
inline std::string with_events(const std::function<void(std::vector<std::string>&)>& change) {
  return refusal_though_signed([&](const SampleFolder& folder) {
    const std::string text = folder.read("events.jsonl");
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    change(lines);
    std::string changed;
    for (const std::string& line : lines) changed += line + "\n";
    folder.put("events.jsonl", changed);
    folder.put("campaign.json",
               replaced(folder.read("campaign.json"), sha256_hex(text), sha256_hex(changed)));
  });
}

}  // namespace pybox::reports
