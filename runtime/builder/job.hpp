#pragma once
/// A builder job as JSON, which runtime/python/builder.py reads, and the status it writes.

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "builder/builder.hpp"
#include "builder/index_settings.hpp"
#include "store/package_recipe.hpp"

namespace pybox::builder {

/// {"index":{"files":[…],"variables":{…},"certificates":PATH,"in_vm":…},
///  "steps":[{"stage","argv":[…],"environment":{…}}]}
enum class InVm { No, Yes };
std::string job_json(const BuilderJob& job, const IndexSettings& index, InVm in_vm);

/// Where the builder finds the certificates of the index settings.
constexpr std::string_view kCertificates = "/etc/ssl/certs/ca-certificates.crt";

/// {"step","exit_code","said"}, written in the builder: untrusted. Error kind Evidence.
struct BuilderStatus {
  std::size_t step = 0;
  int exit_code = 0;
  std::string said;
};
Result<BuilderStatus> builder_status_from(std::string_view json);

/// The names and SHA-256 digests that `pip install --report` gives, by normalised name. Untrusted.
Result<std::map<std::string, std::string>> digests_in_report(std::string_view json);

/// {"edits":[{"path","before","after"}],"files":{path:content}} for `builder.py --edit`.
std::string extras_json(const store::PackageExtras& extras);

/// runtime/python/builder.py.
std::string_view builder_program();

}  // namespace pybox::builder
