#include "sys/cgroup.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <map>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::sys {
namespace {

namespace fs = std::filesystem;

/// A cgroup file system of plain files. What lies below `shut` may not be written.
struct Tree {
  fs::path top = fs::temp_directory_path() / ("pybox-cgroup-test-" + random_hex(6));
  CgroupSources sources;

  Tree() {
    sources.mount = top / "cgroup";
    sources.own_cgroup = top / "own";
    sources.mountinfo = top / "mountinfo";
    sources.is_root = true;
    sources.may_write = [](const fs::path& path) {
      return path.string().find("/shut") == std::string::npos && fs::exists(path);
    };
    fs::create_directories(sources.mount);
    write("own", "0::/\n");
    write("mountinfo", "");
  }
  ~Tree() { (void)remove_tree(top); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((top / file).parent_path());
    std::ofstream(top / file) << text;
  }
  /// A v2 cgroup with these controllers, of which `enabled` may be used below it.
  void group(const fs::path& folder, const std::string& controllers,
             const std::string& enabled) const {
    write("cgroup" / folder / "cgroup.controllers", controllers);
    write("cgroup" / folder / "cgroup.subtree_control", enabled);
    write("cgroup" / folder / "cgroup.procs", "");
  }
  /// Every file with what it holds.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> files;
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(top, ignored), end; at != end; at.increment(ignored))
      files[at->path()] = at->is_directory() ? "" : read_file(at->path()).value();
    return files;
  }
};

constexpr const char* kAll = "cpuset cpu io memory pids\n";

}  // namespace

TEST_CASE("a probe of cgroups changes nothing, prepared or not") {
  const Tree tree;
  tree.group("", kAll, "");
  tree.group("user", kAll, "");
  const auto before = tree.content();
  const auto root = probe_cgroup_host(tree.sources);
  REQUIRE(root);
  CHECK_FALSE(root->prepared);
  CHECK(root->base == tree.sources.mount);
  CgroupSources user = tree.sources;
  user.is_root = false;
  tree.write("own", "0::/user\n");
  auto after_move = before;
  after_move[tree.top / "own"] = "0::/user\n";
  const auto ordinary = probe_cgroup_host(user);
  REQUIRE(ordinary);
  CHECK_FALSE(ordinary->prepared);
  CHECK(ordinary->base == ordinary->own);
  CHECK(tree.content() == after_move);
}

TEST_CASE("root makes its boxes at the top; what is enabled there is seen") {
  const Tree tree;
  tree.group("", kAll, "cpu memory pids\n");
  tree.write("own", "0::/user.slice/session.scope\n");
  const auto host = probe_cgroup_host(tree.sources);
  REQUIRE(host);
  CHECK(host->version == CgroupVersion::V2);
  CHECK(host->base == tree.sources.mount);
  CHECK(host->own == tree.sources.mount / "user.slice/session.scope");
  CHECK(host->prepared);
  CHECK(host->parents() == std::vector<fs::path>{tree.sources.mount});
}

TEST_CASE("an ordinary user gets the nearest prepared cgroup above, else its own") {
  const Tree tree;
  tree.group("", kAll, "cpu memory pids\n");
  tree.group("scope", kAll, "cpu memory pids\n");
  tree.group("scope/pybox-callers", kAll, "");
  tree.write("own", "0::/scope/pybox-callers\n");
  CgroupSources user = tree.sources;
  user.is_root = false;
  const auto above = probe_cgroup_host(user);
  REQUIRE(above);
  CHECK(above->base == tree.sources.mount / "scope");
  CHECK(above->prepared);
  tree.group("scope", kAll, "memory\n");
  tree.group("", kAll, "");
  const auto own = probe_cgroup_host(user);
  REQUIRE(own);
  CHECK(own->base == tree.sources.mount / "scope/pybox-callers");
  CHECK_FALSE(own->prepared);
}

TEST_CASE("a cgroup that is not delegated, or not wholly, is refused with what is missing") {
  const Tree tree;
  tree.group("", kAll, "");
  tree.group("shut", kAll, "");
  CgroupSources user = tree.sources;
  user.is_root = false;
  user.may_write = [](const fs::path& path) {
    return path.string().find("/open") != std::string::npos;
  };
  tree.write("own", "0::/shut\n");
  const auto shut = probe_cgroup_host(user);
  REQUIRE_FALSE(shut);
  CHECK(shut.error().message() ==
        "the cgroup " + (tree.sources.mount / "shut").string() + " does not let PyBox set limits");
  tree.group("open", "cpu memory\n", "");
  tree.write("own", "0::/open\n");
  const auto partly = probe_cgroup_host(user);
  REQUIRE_FALSE(partly);
  CHECK(partly.error().message().ends_with("(controllers not delegated: pids)"));
  CHECK(partly.error().kind() == ErrorKind::HostCannot);
}

TEST_CASE("cgroup v1 is root's, and each of its controllers must be mounted") {
  const Tree tree;
  const std::string at = tree.sources.mount.string();
  const auto mounted = [&](const std::string& names) {
    return "30 20 0:26 / " + at + "/" + names + " rw - cgroup cgroup rw," + names + "\n";
  };
  tree.write("mountinfo", mounted("memory") + mounted("cpu,cpuacct"));
  for (const char* folder : {"memory", "pids", "cpu,cpuacct"})
    fs::create_directories(tree.sources.mount / folder);
  const auto lacking = probe_cgroup_host(tree.sources);
  REQUIRE_FALSE(lacking);
  CHECK(lacking.error().message() == "the cgroup controller `pids` is not mounted");
  tree.write("mountinfo", mounted("memory") + mounted("cpu,cpuacct") + mounted("pids"));
  const auto host = probe_cgroup_host(tree.sources);
  REQUIRE(host);
  CHECK(host->version == CgroupVersion::V1);
  CHECK(host->cpu == host->cpuacct);
  CHECK(host->parents().size() == 3);
  CHECK_FALSE(host->swap_accounting);
  CgroupSources user = tree.sources;
  user.is_root = false;
  CHECK_FALSE(probe_cgroup_host(user).has_value());
}

}  // namespace pybox::sys
