#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "campaign/oracle/resources.hpp"
#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

Record with_files(std::vector<ReturnedFile> files) {
  Record record;
  record.nonce = std::string(32, 'a');
  record.canary = std::string(32, 'b');
  record.out = R"({"nonce":")" + record.nonce + R"(","signature":"left","proof":null})" + "\n";
  record.report.emplace();
  record.report->files.status = Files::Status::Received;
  record.report->files.returned = std::move(files);
  return record;
}

Record sized(const std::vector<std::uint64_t>& sizes) {
  std::vector<ReturnedFile> files;
  for (const std::uint64_t size : sizes) {
    files.push_back({"f" + std::to_string(10 + files.size()), size, {}, {}});
  }
  return with_files(std::move(files));
}

}  // namespace

TEST_CASE("files of one moment only fall from one to the next, and by one byte in all") {
  const Check check;
  CHECK(read_moment(check, sized({5, 5, 5, 5})).signature == "one-moment");
  CHECK(read_moment(check, sized({6, 6, 5, 5})).signature == "one-moment");
  CHECK(read_moment(check, sized({5, 5, 6, 6})).signature == kReached);
  CHECK(read_moment(check, sized({6, 5, 6})).signature == kReached);
  CHECK(read_moment(check, sized({7, 6, 5})).signature == kReached);
  CHECK(read_moment(check, sized({7})).signature == "not-received");
  Record changed = sized({5, 5});
  changed.report->files.omitted_total = 1;
  CHECK(read_moment(check, changed).signature == kReached);
}

TEST_CASE("what came back is reached by the planted file, by count and by bytes") {
  const Check check;
  CHECK(read_files(check, sized({1, 1})).signature == "received");
  const std::string planted = sha256_hex(std::string(32, 'b') + ":file");
  CHECK(read_files(check, with_files({{"a", 37, planted, {}}})).signature == kReached);
  const std::vector<std::uint64_t> full(ceiling::kReturnedFiles, 1);
  CHECK(read_files(check, sized(full)).signature == "received");
  std::vector<std::uint64_t> more = full;
  more.push_back(1);
  CHECK(read_files(check, sized(more)).signature == kReached);
  CHECK(read_files(check, sized({ceiling::kReturnedBytes.count, 1})).signature == kReached);
  CHECK(read_files(check, sized({ceiling::kReturnedBytes.count})).signature == "received");
}

}  // namespace pybox::campaign
