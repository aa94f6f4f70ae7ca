#include <nlohmann/json.hpp>

#include "receipt/report.hpp"
#include "receipt/sections.hpp"

namespace pybox {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxNotes = 64;

Result<BoxHost> read_host(JsonFields fields) {
  BoxHost host;
  host.kernel = PYBOX_TRY(sections::read_text_or_null(fields, "kernel")).value_or("");
  host.cgroup = PYBOX_TRY(sections::read_text_or_null(fields, "cgroup")).value_or("");
  host.boxd_version = PYBOX_TRY(sections::read_text_or_null(fields, "boxd_version")).value_or("");
  PYBOX_TRY(fields.finish());
  return host;
}

Result<RunReport::Failure> read_failure(JsonFields fields) {
  RunReport::Failure failure;
  failure.refused = PYBOX_TRY(fields.flag("refused"));
  failure.message = PYBOX_TRY(sections::read_text(fields, "message"));
  failure.hint = PYBOX_TRY(sections::read_text_or_null(fields, "hint")).value_or("");
  PYBOX_TRY(fields.finish());
  return failure;
}

/// A seal that was told before is taken as it was.
Result<Seal> read_or_take_seal(JsonFields& fields, const std::optional<Seal>& told) {
  if (fields.has("seal") || !told)
    return sections::read_section(fields, "seal", sections::read_seal);
  PYBOX_TRY(fields.text_or_null("seal"));
  return *told;
}

Result<RunReport> read_report(const json& parsed, const std::optional<Seal>& told) {
  JsonFields fields = PYBOX_TRY(JsonFields::of(parsed, ""));
  RunReport report;
  report.host = PYBOX_TRY(sections::read_section(fields, "host", read_host));
  report.seal = PYBOX_TRY(read_or_take_seal(fields, told));
  PYBOX_TRY(sections::read_sections(fields, report));
  report.notes = PYBOX_TRY(sections::read_texts(fields, "notes", kMaxNotes));
  if (fields.has("failure")) {
    report.failure = PYBOX_TRY(sections::read_section(fields, "failure", read_failure));
  } else {
    PYBOX_TRY(fields.text_or_null("failure"));
  }
  PYBOX_TRY(fields.finish());
  if (report.failure && report.outcome.observation != Observation::NotStarted) {
    return sections::wrong_shape("`failure` does not belong to a run that started");
  }
  return report;
}

/// Every text was made printable, so nothing is ever replaced; the handler only rules out a throw.
std::string compact(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string report_to_json(const RunReport& report, SealIs seal) {
  ordered_json object = {
      {"host",
       {{"kernel", sections::text_or_null_json(report.host.kernel)},
        {"cgroup", sections::text_or_null_json(report.host.cgroup)},
        {"boxd_version", sections::text_or_null_json(report.host.boxd_version)}}}};
  object["seal"] =
      seal == SealIs::Inside ? sections::seal_json(report.seal) : ordered_json(nullptr);
  sections::write_sections(object, report);
  object["notes"] = sections::texts_json(report.notes);
  object["failure"] = nullptr;
  if (report.failure) {
    object["failure"] = {{"refused", report.failure->refused},
                         {"message", sections::text_json(report.failure->message)},
                         {"hint", sections::text_or_null_json(report.failure->hint)}};
  }
  return compact(object);
}

std::string seal_to_json(const Seal& seal) { return compact(sections::seal_json(seal)); }

Result<Seal> seal_from_json(std::string_view text) {
  const json parsed = PYBOX_TRY_CONTEXT(parse_json(text), "the seal of the run");
  JsonFields fields = PYBOX_TRY_CONTEXT(JsonFields::of(parsed, ""), "the seal of the run");
  return sections::read_seal(std::move(fields));
}

Result<RunReport> report_from_json(std::string_view text, const std::optional<Seal>& told) {
  auto parsed = parse_json(text);
  if (!parsed) return std::move(parsed).error().context("the report of the run");
  auto report = read_report(*parsed, told);
  if (!report) return std::move(report).error().context("the report of the run");
  return report;
}

}  // namespace pybox
