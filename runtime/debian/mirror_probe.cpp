#include "debian/mirror_probe.hpp"

#include "base/text.hpp"
#include "debian/archive_trouble.hpp"

namespace pybox::debian {
namespace {

constexpr Nanos kAnswerPatience = std::chrono::minutes(3);

Result<sys::ToolResult> run_apt(const sys::Tools& tools, const char* program,
                                std::vector<std::string> words) {
  sys::SpawnPlan plan;
  plan.program = program;
  plan.args = std::move(words);
  plan.environment = sys::tool_environment();
  return tools.run(std::move(plan), kAnswerPatience);
}

Result<sys::ToolResult> fetch_release(const sys::Tools& tools, const ArchiveSource& source,
                                      const std::filesystem::path& work) {
  return run_apt(
      tools, "/usr/lib/apt/apt-helper",
      {"-oAcquire::Retries=2", "-oAcquire::http::Timeout=20", "-oAcquire::https::Timeout=20",
       "download-file", source.uri + "/dists/" + source.suite + "/InRelease",
       (work / "InRelease").string()});
}

}  // namespace

Result<std::vector<ArchiveSource>> probe_mirror(const sys::Tools& tools, const std::string& url,
                                                const std::string& suite,
                                                const std::filesystem::path& work,
                                                bool& unreachable) {
  std::vector<ArchiveSource> found = {{apt_uri(url), suite}};
  const sys::ToolResult main_suite = PYBOX_TRY(fetch_release(tools, found.front(), work));
  if (!main_suite.ok()) {
    unreachable = trouble_in(main_suite) == ArchiveTrouble::NoNetwork;
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

std::vector<ArchiveSource> sources_of_host(const sys::Tools& tools) {
  const auto printed = run_apt(tools, "apt-get", {"update", "--print-uris"});
  return printed && printed->ok() ? sources_in_uris(printed->out) : std::vector<ArchiveSource>();
}

bool host_takes_expired_lists(const sys::Tools& tools) {
  const auto said =
      run_apt(tools, "apt-config", {"shell", "check", "Acquire::Check-Valid-Until/b"});
  return said && said->out == "check='false'\n";
}

}  // namespace pybox::debian
