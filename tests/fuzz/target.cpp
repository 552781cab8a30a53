#include "tests/fuzz/target.hpp"

#include <cstdio>
#include <cstdlib>

#include "partition/base/text.hpp"

namespace shingle::fuzz {

void expect(bool holds, std::string_view sentence) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(sentence.size()),
               sentence.data());
  std::abort();
}

void expect_sentence(const std::string& error) {
  expect(error.size() > 10, "a refusal says why");
  expect(error.size() < 2000, "a refusal is one sentence, not a book: " + error);
  expect_readable(error);
}

void expect_readable(const std::string& text) {
  expect(readable(text, text.size()) == text, "a terminal can bear a text for people: " + text);
}

}  // namespace shingle::fuzz
