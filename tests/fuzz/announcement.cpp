// Fuzzes what a broker forwards: reads each text as an Announcement and as a Sign. What was read
// can be printed and then reads the same; its costs are finite and its addresses need no look-up.
#include "apps/members/announcement.hpp"

#include <cmath>

#include "apps/members/own_addresses.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

void expect_bounded(const Announcement& said) {
  expect_readable(said.node.name);
  expect_readable(said.session);
  expect(said.models.size() <= Announcement::max_models, "models are bounded");
  for (const std::string& model : said.models) expect_readable(model);
  expect(said.addresses.size() <= Announcement::max_addresses, "addresses are bounded");
  for (const Address& address : said.addresses)
    expect(is_numeric(address.host) && address.port != 0, "an address is one as numbers");
  for (const WorkCost& cost : costs_of(said.node).costs)
    expect(std::isfinite(cost.ns_per_mac) && std::isfinite(cost.ns_per_element) &&
               std::isfinite(cost.ns_per_call),
           "costs are numbers");
}

void announced(std::string_view text) {
  const Result<Announcement> said = parse_announcement(text);
  if (!said) return expect_sentence(said.error());
  expect_bounded(*said);
  const Result<Announcement> again = parse_announcement(print(*said));
  expect(again.ok(), "a printed announcement can be read: " + (again ? "" : again.error()));
  expect(*again == *said, "a printed announcement says the same");
}

void sign(std::string_view text) {
  const Result<Sign> said = parse_sign(text);
  if (!said) return expect_sentence(said.error());
  const Result<Sign> again = parse_sign(print(*said));
  expect(again.ok() && *again == *said, "a printed sign says the same");
}

}  // namespace

void announcement(Bytes bytes) {
  announced(text_of(bytes));
  sign(text_of(bytes));
}

}  // namespace shingle::fuzz
