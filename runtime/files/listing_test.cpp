#include "files/listing.hpp"

#include <fcntl.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "files/folder_for_tests.hpp"

namespace pybox::files {

TEST_CASE("entries come in byte order of the paths below them") {
  TestFolder folder;
  for (const char* name : {"d/x", "d-a", "d.a", "d0", "a", "\xff", "A"}) folder.file(name, "");
  const auto entries = list_folder(folder.fd());
  REQUIRE(entries);
  std::string names;
  for (const Entry& entry : *entries)
    names += entry.name + (entry.kind == Entry::Kind::Folder ? "/ " : " ");
  CHECK(names == "A a d-a d.a d/ d0 \xff ");
}

TEST_CASE("what cannot be listed is an error") { CHECK(!list_folder(-1)); }

}  // namespace pybox::files
