#include <catch2/catch_test_macros.hpp>

#include "link/frame.hpp"
#include "link/order.hpp"

namespace pybox::link {
namespace {

RunOrder sample_order() {
  RunOrder order;
  order.receipt_id = "r-0123456789abcdef";
  order.created_at = "2026-11-29T12:34:56.789Z";
  order.image_id = "sha256:" + std::string(64, 'a');
  order.code_sha256 = std::string(64, 'b');
  order.stream_output = true;
  order.request.engine = EngineKind::Native;
  order.request.program_name = "job.py";
  order.request.program = "print('hi')\n";
  order.request.args = {"--x", "bytes \xff\x01", ""};
  order.request.inputs = {
      {"data.csv", "1,2\n"}, {"sub/empty", ""}, {"folder", "", InputFile::Kind::Folder}};
  order.request.timeout = std::chrono::milliseconds(400);
  order.request.when_orphaned = Request::WhenOrphaned::Kill;
  order.request.limits = {128_MiB, 32, MilliCores{500}, 64_KiB, 64_KiB, 64_MiB, 4096};
  order.leave_out = {"cred.caps"};
  return order;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an order comes back from its head and body as it was") {
  const RunOrder order = sample_order();
  const auto back = order_from(order_head(order), order_body(order));
  REQUIRE(back);
  CHECK(order_head(*back) == order_head(order));
  CHECK(order_body(*back) == order_body(order));
  CHECK(back->request.args == order.request.args);
  CHECK(back->request.inputs[0].bytes == "1,2\n");
  CHECK(back->request.inputs[1].kind == InputFile::Kind::File);
  CHECK(back->request.inputs[2].kind == InputFile::Kind::Folder);
  CHECK(back->request.timeout == order.request.timeout);
  CHECK(back->request.when_orphaned == Request::WhenOrphaned::Kill);
  CHECK(back->leave_out == order.leave_out);
}

TEST_CASE("the body must have exactly the announced size") {
  const RunOrder order = sample_order();
  CHECK_FALSE(order_from(order_head(order), order_body(order) + "x"));
  CHECK_FALSE(order_from(order_head(order), order_body(order).substr(1)));
  CHECK_FALSE(order_from(order_head(order), ""));
}

TEST_CASE("the head alone says what was asked, with the sizes of what is missing") {
  const RunOrder order = sample_order();
  const auto head = order_head_from(order_head(order));
  REQUIRE(head);
  CHECK(head->order.receipt_id == order.receipt_id);
  CHECK(head->order.request.timeout == order.request.timeout);
  CHECK(head->order.request.program.empty());
  CHECK(head->order.request.inputs.empty());
  CHECK(head->program_bytes == order.request.program.size());
  REQUIRE(head->inputs.size() == order.request.inputs.size());
  CHECK(head->inputs[0].name == order.request.inputs[0].name);
  CHECK(head->inputs[0].bytes == order.request.inputs[0].bytes.size());
  CHECK_FALSE(order_head_from("{}"));
}

TEST_CASE("an order with a wrong field is refused, and the message names the field") {
  const std::string head = order_head(sample_order());
  const std::string body = order_body(sample_order());
  const auto problem = [&](std::string_view from, std::string_view to) {
    const auto result = order_from(replaced(head, from, to), body);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind() == ErrorKind::Protocol);
    return result.error().message();
  };
  CHECK(problem("\"r-0123456789abcdef\"", "\"../../etc/x\"").find("receipt_id") !=
        std::string::npos);
  CHECK(problem("sha256:aaaa", "sha256:../a").find("image_id") != std::string::npos);
  CHECK(problem("400000000", "-5").find("timeout_ns") != std::string::npos);
  CHECK(problem("400000000", "400000000000").find("timeout_ns") != std::string::npos);
  CHECK(problem("\"sub/empty\"", "\"sub/../../x\"").find("inputs") != std::string::npos);
  CHECK(problem("\"sub/empty\"", "\"/x\"").find("inputs") != std::string::npos);
  CHECK(problem("\"native\"", "\"magic\"").find("engine") != std::string::npos);
  CHECK(problem("\"pids\":32", "\"pids\":0").find("limits.pids") != std::string::npos);
  CHECK(problem("\"cold\":false", "\"cold\":0").find("cold") != std::string::npos);
  CHECK(problem("\"LS14\"", "\"LS14\\n\"").find("args") != std::string::npos);
  CHECK(problem("\"cold\":false", "\"cold\":false,\"cold\":true").find("cold") !=
        std::string::npos);
  CHECK(problem("\"cold\":false", "\"cold\":false,\"more\":1").find("more") != std::string::npos);
  CHECK_FALSE(order_from("[]", ""));
  CHECK_FALSE(order_from("{", ""));
  CHECK_FALSE(order_from(std::string(100000, '['), ""));
}

}  // namespace pybox::link
