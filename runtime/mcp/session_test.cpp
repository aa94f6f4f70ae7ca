#include "mcp/session.hpp"

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>

namespace pybox::mcp {

namespace {

/// A session without an engine: what is answered before any run.
class Client {
 public:
  explicit Client(Operator allowed = {})
      : allowed_(std::move(allowed)),
        session_(
            allowed_, [this](std::string_view line) { lines.emplace_back(line); }, log_,
            done_.get()) {}

  /// What a line is answered.
  std::string ask(std::string text) {
    lines.clear();
    session_.take({false, std::move(text)}, Nanos(0));
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "\n") + line;
    return all;
  }

  void initialize(std::string_view version = "2025-11-25") {
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
        std::string(version) + R"("}})");
  }

  Session& session() { return session_; }
  std::vector<std::string> lines;

 private:
  Operator allowed_;
  sys::Fd done_ = make_event().value();
  sys::Fd nowhere_;
  Log log_{-1};
  Session session_;
};

std::string request(std::string_view method, std::string_view params = "{}",
                    std::string_view id = "1") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
         R"(","params":)" + std::string(params) + "}";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("before initialize only ping is answered, and nothing runs") {
  Client client;
  CHECK(client.ask(request("ping")) == R"({"jsonrpc":"2.0","id":1,"result":{}})");
  CHECK(has(client.ask(request("tools/list")), "-32600"));
  CHECK(has(client.ask(request("tools/call", R"({"name":"run_python","arguments":{"code":"1"}})")),
            "-32600"));
  CHECK(has(client.ask(request("no/such")), "-32601"));
  CHECK(client.session().idle());
  client.initialize();
  CHECK(has(client.ask(request("tools/list")), "run_python"));
}

TEST_CASE("a notification is never answered") {
  Client client;
  client.initialize();
  for (const char* method :
       {"tools/list", "tools/call", "ping", "initialize", "notifications/initialized",
        "notifications/cancelled", "no/such", "server/discover"}) {
    CHECK(client.ask(std::string(R"({"jsonrpc":"2.0","method":")") + method + R"("})").empty());
  }
  CHECK(client.session().idle());
}

TEST_CASE("a batch is served in the one revision that has them, on one line") {
  const std::string batch = "[" + request("ping", "{}", "1") + "," + request("no/such", "{}", "2") +
                            ",3," + R"({"jsonrpc":"2.0","method":"notifications/x"}])";
  Client client;
  client.initialize("2025-06-18");
  CHECK(has(client.ask(batch), "-32600"));
  CHECK(client.lines.size() == 1);
  client.initialize("2025-03-26");
  const std::string answer = client.ask(batch);
  CHECK(client.lines.size() == 1);
  CHECK(answer.starts_with(
      R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error")"));
  CHECK(has(answer, R"({"jsonrpc":"2.0","error":{"code":-32600)"));
  CHECK(client.ask(R"([{"jsonrpc":"2.0","method":"notifications/x"}])").empty());
  CHECK(has(client.ask("[" + request("initialize", R"({"protocolVersion":"2025-06-18"})") + "]"),
            "-32600"));
}

TEST_CASE("each request is answered by its own era") {
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  Client client;
  const std::string discovered = client.ask(request("server/discover", "{" + meta + "}"));
  for (const char* part :
       {R"("resultType":"complete")", R"("supportedVersions":["2026-07-28"])", R"("ttlMs":)",
        R"("cacheScope":"public")", R"("io.modelcontextprotocol/serverInfo":{"name":"pybox")"}) {
    CHECK(has(discovered, part));
  }
  CHECK(has(client.ask(request("tools/list", "{" + meta + "}")), R"("resultType":"complete")"));
  CHECK(has(client.ask(request("tools/list")), "not initialized"));
  for (const char* method :
       {"ping", "initialize", "logging/setLevel", "prompts/list", "subscriptions/listen"}) {
    CHECK(has(client.ask(request(method, "{" + meta + "}")), "-32601"));
  }
  client.initialize();
  CHECK_FALSE(has(client.ask(request("tools/list")), "resultType"));
}

TEST_CASE("a tool that was not offered does not exist") {
  Client client;
  client.initialize();
  for (const char* name : {"execute_python", "RUN_PYTHON", "run_python\\n", ""}) {
    CHECK(has(client.ask(request("tools/call", std::string(R"({"name":")") + name + R"("})")),
              "-32602"));
  }
  CHECK(has(client.ask(request("tools/call", R"({"name":7})")), "-32602"));
  CHECK(
      has(client.ask(request("tools/call", R"({"name":"run_python","arguments":"x"})")), "-32602"));
  CHECK(has(client.ask(request("tools/list", R"({"cursor":""})")), "-32602"));
}

TEST_CASE("the message after the last one closes the session") {
  Operator allowed;
  allowed.max_messages = 3;
  Client client(allowed);
  client.ask(request("ping"));
  client.ask("nonsense");
  client.ask(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  CHECK_FALSE(client.session().exhausted());
  CHECK(client.ask(request("ping")).empty());
  CHECK(client.session().exhausted());
}

}  // namespace pybox::mcp
