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

TEST_CASE("a file taken ahead becomes the receipt, or nothing at all") {
  const StoreHome home;
  REQUIRE(prepare_receipts(home.dirs));
  const auto text_of = [&](const char* id) {
    return sys::read_file(home.dirs.receipts() / (std::string(id) + ".json")).value();
  };
  {
    const sys::Fd unused = take_receipt_file(home.dirs, "a");
    REQUIRE(unused.is_open());
  }
  CHECK(fs::is_empty(home.dirs.receipts()));
  REQUIRE(keep_receipt(home.dirs, "a", "first", take_receipt_file(home.dirs, "a")));
  CHECK(text_of("a") == "first");
  struct stat info {};
  REQUIRE(::stat(list_receipts(home.dirs).front().file.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777U) == 0600U);
  // A name that is taken is taken over, whole.
  REQUIRE(keep_receipt(home.dirs, "a", "second", take_receipt_file(home.dirs, "a")));
  CHECK(text_of("a") == "second");
  CHECK(list_receipts(home.dirs).size() == 1);
}

TEST_CASE("what is no receipt is neither listed nor removed") {
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
  for (int i = 0; i < most; ++i) home.keep("r" + std::to_string(i) + "x", 1000 + i);
  CHECK(on_disk() == most);  // nobody counted
  CHECK(list_receipts(home.dirs).size() == kKeptReceipts);
  home.keep("last0", 1000 + most);
  CHECK(on_disk() == static_cast<int>(kKeptReceipts));
  const auto kept = list_receipts(home.dirs);
  CHECK(kept.front().id == "last0");
  CHECK(kept.back().id == "r33x");
  // A file taken ahead makes the room instead, and what is kept in it none.
  for (int i = 0; i < static_cast<int>(kReceiptSlack) - 1; ++i)
    home.keep("s" + std::to_string(i) + "x", 2000 + i);
  const sys::Fd taken = take_receipt_file(home.dirs, "t0");
  CHECK(on_disk() == most - 1);
  REQUIRE(keep_receipt(home.dirs, "t0", "{}", taken));
  CHECK(on_disk() == most);
  CHECK(take_receipt_file(home.dirs, "u1").is_open());
  CHECK(on_disk() == most);
  CHECK(take_receipt_file(home.dirs, "u0").is_open());
  CHECK(on_disk() == static_cast<int>(kKeptReceipts));
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
