#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "builder/job.hpp"
#include "pypi/pin.hpp"

namespace pybox::builder {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSaid = 512 << 10U;
constexpr int kMostExitCode = 255;

Error unclear(std::string_view what) {
  return Error(ErrorKind::Evidence, "the builder's " + std::string(what) + " is broken");
}

const json* member(const json& value, const char* key) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(key);
  return found == value.end() ? nullptr : &*found;
}

}  // namespace

std::string job_json(const BuilderJob& job, const IndexSettings& index, InVm in_vm) {
  json steps = json::array();
  for (const BuilderStep& step : job.steps) {
    steps.push_back(
        {{"stage", step.stage}, {"argv", step.argv}, {"environment", step.environment}});
  }
  const json root = {{"index",
                      {{"files", index.files},
                       {"variables", index.variables},
                       {"certificates", kCertificates},
                       {"in_vm", in_vm == InVm::Yes}}},
                     {"steps", std::move(steps)}};
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string extras_json(const store::PackageExtras& extras) {
  json edits = json::array();
  for (const store::PackageEdit& edit : extras.edits)
    edits.push_back({{"path", edit.path}, {"before", edit.before}, {"after", edit.after}});
  json files = json::object();
  for (const auto& [path, content] : extras.files) files[path] = content;
  return json{{"edits", std::move(edits)}, {"files", std::move(files)}}.dump();
}

Result<BuilderStatus> builder_status_from(std::string_view text) {
  Result<json> parsed = parse_json(text);
  if (!parsed) return unclear("status").context(parsed.error().message());
  JsonFields fields = PYBOX_TRY(JsonFields::of(*parsed, ""));
  BuilderStatus status;
  status.step = PYBOX_TRY(fields.count("step", 1000));
  status.exit_code = static_cast<int>(PYBOX_TRY(fields.count("exit_code", kMostExitCode)));
  status.said = PYBOX_TRY(fields.text("said", kMostSaid));
  PYBOX_TRY(fields.finish());
  return status;
}

Result<std::map<std::string, std::string>> digests_in_report(std::string_view text) {
  // pip's report has many more keys (pip.pypa.io, "installation report"): taken are those needed.
  const json report = json::parse(text, nullptr, false);
  const json* installed = member(report, "install");
  if (installed == nullptr || !installed->is_array()) return unclear("report");
  std::map<std::string, std::string> digests;
  for (const json& item : *installed) {
    const json* metadata = member(item, "metadata");
    const json* download = member(item, "download_info");
    const json* name = metadata == nullptr ? nullptr : member(*metadata, "name");
    const json* archive = download == nullptr ? nullptr : member(*download, "archive_info");
    const json* hashes = archive == nullptr ? nullptr : member(*archive, "hashes");
    const json* sha256 = hashes == nullptr ? nullptr : member(*hashes, "sha256");
    if (name == nullptr || !name->is_string() || sha256 == nullptr || !sha256->is_string())
      return unclear("report");
    if (!pypi::trouble_with_name(name->get<std::string>()).empty()) return unclear("report");
    digests[pypi::normalised_name(name->get<std::string>())] = sha256->get<std::string>();
  }
  return digests;
}

}  // namespace pybox::builder
