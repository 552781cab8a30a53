#include "transport/zmq/address_book.hpp"

#include <doctest/doctest.h>

using namespace shingle;

namespace {

const NodeId kitchen{3}, garden{4}, stranger{9};
const Address written{"10.0.0.3", 7001}, announced{"10.0.0.33", 7002}, false_one{"6.6.6.6", 666};

AddressBook book_of_two() {
  return AddressBook({{.id = kitchen, .host = written.host, .port = written.port}, {.id = garden}});
}

}  // namespace

TEST_CASE("a peer without a written address has none before it announces one") {
  AddressBook book = book_of_two();
  CHECK_FALSE(book.next(garden).has_value());
  book.announce(garden, {announced});
  CHECK(book.next(garden) == announced);
}

TEST_CASE("what is announced is tried first, what is written is not given up for it") {
  AddressBook book = book_of_two();
  CHECK(book.next(kitchen) == written);
  CHECK_FALSE(book.has_another(kitchen, written));
  book.announce(kitchen, {false_one});
  CHECK(book.has_another(kitchen, false_one));
  CHECK(book.next(kitchen) == false_one);
  CHECK(book.next(kitchen) == written);
  CHECK(book.next(kitchen) == false_one);
}

TEST_CASE("where a peer was found is tried again whatever is announced in its name") {
  AddressBook book = book_of_two();
  book.announce(garden, {announced});
  book.found(garden, announced);
  CHECK(book.next(garden) == announced);
  for (uint16_t port = 1; port < 100; ++port) {
    book.announce(garden, {{"6.6.6.6", port}});
    CHECK(book.next(garden) == Address{"6.6.6.6", port});
    CHECK(book.next(garden) == announced);
  }
}

TEST_CASE("announcements without an end do not keep a node from what is written") {
  AddressBook book = book_of_two();
  int written_tried = 0;
  for (uint16_t port = 1; port < 100; ++port) {
    book.announce(kitchen, {{"6.6.6.6", port}, {"6.6.6.7", port}});
    written_tried += book.next(kitchen) == written ? 1 : 0;
  }
  CHECK(written_tried >= 40);
}

TEST_CASE("nobody makes a peer by announcing it, nor a list without an end") {
  AddressBook book = book_of_two();
  book.announce(stranger, {announced});
  std::vector<Address> many;
  for (uint16_t port = 0; port < 1000; ++port) many.push_back({"10.0.0.1", port});
  book.announce(garden, many);
  std::vector<Address> tried;
  for (int i = 0; i < 100; ++i) tried.push_back(book.next(garden).value());
  for (const Address& each : tried) {
    CHECK(each.port != 0);
    CHECK(each.port <= AddressBook::max_announced);
  }
}
