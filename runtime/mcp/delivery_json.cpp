#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "files/arrival.hpp"
#include "files/name.hpp"
#include "mcp/delivery.hpp"
#include "mcp/result_text.hpp"
#include "mcp/wire.hpp"

namespace pybox::mcp {

using nlohmann::ordered_json;

namespace {

struct File {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string content;
  std::string omitted;  ///< why the content is not there; empty: it is
};

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

/// The program did what it should and PyBox too.
bool went_well(const RunReport& report) {
  const Outcome& outcome = report.outcome;
  return outcome.observation == Observation::TargetExit && outcome.exit_code == 0 &&
         report.cleanup.status == Cleanup::Status::Removed &&
         report.files.status != Files::Status::Refused;
}

class Delivery {
 public:
  Delivery(Receipt receipt, const SigningKey* key, Tool tool, std::size_t budget)
      : receipt_(std::move(receipt)), key_(key), tool_(tool), budget_(budget) {
    take_files();
    files::limit_omitted(receipt_.report.files, kMaxOmittedNames);
  }

  Delivered make() {
    render();
    // Contents of files are not in the receipt.
    for (std::size_t i = files_.size(); i > 0 && made_.body.size() > budget_; --i) drop_file(i - 1);
    if (!fits()) cut_stream("execution.capture.stderr", receipt_.report.err);
    if (!fits()) cut_stream("execution.capture.stdout", receipt_.report.out);
    if (!fits())
      drop("execution.kernel.series", "kernel", "series",
           [this] { receipt_.report.kernel.series.clear(); });
    if (!fits()) drop("execution.seal.checks", "seal", "checks", [this] { shorten_checks(); });
    if (!fits()) drop_words();
    return std::move(made_);
  }

 private:
  void take_files() {
    std::size_t left = kMaxReturnedContent;
    for (ReturnedFile& file : receipt_.report.files.returned) {
      File one{files::shown(file.name), file.bytes, file.sha256, std::move(file.content), {}};
      if (one.content.size() > left) {
        note("files[" + std::to_string(files_.size()) + "].content", one.content.size(), 0);
        one.omitted = fmt::format("larger than what is left of {} bytes", kMaxReturnedContent);
        one.content.clear();
      }
      left -= one.content.size();
      files_.push_back(std::move(one));
    }
  }

  void note(std::string what, std::size_t before, std::size_t after) {
    items_.push_back({{"what", std::move(what)}, {"bytes_before", before}, {"bytes_after", after}});
  }

  void drop_file(std::size_t index) {
    File& file = files_[index];
    if (!file.omitted.empty() || file.content.empty()) return;
    note("files[" + std::to_string(index) + "].content", file.content.size(), 0);
    file.omitted = "the result would be too large";
    file.content.clear();
    render();
  }

  /// Keeps as much from the start of the stream as fits.
  void cut_stream(std::string what, CapturedStream& stream) {
    const std::string whole = stream.bytes;
    if (whole.empty()) return;
    const std::size_t place = items_.size();
    note(std::move(what), whole.size(), 0);
    std::size_t fitting = 0;
    std::size_t above = whole.size();
    const auto try_with = [&](std::size_t bytes) {
      stream.bytes = cut_at_character(std::string_view(whole).substr(0, bytes));
      items_[place]["bytes_after"] = stream.bytes.size();
      render();
    };
    while (above - fitting > 1) {
      const std::size_t middle = fitting + (above - fitting) / 2;
      try_with(middle);
      (fits() ? fitting : above) = middle;
    }
    try_with(fitting);
  }

  void drop(std::string what, const char* section, const char* key,
            const std::function<void()>& act) {
    const auto size = [&] { return dumped(execution_[section][key]).size(); };
    const std::size_t before = size();
    act();
    render();
    note(std::move(what), before, size());
    render();
  }

  /// Which protections were checked, whether each held and which rest on PyBox's own word stays; a
  /// receipt without it would not verify, or say more than was shown. The rest of those that held
  /// goes.
  void shorten_checks() {
    for (SealCheck& check : receipt_.report.seal.checks) {
      if (!check.ok) continue;
      const bool own_word = check.method.starts_with(kByConstruction);
      check.expected = check.observed = check.method = {};
      if (own_word) check.method = kByConstruction;
    }
  }

  /// The last resort: everything that is text of no fixed size. What remains is small.
  void drop_words() {
    receipt_.report.notes.clear();
    receipt_.hints.clear();
    receipt_.report.outcome.evidence.clear();
    receipt_.report.files.omitted.clear();
    receipt_.report.denied.reset();
    receipt_.files_in.clear();
    receipt_.report.cleanup.detail.clear();
    note("execution: all words", execution_bytes_, 0);
    render();
  }

  bool fits() const { return execution_bytes_ <= kMaxReceiptBytes && made_.body.size() <= budget_; }

  ordered_json files_json() const {
    ordered_json list = ordered_json::array();
    for (const File& file : files_) {
      ordered_json one = {{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}};
      if (!file.omitted.empty()) {
        one["omitted"] = file.omitted;
      } else {
        const bool is_text = is_utf8(file.content);
        one["encoding"] = is_text ? "utf-8" : "base64";
        one["content"] = is_text ? file.content : base64_encode(file.content);
      }
      list.push_back(std::move(one));
    }
    return list;
  }

  /// Signs and lays out what there is now.
  void render() {
    Result<std::string> receipt = key_ != nullptr ? sign_receipt(receipt_, *key_)
                                                  : Result<std::string>(unsigned_receipt(receipt_));
    made_.receipt = receipt ? std::move(*receipt) : unsigned_receipt(receipt_);
    arrange(ordered_json::parse(made_.receipt, nullptr, /*allow_exceptions=*/false));
    execution_bytes_ = dumped(execution_).size();
    ordered_json structured;
    std::string text;
    if (tool_ == Tool::ExecutePython) {
      text = result_text(receipt_);
      structured["result"] = text;
    }
    structured["schema_version"] = 1;
    structured["execution"] = execution_;
    if (receipt_.request.return_files) structured["files"] = files_json();
    structured["delivery"] = {{"trimmed", !items_.empty()}, {"items", items_}};
    const std::string whole = dumped(structured);
    if (tool_ != Tool::ExecutePython) text = whole;
    made_.body = fmt::format(
        R"("content":[{{"type":"text","text":{}}}],"structuredContent":{},"isError":{})",
        json_text(text), whole, went_well(receipt_.report) ? "false" : "true");
  }

  /// The receipt's keys with those first that a model must not miss when a client cuts the rest.
  /// The signature covers a canonical order, not this one.
  void arrange(ordered_json receipt) {
    execution_ = ordered_json::object();
    for (const char* key : {"outcome", "capture", "hints", "cleanup"})
      execution_[key] = receipt[key];
    for (auto& [key, value] : receipt.items()) {
      if (!execution_.contains(key)) execution_[key] = std::move(value);
    }
  }

  Receipt receipt_;
  const SigningKey* key_;
  Tool tool_;
  std::size_t budget_;
  std::vector<File> files_;
  ordered_json items_ = ordered_json::array();
  ordered_json execution_;
  std::size_t execution_bytes_ = 0;
  Delivered made_;
};

}  // namespace

Delivered deliver(Receipt receipt, const SigningKey* key, Tool tool, std::size_t budget) {
  return Delivery(std::move(receipt), key, tool, budget).make();
}

std::string text_result(const std::string& text, bool is_error) {
  const std::string shown = json_text(text);
  return fmt::format(
      R"("content":[{{"type":"text","text":{}}}],"structuredContent":{{"result":{}}},"isError":{})",
      shown, shown, is_error ? "true" : "false");
}

}  // namespace pybox::mcp
