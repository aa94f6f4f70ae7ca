#include "request/limits.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace std::chrono_literals;

namespace pybox {

TEST_CASE("the image decides the limits") {
  const Limits small = limits_for_image("stdlib");
  CHECK(small.memory == 128_MiB);
  CHECK(small.pids == 32);
  CHECK(small.cpu == MilliCores{500});
  CHECK(small.stdout_bytes == Bytes{65536});
  CHECK(small.stderr_bytes == Bytes{65536});
  for (const char* image : {"data", "my-own", "stdlib2", ""}) {
    const Limits large = limits_for_image(image);
    CHECK(large.memory == 512_MiB);
    CHECK(large.pids == 64);
    CHECK(large.cpu == MilliCores{1000});
  }
}

TEST_CASE("a full scratch space leaves memory for the interpreter") {
  for (const char* image : {"stdlib", "data"}) {
    CHECK(limits_for_image(image).tmp < limits_for_image(image).memory);
  }
}

TEST_CASE("a box expires after 120 s, or 90 s after its limit if that is later") {
  CHECK(expiry_for(2s) == 120s);
  CHECK(expiry_for(30s) == 120s);
  CHECK(expiry_for(31s) == 121s);
  CHECK(expiry_for(300s) == 390s);
}

}  // namespace pybox
