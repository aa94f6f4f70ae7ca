#include "vm/questions.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

TEST_CASE("a question is answered once, or expires at its time") {
  Questions questions;
  CHECK_FALSE(questions.next_deadline());
  questions.ask(1, {10, 100, Nanos(5)});
  questions.ask(2, {20, 200, Nanos(7)});
  CHECK(questions.next_deadline() == Nanos(5));
  CHECK(questions.take_expired(Nanos(4)).empty());
  CHECK(questions.take(2)->session == 20);
  CHECK_FALSE(questions.take(2));
  const auto expired = questions.take_expired(Nanos(5));
  REQUIRE(expired.size() == 1);
  CHECK(expired[0].client_run == 100);
  CHECK_FALSE(questions.take(1));
}

}  // namespace pybox::vm
