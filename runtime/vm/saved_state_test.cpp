#include "vm/saved_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

namespace fs = std::filesystem;

fs::path keep(const StateStore& store, const std::string& key, std::string_view bytes) {
  auto fd = store.begin();
  REQUIRE(fd);
  REQUIRE(sys::write_all(fd->get(), bytes));
  REQUIRE(store.commit(*fd, key));
  const auto file = store.find(key);
  REQUIRE(file);
  return *file;
}

MachineFacts sample_facts() { return {"/bin/sh", {"-m", "1"}, "k", "i", "sha256:a", "cpu"}; }

}  // namespace

TEST_CASE("a state is found by its key, private, and opens when it is whole") {
  const TempHome home;
  const StateStore store(home.dirs);
  CHECK_FALSE(store.find("a"));
  const fs::path file = keep(store, "a", "the guest's memory");
  CHECK(store.open(file));
  CHECK_FALSE(store.find("b"));
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0600U);
}

TEST_CASE("a new state takes the place of every other") {
  const TempHome home;
  const StateStore store(home.dirs);
  keep(store, "old", "1");
  const fs::path file = keep(store, "new", "2");
  CHECK_FALSE(store.find("old"));
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a state that was cut, extended or changed in one bit does not open") {
  const TempHome home;
  const StateStore store(home.dirs);
  const std::string whole(100003, 'm');
  const fs::path file = keep(store, "k", whole);
  const auto refused = [&](const std::string& bytes) {
    REQUIRE(sys::replace_file(file, bytes));
    const auto fd = store.open(file);
    return !fd && fd.error().kind() == ErrorKind::Evidence;
  };
  CHECK(refused(whole.substr(1)));
  CHECK(refused(whole + "m"));
  CHECK(refused(""));
  for (const std::size_t at : {0U, 1U, 50000U, 99999U, 100002U}) {
    std::string bad = whole;
    bad[at] ^= 1;
    CHECK(refused(bad));
  }
  REQUIRE(sys::replace_file(file, whole));
  CHECK(store.open(file));
}

TEST_CASE("the key changes with every fact of the machine, and with nothing else") {
  const auto key = [](const MachineFacts& facts) { return state_key(facts).value(); };
  const std::string base = key(sample_facts());
  CHECK(base == key(sample_facts()));
  CHECK(base.size() == 32);
  MachineFacts facts = sample_facts();
  facts.qemu = "/bin/ls";
  CHECK(key(facts) != base);
  facts = sample_facts();
  facts.arguments = {"-m1"};
  CHECK(key(facts) != base);
  facts = sample_facts();
  facts.arguments = {"-m", "1", "k"};
  CHECK(key(facts) != base);
  for (std::string MachineFacts::*field : {&MachineFacts::kernel_id, &MachineFacts::initramfs,
                                           &MachineFacts::image_id, &MachineFacts::processor}) {
    facts = sample_facts();
    facts.*field += "x";
    CHECK(key(facts) != base);
  }
  facts.qemu = "/nonexistent";
  CHECK_FALSE(state_key(facts));
}

TEST_CASE("of the processor only what lasts is a fact") {
  CHECK(processor_facts("processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 1.0\nflags\t: a b\n\n"
                        "processor\t: 1\n") == "model name\t: X\nflags\t: a b\n");
  CHECK(processor_facts("") == "");
}

}  // namespace pybox::vm
