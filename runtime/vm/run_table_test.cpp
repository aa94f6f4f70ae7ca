#include "vm/run_table.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::vm {

TEST_CASE("two clients with the same run number get two runs in the guest") {
  RunTable table;
  const auto first = table.add({1, 1, "a", "{}"});
  const auto second = table.add({2, 1, "b", "{}"});
  REQUIRE((first && second));
  CHECK(*first != *second);
  CHECK(*first != 0);
  CHECK(table.find(*second)->receipt_id == "b");
  CHECK(table.run_of(1, 1) == first);
  CHECK_FALSE(table.run_of(1, 2));
}

TEST_CASE("a client cannot start a run it already has, and can once that has ended") {
  RunTable table;
  const auto first = table.add({1, 1, "a", ""});
  CHECK_FALSE(table.add({1, 1, "b", ""}));
  CHECK(table.take(*first)->receipt_id == "a");
  CHECK_FALSE(table.take(*first));
  const auto second = table.add({1, 1, "b", ""});
  REQUIRE(second);
  CHECK(*second != *first);
}

TEST_CASE("a run outlives its client, and nobody else's run is touched") {
  RunTable table;
  const auto mine = table.add({1, 1, "a", "order"});
  const auto other = table.add({2, 1, "b", ""});
  CHECK(table.drop_client(1) == std::vector{*mine});
  CHECK(table.drop_client(1).empty());
  CHECK_FALSE(table.find(*mine)->client);
  CHECK(table.find(*other)->client == 2U);
  CHECK(table.take(*mine)->order_head == "order");
  CHECK(table.take_all().size() == 1);
  CHECK(table.size() == 0);
}

}  // namespace pybox::vm
