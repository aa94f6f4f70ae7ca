#include "receipt/store.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

namespace fs = std::filesystem;

struct StoreHome {
  StoreHome() {
    dirs.home = fs::temp_directory_path() / ("store-" + random_hex(6));
    REQUIRE(prepare_receipts(dirs));
  }
  ~StoreHome() { fs::remove_all(dirs.home); }
  StoreHome(const StoreHome&) = delete;
  StoreHome& operator=(const StoreHome&) = delete;

  void keep(const std::string& id, long seconds) const {
    REQUIRE(keep_receipt(dirs, id, "{}"));
    const timespec time{seconds, 0};
    const timespec times[2] = {time, time};
    REQUIRE(::utimensat(AT_FDCWD, (dirs.receipts() / (id + ".json")).c_str(), times, 0) == 0);
  }
  sys::StateDirs dirs;
};

}  // namespace

TEST_CASE("receipts are kept for their owner alone and listed newest first") {
  const StoreHome home;
  home.keep("b", 2000);
  home.keep("c", 3000);
  home.keep("a", 1000);
  const auto kept = list_receipts(home.dirs);
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].id == "c");
  CHECK(kept[2].id == "a");
  struct stat info {};
  REQUIRE(::stat(kept[0].file.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777U) == 0600U);
  REQUIRE(::stat(home.dirs.receipts().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777U) == 0700U);
}

TEST_CASE("a receipt is for its owner alone, and one of the same id is taken over whole") {
  const StoreHome home;
  REQUIRE(keep_receipt(home.dirs, "a", "first"));
  REQUIRE(keep_receipt(home.dirs, "a", "second"));
  const auto kept = list_receipts(home.dirs);
  REQUIRE(kept.size() == 1);
  CHECK(sys::read_file(kept.front().file).value() == "second");
  struct stat info {};
  REQUIRE(::stat(kept.front().file.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777U) == 0600U);
}

TEST_CASE("what is not a receipt is neither listed nor removed") {
  const StoreHome home;
  fs::create_directory(home.dirs.receipts() / "pending");
  fs::create_directory(home.dirs.receipts() / "folder.json");
  std::ofstream(home.dirs.receipts() / ".a.json.tmp") << "x";
  std::ofstream(home.dirs.receipts() / "notes.txt") << "x";
  home.keep("a", 1000);
  CHECK(list_receipts(home.dirs).size() == 1);
  CHECK(fs::exists(home.dirs.receipts() / "notes.txt"));
}

TEST_CASE("the newest 500 stay, and not many more") {
  const StoreHome home;
  const auto on_disk = [&] {
    return std::distance(fs::directory_iterator(home.dirs.receipts()), {});
  };
  const auto most = static_cast<int>(kKeptReceipts + kReceiptSlack);
  for (int i = 0; i < most - 1; ++i) home.keep("r" + std::to_string(i), 1000 + i);
  CHECK(on_disk() == most - 1);
  CHECK(list_receipts(home.dirs).size() == kKeptReceipts);
  home.keep("last", 1000 + most);
  CHECK(on_disk() == static_cast<int>(kKeptReceipts));
  const auto kept = list_receipts(home.dirs);
  CHECK(kept.front().id == "last");
  CHECK(kept.back().id == "r32");
}

TEST_CASE("an absent folder holds no receipts") {
  sys::StateDirs dirs;
  dirs.home = "/nonexistent/pybox";
  CHECK(list_receipts(dirs).empty());
  CHECK_FALSE(find_receipt(dirs, "a"));
}

TEST_CASE("a receipt is found by any prefix that fits it alone") {
  const StoreHome home;
  home.keep("abc1", 1);
  home.keep("abd2", 2);
  home.keep("ab", 3);
  CHECK(find_receipt(home.dirs, "abc")->id == "abc1");
  CHECK(find_receipt(home.dirs, "ab")->id == "ab");  // whole ids win
  const auto several = find_receipt(home.dirs, "a");
  REQUIRE_FALSE(several);
  CHECK(several.error().message() == "3 kept receipts' ids start with `a`");
  CHECK(several.error().hint() == "give more of it: `ab` `abd2` `abc1`");
  for (const char* none : {"x", "", "../keys", "abc1.json"}) {
    const auto found = find_receipt(home.dirs, none);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind() == ErrorKind::Usage);
    CHECK(found.error().message() ==
          "no kept receipt's id starts with `" + std::string(none) + "`");
    CHECK(found.error().hint() == "`pybox receipts` lists them");
  }
}

TEST_CASE("receipt ids are plain words") {
  CHECK(is_receipt_id("0123abc"));
  CHECK(is_receipt_id("A-b_1"));
  for (const char* wrong : {"", ".", "a.b", "a/b", "ä", "a b"}) CHECK_FALSE(is_receipt_id(wrong));
  CHECK_FALSE(is_receipt_id(std::string(65, 'a')));
}

}  // namespace pybox
