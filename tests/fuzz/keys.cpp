// Fuzzes the files of a key folder: reads each text as the list of members and as a node's secret.
#include "transport/keys/keys.hpp"

#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

void members(std::string_view text) {
  const Result<Allowed> allowed = Allowed::parse(text);
  if (!allowed) return expect_sentence(allowed.error());
  const Result<Allowed> again = Allowed::parse(allowed->text());
  expect(again.ok() && again->keys() == allowed->keys(), "a printed list says the same");
  expect(again->has_end(), "a printed list has an end");
  const std::string printed = allowed->text();
  for (size_t cut = 2; cut < printed.size(); cut += 1 + printed.size() / 16) {
    const auto part = Allowed::parse(std::string_view(printed).substr(0, printed.size() - cut));
    expect(!part.ok() || part->keys().empty(), "no part of a list is taken for the whole");
  }
  for (const auto& [node, key] : allowed->keys()) {
    expect(is_key(key.z85), "a member has a key");
    expect(allowed->node_of(key) == node, "a key is one node's");
  }
}

void secret(std::string_view text) {
  const Result<KeyPair> pair = parse_secret(text);
  if (!pair) return expect_sentence(pair.error());
  const Result<KeyPair> again = parse_secret(secret_text({1}, *pair));
  expect(again.ok() && again->open == pair->open && again->secret == pair->secret,
         "a printed secret says the same");
}

}  // namespace

void keys(Bytes bytes) {
  members(text_of(bytes));
  secret(text_of(bytes));
}

}  // namespace shingle::fuzz
