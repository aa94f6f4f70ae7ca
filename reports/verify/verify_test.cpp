#include "reports/verify/verify.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "base/digest.hpp"
#include "base/join.hpp"
#include "reports/attest/envelope.hpp"
#include "reports/verify/parts.hpp"
#include "reports/verify/refusal_for_tests.hpp"

namespace pybox::reports {
namespace {

TEST_CASE("a folder as it was written holds, and says what that does not prove") {
  for (const char* name : {"sample", "benign", "before"}) {
    const SampleFolder folder(name);
    folder.finish(test_key());
    CHECK(refusal(folder) == "");
  }
  const SampleFolder folder("sample");
  folder.finish(test_key());
  const auto verified = verify_evidence(folder.path(), key_beside(folder.path()).value());
  REQUIRE(verified.has_value());
  CHECK(verified->verdict == "broken");
  const std::string text = verified_text(*verified, KeyFrom::Beside);
  CHECK(text.find("What a signature does not prove") != std::string::npos);
  CHECK(text.find("taken from the folder itself") != std::string::npos);
  CHECK(text.find("not beside this folder") != std::string::npos);
}

TEST_CASE("one flipped bit in a file of any kind is noticed, and the file named") {
  const SampleFolder folder("sample");
  folder.finish(test_key());
  std::string blob;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "raw")) {
    if (entry.is_regular_file() && entry.file_size() > 0) {
      blob = entry.path().lexically_relative(folder.path()).string();
    }
  }
  for (const std::string& name :
       {std::string("campaign.json"), std::string("events.jsonl"), std::string("plan.json"),
        std::string("plan.dsse.json"), std::string("junit.xml"), std::string("ctrf.json"),
        std::string("report.html"), std::string("summary.md"), std::string("evidence.pub"),
        std::string("allowed_signers"), std::string("manifest.sha256"),
        std::string("manifest.sha256.sshsig"), std::string("evidence.intoto.jsonl"), blob}) {
    const std::string good = folder.read(name);
    for (const std::size_t at : {good.size() / 3, good.size() / 2, good.size() - 2}) {
      std::string bad = good;
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ 1U);
      folder.put(name, bad);
      INFO(name << " byte " << at);
      CHECK(says(folder, name.substr(0, name.find(".sshsig"))));
    }
    folder.put(name, good);
  }
  CHECK(refusal(folder).empty());
}

TEST_CASE("missing, foreign, linked and swapped files are noticed") {
  const SampleFolder folder("sample");
  folder.finish(test_key());
  const auto with = [&](const std::string& name, std::string_view words,
                        const std::function<void(const std::filesystem::path&)>& change) {
    const auto path = folder.path() / name;
    const bool was = std::filesystem::exists(path);
    const std::string good = was ? folder.read(name) : "";
    change(path);
    CHECK(says(folder, words));
    std::filesystem::remove(path);
    if (was) folder.put(name, good);
  };
  const auto drop = [](const std::filesystem::path& path) { std::filesystem::remove(path); };
  with("summary.md", "summary.md is named by the manifest, but is missing", drop);
  with("notes.txt", "notes.txt is in the folder, but not in the manifest",
       [&](const auto&) { folder.put("notes.txt", "x"); });
  with("summary.md", "summary.md is a link or a special file", [](const auto& path) {
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/etc/hostname", path);
  });
  with("manifest.sha256", "manifest.sha256", [](const auto& path) {
    std::filesystem::copy_file(path, path.string() + ".copy");
    std::filesystem::remove(path);
    std::filesystem::create_symlink(path.string() + ".copy", path);
  });
  std::filesystem::remove(folder.path() / "manifest.sha256.copy");
  const SampleFolder other("benign");
  other.finish(test_key());
  with("report.html", "report.html was changed",
       [&](const auto&) { folder.put("report.html", other.read("report.html")); });
  with("evidence.intoto.jsonl", "not the one that the signed statements name", [&](const auto&) {
    folder.put("evidence.intoto.jsonl", other.read("evidence.intoto.jsonl"));
  });
  with("plan.dsse.json", "plan.dsse.json was changed",
       [&](const auto&) { folder.put("plan.dsse.json", other.read("plan.dsse.json")); });
  std::filesystem::create_directories(folder.path() / "raw/ab/cd");
  folder.put("raw/ab/cd/x", "x");
  CHECK(says(folder, "there is a folder too many"));
  std::filesystem::remove_all(folder.path() / "raw/ab/cd");
  CHECK(refusal(folder).empty());
}

TEST_CASE("another key, another payload type and tricks in envelopes are refused") {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  const auto stranger = verify_evidence(folder.path(), SigningKey::generate().public_key());
  REQUIRE_FALSE(stranger.has_value());
  CHECK(stranger.error().message().find("signed by another key") != std::string::npos);
  CHECK_FALSE(stranger.error().hint().empty());

  const std::string good = folder.read("plan.dsse.json");
  folder.put(
      "plan.dsse.json",
      dsse_envelope("application/vnd.in-toto+json", folder.read("plan.json"), test_key()).value() +
          "\n");
  CHECK(says(folder, "has the payload type application/vnd.in-toto+json"));
  folder.put("plan.dsse.json", replaced(good, "{", "{\"payloadType\":\"x\","));
  CHECK(says(folder, "appears twice"));
  folder.put("plan.dsse.json", replaced(good, "{", "{\"more\":1,"));
  CHECK(says(folder, "unknown key"));
  folder.put("plan.dsse.json",
             replaced(good, "\"signatures\":[", "\"signatures\":[{\"keyid\":\"\",\"sig\":\"\"},"));
  CHECK(says(folder, "plan.dsse.json"));
  folder.put("plan.dsse.json", good);
  const std::string statements = folder.read("evidence.intoto.jsonl");
  folder.put("evidence.intoto.jsonl", statements.substr(0, statements.find('\n') + 1));
  CHECK(says(folder, "exactly two lines"));
  const std::size_t cut = statements.find('\n') + 1;
  folder.put("evidence.intoto.jsonl", statements.substr(cut) + statements.substr(0, cut));
  CHECK(says(folder, "predicate type"));
}

TEST_CASE("a manifest never leads out of the folder") {
  const SampleFolder folder("benign");
  folder.finish(test_key());
  const std::string good = folder.read("manifest.sha256");
  const auto with_manifest = [&](const std::function<std::string(const std::string&)>& change) {
    const auto manifest = verify::read_manifest(change(good));
    REQUIRE_FALSE(manifest.has_value());
    return manifest.error().message();
  };
  CHECK(verify::read_manifest(good).has_value());
  const std::string digest(64, 'a');
  const auto appended = [&](const std::string& name) {
    return with_manifest(
        [&](const std::string& text) { return digest + "  " + name + "\n" + text; });
  };
  CHECK(appended("../../etc/passwd").find("outside the folder") != std::string::npos);
  CHECK(appended("/etc/passwd").find("outside the folder") != std::string::npos);
  CHECK(appended("raw/../x").find("outside the folder") != std::string::npos);
  CHECK(appended("notes.txt").find("does not belong") != std::string::npos);
  CHECK(with_manifest([&](const std::string& text) {
          return text.substr(0, text.find('\n') + 1) + text;
        }).find("twice") != std::string::npos);
  CHECK(with_manifest([](const std::string& text) {
          return text.substr(text.find('\n') + 1);
        }).find("does not name allowed_signers") != std::string::npos);
  CHECK(with_manifest([](const std::string& text) { return "\\" + text; }).find("line 1") !=
        std::string::npos);
}

TEST_CASE("events that were dropped, doubled, reordered or reused are noticed, though signed") {
  CHECK(with_events([](auto& lines) {
          lines.erase(lines.begin() + 5);
        }).find("a line is missing") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          std::swap(lines[4], lines[5]);
        }).find("events.jsonl line 5") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines.insert(lines.begin() + 5, lines[4]);
        }).find("too many") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "\"seq\":3", "\"seq\":3,\"seq\":3");
        }).find("appears twice") != std::string::npos);
  CHECK(with_events([](auto& lines) {
          lines[3] = replaced(lines[3], "arm", "brm");
        }).find("events.jsonl line") != std::string::npos);
  CHECK(with_events([](auto& lines) { lines.pop_back(); }).find("complete") != std::string::npos);
  CHECK(with_events([](auto& lines) { lines.back() += "\n{"; }).find("events.jsonl line") !=
        std::string::npos);
}

TEST_CASE("the campaign before is looked at when it stands beside, by its id or its time and id") {
  const SampleFolder folder("benign");  // its parent: a folder of its own, below
  folder.finish(test_key());
  const std::filesystem::path parent = folder.path() / "chain";
  std::filesystem::create_directories(parent / "now");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().filename() == "chain") continue;
    std::filesystem::copy(entry.path(), parent / "now" / entry.path().filename(),
                          std::filesystem::copy_options::recursive);
  }
  const std::string campaign = folder.read("campaign.json");
  const std::size_t at = campaign.find("\"previous\":{\"id\":\"") + 18;
  const std::string id = campaign.substr(at, campaign.find('"', at) - at);
  const auto message = [&] {
    const auto verified = verify_evidence(parent / "now", test_key().public_key());
    return verified ? verified->steps.back().words : verified.error().message();
  };
  CHECK(message() == "names " + id);
  for (const std::string& name : {id, "20261129T120000Z-" + id.substr(0, 8)}) {
    std::filesystem::create_directories(parent / name);
    folder.put("chain/" + name + "/manifest.sha256", "another");
    CHECK(message().find("another manifest than this one links to") != std::string::npos);
    folder.put("chain/" + name + "/manifest.sha256", "before");
    CHECK(message().find("which is beside it with that manifest") != std::string::npos);
    std::filesystem::remove_all(parent / name);
  }
}

TEST_CASE("an arm that an interruption cut off and that was run again is not a gap") {
  using Keys = std::vector<std::string>;
  const auto event = [](std::size_t seq, const std::string& prev, Keys keys) {
    for (const std::string& key : {std::string("\"at_us\":1"), "\"prev\":\"" + prev + "\"",
                                   "\"seq\":" + std::to_string(seq), std::string("\"utc\":\"u\"")})
      keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return "{" + join(keys, ",") + "}";
  };
  const auto arm = [](const std::string& name, Keys more) {
    for (const char* const key : {R"("arm":"control")", R"("check":"c")", R"("engine":"vm")"})
      more.emplace_back(key);
    more.push_back("\"event\":\"" + name + "\"");
    return more;
  };
  const auto start = [&](const char* attempt, const char* nonce) {
    return arm("arm-started", {attempt, nonce, R"("canary":"")", R"("removed":[])"});
  };
  const std::vector<Keys> bodies = {
      {R"("event":"campaign-started")", R"("environment":{})", R"("id":"i")",
       R"("plan_sha256":"p")", R"("previous":null)", R"("tools":{})"},
      start(R"("attempt":1)", R"("nonce":"n1")"),
      {R"("event":"campaign-resumed")", R"("torn_bytes":0)"},
      start(R"("attempt":2)", R"("nonce":"n2")"),
      arm("arm-ended",
          {R"("attempt":2)", R"("duration_us":1)", R"("err":null)", R"("nonce":"n2")",
           R"("out":null)", R"("report":null)", R"("trouble":"")", R"("witnesses":[])"}),
      {R"("complete":true)", R"("event":"campaign-ended")"}};
  const auto read = [&](std::size_t left_out) {
    std::string text, prev(64, '0');
    for (std::size_t at = 0, seq = 0; at < bodies.size(); ++at) {
      if (at == left_out) continue;
      const std::string line = event(seq++, prev, bodies[at]);
      prev = sha256_hex(line);
      text += line + "\n";
    }
    return verify::read_events(text);
  };
  const auto events = read(bodies.size());
  REQUIRE(events.has_value());
  CHECK(events->cut_off == 1);
  CHECK(events->ended.size() == 1);
  // Without the interruption, the arm that never ended is a gap.
  const auto gap = read(2);
  REQUIRE_FALSE(gap.has_value());
  CHECK(gap.error().message().find("never ended") != std::string::npos);
}

TEST_CASE("a verdict, a count or a proof that the arms do not bear is noticed, though signed") {
  CHECK(with_campaign("\"verdict\":\"broken\"}", "\"verdict\":\"held\"}")
            .find("`verdict` is `held`") != std::string::npos);
  // The protected arm of a held check, made to have reached: campaign.json contradicts itself.
  CHECK(with_campaign("\"observed\":\"ENOENT\",\"removed\":[]",
                      "\"observed\":\"reached\",\"removed\":[]")
            .find("cannot be `held`") != std::string::npos);
  CHECK(with_campaign("\"vm.nonic\":\"unproven\"", "\"vm.nonic\":\"proven\"").find("vm.nonic") !=
        std::string::npos);
  CHECK(with_campaign("\"differs\":[\"fs.pivot\"]", "\"differs\":[]").find("cannot be `held`") !=
        std::string::npos);
  CHECK(with_campaign("\"duration_us\":84000", "\"duration_us\":84001").find("duration_us") !=
        std::string::npos);
  CHECK(with_campaign("\"expected\":[\"ENOENT\"]", "\"expected\":[\"ENOENT\",\"reached\"]")
            .find("changed after the plan was signed") != std::string::npos);
}

}  // namespace
}  // namespace pybox::reports
