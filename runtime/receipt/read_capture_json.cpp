#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "receipt/sections.hpp"

namespace pybox::sections {

namespace {

constexpr std::size_t kMaxFiles = 4096;
constexpr std::size_t kMaxStreamBytes = 1U << 20U;

/// The bytes of a stream from whichever of `text` and `base64` is not null.
Result<std::string> read_kept(JsonFields& fields) {
  auto text = PYBOX_TRY(fields.text_or_null("text", kMaxStreamBytes));
  const auto base64 = PYBOX_TRY(fields.text_or_null("base64", kMaxStreamBytes / 3 * 4 + 4));
  const std::string encoding = PYBOX_TRY(fields.text("encoding"));
  if (text && !base64 && encoding == "utf-8") return std::move(*text);
  std::string bytes;
  if (!text && base64 && encoding == "base64" && base64_decode(*base64, bytes)) return bytes;
  return wrong_shape("`" + fields.place("encoding") + "` does not match its text or base64");
}

/// Whether counts and digest fit the bytes, and are unknown together.
bool agrees_with_itself(const CapturedStream& stream, std::optional<std::uint64_t> total,
                        std::uint64_t kept, std::optional<bool> truncated) {
  if (kept != stream.bytes.size()) return false;
  if (!stream.was_watched()) return !total && !truncated && kept == 0;
  return total && *total >= kept && truncated == stream.truncated();
}

Result<CapturedStream> read_stream(JsonFields fields) {
  CapturedStream stream;
  stream.bytes = PYBOX_TRY(read_kept(fields));
  const auto total = PYBOX_TRY(fields.count_or_null("bytes_total"));
  const std::uint64_t kept = PYBOX_TRY(fields.count("bytes_kept"));
  const auto truncated = PYBOX_TRY(fields.flag_or_null("truncated"));
  const auto digest = PYBOX_TRY(fields.text_or_null("sha256"));
  if (digest) stream.sha256 = PYBOX_TRY(read_digest(fields, "sha256"));
  PYBOX_TRY(fields.finish());
  stream.bytes_total = total.value_or(0);
  if (!agrees_with_itself(stream, total, kept, truncated)) {
    return wrong_shape("`" + fields.place("bytes_kept") + "` does not match the stream");
  }
  if (digest && !stream.truncated() && sha256_hex(stream.bytes) != *digest) {
    return wrong_shape("`" + fields.place("sha256") + "` is not the digest of the stream");
  }
  return stream;
}

Result<ReturnedFile> read_returned(JsonFields& fields) {
  ReturnedFile file;
  file.name = PYBOX_TRY(read_text(fields, "name"));
  file.bytes = PYBOX_TRY(fields.count("bytes"));
  file.sha256 = PYBOX_TRY(read_digest(fields, "sha256"));
  return file;
}

Result<OmittedFile> read_omitted(JsonFields& fields) {
  OmittedFile file;
  file.name = PYBOX_TRY(read_text(fields, "name"));
  file.bytes = PYBOX_TRY(fields.count_or_null("bytes"));
  file.reason = PYBOX_TRY(read_text(fields, "reason"));
  return file;
}

}  // namespace

Result<void> read_trust(JsonFields& fields) {
  const std::string trust = PYBOX_TRY(fields.text("trust"));
  if (trust != "untrusted")
    return wrong_shape("`" + fields.place("trust") + "` must be `untrusted`");
  return {};
}

Result<void> read_capture(JsonFields fields, RunReport& report) {
  PYBOX_TRY(read_trust(fields));
  report.out = PYBOX_TRY(read_section(fields, "stdout", read_stream));
  report.err = PYBOX_TRY(read_section(fields, "stderr", read_stream));
  return fields.finish();
}

Result<Files> read_files(JsonFields fields) {
  PYBOX_TRY(read_trust(fields));
  Files files;
  files.status = PYBOX_TRY(read_name(fields, "status", files_status_from));
  files.returned =
      PYBOX_TRY(read_objects<ReturnedFile>(fields, "returned", kMaxFiles, read_returned));
  files.omitted = PYBOX_TRY(read_objects<OmittedFile>(fields, "omitted", kMaxFiles, read_omitted));
  files.omitted_total = PYBOX_TRY(fields.count("omitted_total"));
  if (files.omitted_total < files.omitted.size()) {
    return wrong_shape("`files.omitted_total` is less than the files listed");
  }
  PYBOX_TRY(fields.finish());
  return files;
}

}  // namespace pybox::sections
