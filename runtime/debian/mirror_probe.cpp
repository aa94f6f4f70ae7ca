#include "debian/mirror_probe.hpp"

#include "base/text.hpp"
#include "debian/archive_trouble.hpp"

namespace pybox::debian {
namespace {

constexpr Nanos kAnswerPatience = std::chrono::minutes(3);

Result<sys::ToolResult> fetch_release(const sys::Tools& tools, const ArchiveSource& source,
                                      const std::filesystem::path& work) {
  sys::SpawnPlan plan;
  plan.program = "/usr/lib/apt/apt-helper";
  plan.args = {"-oAcquire::Retries=2",
               "-oAcquire::http::Timeout=20",
               "-oAcquire::https::Timeout=20",
               "download-file",
               source.uri + "/dists/" + source.suite + "/InRelease",
               (work / "InRelease").string()};
  plan.environment = sys::tool_environment();
  return tools.run(std::move(plan), kAnswerPatience);
}

}  // namespace

Result<std::vector<ArchiveSource>> probe_mirror(const sys::Tools& tools, const std::string& url,
                                                const std::string& suite,
                                                const std::filesystem::path& work,
                                                bool& unreachable) {
  std::vector<ArchiveSource> found = {{apt_uri(url), suite}};
  const sys::ToolResult main_suite = PYBOX_TRY(fetch_release(tools, found.front(), work));
  if (!main_suite.ok()) {
    unreachable = trouble_in(main_suite.out + main_suite.err) == ArchiveTrouble::NoNetwork;
    return archive_error(main_suite, visible(url), suite);
  }
  std::vector<ArchiveSource> maybe = {{apt_uri(url), suite + "-updates"}};
  if (url.ends_with("/debian")) maybe.push_back({apt_uri(url) + "-security", suite + "-security"});
  for (const ArchiveSource& source : maybe) {
    const sys::ToolResult there = PYBOX_TRY(fetch_release(tools, source, work));
    if (there.ok()) found.push_back(source);
  }
  return found;
}

bool host_takes_expired_lists(const sys::Tools& tools) {
  sys::SpawnPlan plan;
  plan.program = "apt-config";
  plan.args = {"dump", "Acquire::Check-Valid-Until"};
  plan.environment = sys::tool_environment();
  const Result<sys::ToolResult> dumped = tools.run(std::move(plan), kAnswerPatience);
  return dumped && takes_expired_lists(dumped->out);
}

}  // namespace pybox::debian
