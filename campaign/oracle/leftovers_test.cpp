#include "campaign/oracle/leftovers.hpp"

#include <catch2/catch_test_macros.hpp>

#include "request/limits.hpp"

namespace pybox::campaign {
namespace {

Record record_saying(const std::string& signature) {
  Record record;
  record.nonce = "0123456789abcdef0123456789abcdef";
  record.out = R"({"nonce": ")" + record.nonce + R"(", "signature": ")" + signature +
               R"(", "proof": null, "detail": {}})" + "\n";
  record.report.emplace();
  return record;
}

Record with_peak(Record record, Bytes peak) {
  record.report->kernel.memory_peak_bytes = peak.count;
  return record;
}

Record with_files(Record record, std::uint64_t files) {
  record.report->files.omitted_total = files;
  return record;
}

Record with_pids(Record record, std::vector<std::uint64_t> pids) {
  for (const std::uint64_t count : pids)
    record.report->kernel.series.push_back({Nanos{}, std::nullopt, count, std::nullopt});
  return record;
}

Record with_cleanup(Record record, Cleanup::Status status, std::uint32_t killed) {
  record.report->cleanup.status = status;
  record.report->outcome.leftovers_killed = killed;
  return record;
}

const Check kCheck;  // of the image stdlib: 64 MiB of scratch space, 4096 inodes

}  // namespace

TEST_CASE("a full scratch space is believed only with the memory that it takes") {
  CHECK(read_scratch(kCheck, with_peak(record_saying("ENOSPC"), 72_MiB)).signature == "ENOSPC");
  CHECK(read_scratch(kCheck, with_peak(record_saying("reached"), 104_MiB)).signature == "reached");
  CHECK(read_scratch(kCheck, with_peak(record_saying("reached"), 72_MiB)).signature == "unproven");
  CHECK(read_scratch(kCheck, with_peak(record_saying("ENOSPC"), 104_MiB)).signature == "unproven");
  CHECK(read_scratch(kCheck, with_peak(record_saying("ENOSPC"), 8_MiB)).signature == "unproven");
  CHECK(read_scratch(kCheck, record_saying("ENOSPC")).signature == "unproven");
}

TEST_CASE("files are counted by boxd, not by the program") {
  CHECK(read_inodes(kCheck, with_files(record_saying("ENOSPC"), 4080)).signature == "ENOSPC");
  CHECK(read_inodes(kCheck, with_files(record_saying("reached"), 8192)).signature == "reached");
  CHECK(read_inodes(kCheck, with_files(record_saying("reached"), 4080)).signature == "unproven");
  CHECK(read_inodes(kCheck, with_files(record_saying("ENOSPC"), 8192)).signature == "unproven");
  CHECK(read_inodes(kCheck, with_files(record_saying("ENOSPC"), 10)).signature == "unproven");
}

TEST_CASE("dead children are seen in the kernel's count of tasks") {
  CHECK(read_orphans(kCheck, with_pids(record_saying("done"), {1, 13, 1})).signature ==
        "collected");
  CHECK(read_orphans(kCheck, with_pids(record_saying("done"), {1, 13, 13})).signature == "reached");
  CHECK(read_orphans(kCheck, with_pids(record_saying("done"), {1, 1, 1})).signature == "unproven");
  CHECK(read_orphans(kCheck, with_pids(record_saying("other"), {1, 13, 1})).signature ==
        "unproven");
  CHECK(read_orphans(kCheck, record_saying("done")).signature == "unproven");
}

TEST_CASE("a box that left something behind must be gone all the same") {
  const auto read = [](Cleanup::Status status, std::uint32_t killed) {
    return read_cleanup(kCheck, with_cleanup(record_saying("left behind"), status, killed))
        .signature;
  };
  CHECK(read(Cleanup::Status::Removed, 4) == "removed");
  CHECK(read(Cleanup::Status::Removed, 0) == "nothing left behind");
  CHECK(read(Cleanup::Status::Unconfirmed, 4) == "reached");
  CHECK(read(Cleanup::Status::NotAttempted, 0) == "unproven");
}

}  // namespace pybox::campaign
