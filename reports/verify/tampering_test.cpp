#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "reports/verify/parts.hpp"
#include "reports/verify/refusal_for_tests.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

/// A finished folder, one file of it changed without the key and put back.
class Tampering {
 public:
  Tampering() { folder_.finish(test_key()); }
  const SampleFolder& folder() const { return folder_; }

  void put(const std::string& name, const std::function<std::string(const std::string&)>& change,
           std::string_view words) {
    const std::string good = folder_.read(name);
    folder_.put(name, change(good));
    INFO(name);
    CHECK(says(folder_, words));
    folder_.put(name, good);
  }

 private:
  SampleFolder folder_{"sample"};
};

std::string every(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("what reads the same but is other bytes is refused in the files that no digest covers") {
  Tampering tampering;
  const auto crlf = [](const std::string& text) { return every(text, "\n", "\r\n"); };
  tampering.put("evidence.intoto.jsonl", crlf, "not in its one form");
  tampering.put("manifest.sha256", crlf, "not the one that the signed statements name");
  tampering.put("manifest.sha256.sshsig", crlf, "not an SSH signature of the kind written here");
  for (const char* const name : {"evidence.intoto.jsonl", "plan.dsse.json"}) {
    const auto with = [&](std::string_view from, std::string_view to, std::string_view words) {
      tampering.put(
          name, [&](const std::string& text) { return replaced(text, from, to); }, words);
    };
    with("{\"payload\"", "{ \"payload\"", "not in its one form");
    with("\"payloadType\"", "\"payload\\u0054ype\"", "not in its one form");
    with("{\"payload\"", "{\"p\\u0061yload\":\"\",\"payload\"", "appears twice");
    with("application/", "application\\/", "not in its one form");
    with("\"sig\":\"", "\"sig\":\"\\n", "not an Ed25519 signature");
    with("\"keyid\":\"", "\"keyid\":\"\\ud800", "not JSON");
    with("{", "\xEF\xBB\xBF{", "byte order mark");
  }
  tampering.put(
      "manifest.sha256.sshsig",
      [](std::string text) {
        const std::size_t begin = text.find('\n') + 1;
        text.erase(
            std::remove(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end() - 30, '\n'),
            text.end() - 30);
        return text;
      },
      "not an SSH signature of the kind written here");
  CHECK(refusal(tampering.folder()).empty());
}

TEST_CASE("trailing garbage, a cut last line and a third line are refused") {
  Tampering tampering;
  const auto with = [](const std::string& more) {
    return [more](const std::string& text) { return text + more; };
  };
  const auto cut = [](const std::string& text) { return text.substr(0, text.size() - 1); };
  for (const char* const more : {"\n", "{}\n", "garbage", " ", "\r\n"})
    tampering.put("evidence.intoto.jsonl", with(more), "exactly two lines");
  tampering.put("evidence.intoto.jsonl", cut, "exactly two lines");
  tampering.put(
      "evidence.intoto.jsonl", [](const std::string&) { return std::string(); },
      "exactly two lines");
  tampering.put("plan.dsse.json", with(std::string("\0\n", 2)), "not JSON");
  tampering.put("plan.dsse.json", with("\n"), "plan.dsse.json was changed");
  tampering.put("plan.dsse.json", cut, "its line has no end");
  for (const char* const more : {"\n", "x", "-----BEGIN SSH SIGNATURE-----\n"})
    tampering.put("manifest.sha256.sshsig", with(more), "not an SSH signature");
  tampering.put("events.jsonl", cut, "events.jsonl was changed");
  tampering.put("evidence.pub", with("\n"), "evidence.pub was changed");
  CHECK(refusal(tampering.folder()).empty());
}

TEST_CASE("nesting without end, numbers without end and files without end are refused, and soon") {
  Tampering tampering;
  const std::string deep(1U << 20U, '[');
  tampering.put(
      "evidence.intoto.jsonl",
      [&](const std::string& text) { return deep + text.substr(text.find('\n')); },
      "nested too deeply");
  tampering.put(
      "plan.dsse.json", [&](const std::string&) { return deep + "\n"; }, "nested too deeply");
  tampering.put(
      "plan.dsse.json",
      [](const std::string& text) {
        return replaced(text, "{", "{\"n\":1" + std::string(100000, '0') + ",");
      },
      "plan.dsse.json");
  for (const char* const name :
       {"summary.md", "evidence.intoto.jsonl", "manifest.sha256", "evidence.pub"}) {
    const std::string good = tampering.folder().read(name);
    fs::resize_file(tampering.folder().path() / name, std::uintmax_t{1} << 40U);  // sparse
    INFO(name);
    CHECK(says(tampering.folder(), "has more than 268435456 bytes"));
    tampering.folder().put(name, good);
  }
  CHECK(refusal(tampering.folder()).empty());
}

TEST_CASE(
    "links, pipes, folders and whatever else stands in the folder are refused, without waiting") {
  Tampering tampering;
  const fs::path folder = tampering.folder().path();
  const auto with = [&](const fs::path& path, const std::function<void(const fs::path&)>& make,
                        std::string_view words) {
    const fs::path kept = folder.parent_path() / "pybox-reports-kept";
    const bool was = fs::exists(path);
    if (was) fs::rename(path, kept);
    make(path);
    INFO(path.string());
    CHECK(says(tampering.folder(), words));
    fs::remove_all(path);
    if (was) fs::rename(kept, path);
  };
  const auto pipe = [](const fs::path& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); };
  const auto directory = [](const fs::path& path) { fs::create_directory(path); };
  with(folder / "plan.dsse.json", pipe, "is not a plain file");
  with(folder / "summary.md", pipe, "is a link or a special file");
  with(folder / "extra", pipe, "is a link or a special file");
  with(folder / "summary.md", directory, "an empty folder is too many");
  with(folder / "empty", directory, "an empty folder is too many");
  with(folder / "raw" / "zz", directory, "an empty folder is too many");
  with(
      folder / ".hidden", [](const fs::path& path) { fs::create_symlink("/dev/null", path); },
      ".hidden is a link or a special file");
  with(
      folder / "a\nb\x1b[2J",
      [&](const fs::path& path) { fs::copy_file(folder / "summary.md", path); },
      "a\\x0ab\\x1b[2J is in the folder, but not in the manifest");
  fs::path blob;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "raw"))
    if (entry.is_regular_file()) blob = entry.path();
  const auto to_kept = [&](const fs::path& path) {
    fs::create_symlink(folder.parent_path() / "pybox-reports-kept", path);
  };
  with(blob, to_kept, "is a link or a special file");
  with(blob.parent_path(), to_kept, "is a link or a special file");
  with(folder / "raw", to_kept, "raw is a link or a special file");
  with(folder / "plan.json", to_kept, "is a link or a special file");
  with(folder / "manifest.sha256", to_kept, "manifest.sha256");
  CHECK(refusal(tampering.folder()).empty());
}

TEST_CASE("evidence of another campaign by the same key does not stand in for this one's") {
  const SampleFolder ours("sample"), other("before");
  ours.finish(test_key());
  other.finish(test_key());
  const auto replay = [&](const std::vector<std::string>& names) {
    std::vector<std::string> good;
    for (const std::string& name : names) {
      good.push_back(ours.read(name));
      ours.put(name, other.read(name));
    }
    const std::string message = refusal(ours);
    for (std::size_t at = 0; at < names.size(); ++at) ours.put(names[at], good[at]);
    return message;
  };
  CHECK(replay({"plan.json", "plan.dsse.json"}).find("was changed") != std::string::npos);
  CHECK(replay({"evidence.intoto.jsonl"}).find("not the one that the signed") != std::string::npos);
  CHECK(replay({"manifest.sha256.sshsig"}).find("does not hold for manifest") != std::string::npos);
  CHECK_FALSE(
      replay({"evidence.intoto.jsonl", "manifest.sha256", "manifest.sha256.sshsig"}).empty());
  CHECK_FALSE(replay({"evidence.intoto.jsonl", "manifest.sha256", "manifest.sha256.sshsig",
                      "campaign.json", "events.jsonl", "plan.json", "plan.dsse.json"})
                  .empty());
  CHECK(refusal(ours).empty());
  // Signed anew, so that only what the records say can tell.
  CHECK(refusal_though_signed([&](const SampleFolder& folder) {
          folder.put("plan.json", other.read("plan.json"));
        }).find("another plan") != std::string::npos);
}

TEST_CASE(
    "records in another form, with doubled keys or endless numbers are refused, though signed") {
  CHECK(with_events([](auto& lines) { lines[3] += "\r"; }).find("not in its one form") !=
        std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "\"arm\"", " \"arm\"");
        }).find("not in its one form") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "\"seq\"", "\"s\\u0065q\"");
        }).find("not in its one form") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "\"seq\":3", "\"seq\":18446744073709551619");
        }).find("events.jsonl line 4") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "\"seq\":3", "\"seq\":3.0");
        }).find("events.jsonl line 4") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines.insert(lines.begin() + 3, "");
        }).find("events.jsonl line 4") != std::string::npos);
  CHECK(with_campaign("{\"checks\"", "{\"checks\":[],\"checks\"").find("appears twice") !=
        std::string::npos);
  CHECK_FALSE(with_campaign("\"complete\":true", "\"complete\":true ").empty());
}

TEST_CASE(
    "a check or arm that was planned twice cannot stand for one that was not, though signed") {
  const auto with_plan = [](std::string_view from, std::string_view to) {
    return refusal_though_signed([&](const SampleFolder& folder) {
      const std::string plan = folder.read("plan.json");
      const std::string changed = replaced(plan, from, to);
      folder.put("plan.json", changed);
      const std::string events = folder.read("events.jsonl");
      std::string chained, prev(64, '0');
      for (std::size_t at = 0; at < events.size();) {
        const std::size_t end = events.find('\n', at);
        std::string line = events.substr(at, end - at);
        at = end + 1;
        if (chained.empty()) line = replaced(line, sha256_hex(plan), sha256_hex(changed));
        const std::size_t link = line.find("\"prev\":\"") + 8;
        line.replace(link, 64, prev);
        prev = sha256_hex(line);
        chained += line + "\n";
      }
      folder.put("events.jsonl", chained);
      std::string campaign = folder.read("campaign.json");
      campaign = replaced(campaign, sha256_hex(plan), sha256_hex(changed));
      folder.put("campaign.json", replaced(campaign, sha256_hex(events), sha256_hex(chained)));
    });
  };
  CHECK(with_plan("\"id\":\"fs.exec.tmp\"", "\"id\":\"fs.read.outside\"")
            .find("plans a check twice") != std::string::npos);
  CHECK(with_plan("\"arm\":\"control\"", "\"arm\":\"protected\"").find("the arm protected twice") !=
        std::string::npos);
  CHECK(with_plan("\"id\":\"fs.exec.tmp\"", "\"id\":\"fs.exec.other\"").find("was planned") !=
        std::string::npos);
}

}  // namespace pybox::reports
