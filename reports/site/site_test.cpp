#include "reports/site/site.hpp"

#include <algorithm>

#include "reports/folder_for_tests.hpp"

namespace pybox::reports {
namespace {

namespace fs = std::filesystem;

Published made(const std::string& id, const std::string& started,
               std::optional<campaign::PreviousRun> previous = {}) {
  Published each;
  each.campaign.id = id;
  each.campaign.started = started;
  each.campaign.previous = std::move(previous);
  each.manifest_sha256 = id + "-manifest";
  return each;
}

std::vector<ChainState> states_of(const std::vector<Published>& campaigns) {
  std::vector<ChainState> states;
  for (const ChainLink& link : chain_of(campaigns)) states.push_back(link.state);
  return states;
}

/// A folder for sites that goes with the test.
struct Place {
  fs::path path;
  Place() {
    std::string name = (fs::temp_directory_path() / "pybox-site-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Place() { (void)sys::remove_tree(path); }
};

std::string text_of(const fs::path& file) { return sys::read_file(file, 64_MiB).value(); }

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Every relative address in a page leads to a file.
void check_links(const fs::path& page) {
  const std::string text = text_of(page);
  for (auto at = text.find("href=\""); at != std::string::npos; at = text.find("href=\"", at + 1)) {
    const std::string address = text.substr(at + 6, text.find('"', at + 6) - at - 6);
    INFO(page.string() << " " << address);
    if (address.front() != '#') CHECK(fs::exists(page.parent_path() / address));
  }
}

}  // namespace

TEST_CASE("a chain is whole when each names the one before it by its manifest") {
  const std::vector<Published> whole = {made("a", "1"),
                                        made("b", "2", campaign::PreviousRun{"a", "a-manifest"}),
                                        made("c", "3", campaign::PreviousRun{"b", "b-manifest"})};
  CHECK(states_of(whole) == std::vector{ChainState::First, ChainState::Linked, ChainState::Linked});
}

TEST_CASE("every gap in a chain is told apart") {
  CHECK(states_of({made("b", "2", campaign::PreviousRun{"a", "x"})}) ==
        std::vector{ChainState::Missing});
  CHECK(states_of({made("a", "1"), made("b", "2", campaign::PreviousRun{"a", "another"})}).back() ==
        ChainState::Altered);
  CHECK(states_of({made("a", "1"), made("b", "2")}).back() == ChainState::Unlinked);
  const auto forked =
      states_of({made("a", "1"), made("b", "2", campaign::PreviousRun{"a", "a-manifest"}),
                 made("c", "3", campaign::PreviousRun{"a", "a-manifest"})});
  CHECK(forked[1] == ChainState::Forked);
  CHECK(forked[2] == ChainState::Forked);
}

TEST_CASE("a site holds every campaign as signed, and each link in it leads somewhere") {
  const SampleFolder before("before"), after("sample");
  before.finish(test_key());
  after.finish(test_key());
  const Place place;
  const fs::path site = place.path / "site";
  const auto done = publish({after.path(), before.path()}, site, test_key().public_key());
  INFO((done ? "" : done.error().message()));
  REQUIRE(done.has_value());
  REQUIRE(done->campaigns.size() == 2);
  CHECK(done->gaps == 1);  // the sample names another manifest than that of `before`
  for (const char* const page : {"index.html", "latest/index.html"}) check_links(site / page);
  for (const Published& each : done->campaigns)
    CHECK(text_of(site / each.campaign.id / "campaign.json").size() > 1000);
  const std::string index = text_of(site / "index.html");
  CHECK(index.find("gap: ") != std::string::npos);
  CHECK(index.find("http:") == std::string::npos);
  CHECK(index.find("https:") == std::string::npos);
  CHECK(index.find("<script") == std::string::npos);
  CHECK(index.find("default-src 'none'") != std::string::npos);
  CHECK(text_of(site / "badge.svg").find("broken: 38 held") != std::string::npos);
  const std::string feed = text_of(site / "feed.xml");
  CHECK(feed.find("<entry>") != std::string::npos);
  CHECK(feed.find(done->campaigns.back().manifest_sha256) != std::string::npos);
  CHECK(entries_in(place.path) == 1);  // nothing is left beside it
  // Published again, over itself: the same bytes.
  const auto again = publish({before.path(), after.path()}, site, std::nullopt);
  INFO((again ? "" : again.error().message()));
  REQUIRE(again.has_value());
  CHECK(text_of(site / "index.html") == index);
  CHECK(entries_in(place.path) == 1);
}

TEST_CASE("what does not verify is not published, and neither is the rest") {
  const SampleFolder good("before"), bad("benign");
  good.finish(test_key());
  bad.finish(test_key());
  std::string summary = bad.read("summary.md");
  summary[10] ^= 1;
  bad.put("summary.md", summary);
  const Place place;
  const auto done = publish({good.path(), bad.path()}, place.path / "site", std::nullopt);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().kind() == ErrorKind::Evidence);
  CHECK(done.error().message().find("does not verify") != std::string::npos);
  CHECK(entries_in(place.path) == 0);
  const auto other_key =
      publish({good.path()}, place.path / "site", SigningKey::generate().public_key());
  CHECK_FALSE(other_key.has_value());
  CHECK(entries_in(place.path) == 0);
}

TEST_CASE("a folder that is not a site is never replaced, and no campaign is published twice") {
  const SampleFolder good("before");
  good.finish(test_key());
  const Place place;
  fs::create_directories(place.path / "mine");
  CHECK(publish({good.path()}, place.path / "mine", std::nullopt).error().kind() ==
        ErrorKind::Usage);
  CHECK(publish({good.path(), good.path()}, place.path / "site", std::nullopt).error().kind() ==
        ErrorKind::Usage);
  CHECK(entries_in(place.path) == 1);
}

}  // namespace pybox::reports
