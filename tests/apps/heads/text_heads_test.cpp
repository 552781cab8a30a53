// Text by CTC, and the letters that it is made of.
#include <doctest/doctest.h>

#include "apps/heads/dictionary.hpp"
#include "tests/apps/heads/head_clues.hpp"
#include "tests/apps/scratch_folder.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape line{32, 100, 1};

// By classes alone: of each step the largest, then repeats go, then blanks.
std::vector<int> slow_classes(const std::vector<float>& values, int classes, int blank) {
  std::vector<int> path;
  for (size_t at = 0; at < values.size(); at += static_cast<size_t>(classes)) {
    int best = 0;
    for (int c = 1; c < classes; ++c)
      if (values[at + static_cast<size_t>(c)] > values[at + static_cast<size_t>(best)]) best = c;
    path.push_back(best);
  }
  std::vector<int> kept;
  for (size_t i = 0; i < path.size(); ++i)
    if ((i == 0 || path[i] != path[i - 1]) && path[i] != blank) kept.push_back(path[i]);
  return kept;
}

std::vector<float> table(const std::vector<int>& path, int classes) {
  std::vector<float> values;
  for (const int best : path)
    for (int c = 0; c < classes; ++c) values.push_back(c == best ? 6.0F : 0.0F);
  return values;
}

ReadText text_of(const Head& head, const Clues& clues, const std::vector<float>& values) {
  REQUIRE(head.claim(clues).has_value());
  return std::get<DecodeText>(head.decode)(clues, std::vector<std::vector<float>>{values});
}

}  // namespace

TEST_CASE("repeats are one letter, and a blank between them makes two") {
  const Clues clues = clues_with(line, {{8, 1, 37}});
  const ReadText read = text_of(ctc_head, clues, table({0, 11, 11, 0, 11, 12, 0, 1}, 37));
  CHECK(read.text == "aab0");
  CHECK(read.classes == std::vector<int>{11, 11, 12, 1});
  CHECK(double{read.score} == doctest::Approx(std::exp(6.0) / (std::exp(6.0) + 36)).epsilon(1e-4));
}

TEST_CASE("random tables read as their classes say, with the blank first or last") {
  for (const Dims& dims : {Dims{1, 30, 37}, Dims{30, 1, 37}})
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      const Clues clues = clues_with(line, {dims});
      const std::vector<float> values = uniform(30 * 37, -3, 3, seed);
      CHECK(text_of(ctc_head, clues, values).classes == slow_classes(values, 37, 0));
      CHECK(text_of(ctc_last_head, clues, values).classes == slow_classes(values, 37, 36));
    }
}

TEST_CASE("the score of text is the mean probability of its letters, of logits or not") {
  const Clues clues = clues_with(line, {{2, 1, 37}});
  std::vector<float> shares(2 * 37, 0.0F);
  shares[3] = 0.75F, shares[4] = 0.25F;
  shares[37 + 5] = 0.5F, shares[37] = 0.5F - 1e-4F, shares[37 + 1] = 1e-4F;
  CHECK(double{text_of(ctc_head, clues, shares).score} == doctest::Approx(0.625));
  std::vector<float> logs;
  for (const float share : shares) logs.push_back(std::log(share + 1e-9F));
  CHECK(double{text_of(ctc_head, clues, logs).score} == doctest::Approx(0.625).epsilon(1e-4));
}

TEST_CASE("letters come from the user, then from the metadata, and a space may follow them") {
  Clues clues = clues_with({48, 320, 3}, {{1, 4, 4}}, {{"character", "x\ny\nz"}});
  const std::vector<float> values = table({1, 2, 3, 0}, 4);
  CHECK(ctc_head.claim(clues)->certainty == Certainty::stated);
  CHECK(text_of(ctc_head, clues, values).text == "xyz");
  clues.alphabet = {"p", "ä"};  // and the space
  CHECK(text_of(ctc_head, clues, values).text == "pä ");
  CHECK(text_of(ctc_last_head, clues, table({0, 1, 3, 2}, 4)).text == "pä ");
  clues.alphabet = {"p"};
  CHECK_FALSE(ctc_head.claim(clues));
  CHECK(text_of(ctc_head, clues_with(line, {{4, 1, 4}}), values).text == "<1><2><3>");
  CHECK_FALSE(ctc_head.claim(clues_with({64, 64, 3}, {{4, 1, 4}})));  // no line, no letters
}

TEST_CASE("steps without a number are blanks") {
  const Clues clues = clues_with(line, {{3, 1, 37}});
  std::vector<float> values = table({11, 5, 11}, 37);
  for (size_t c = 37; c < 74; ++c) values[c] = NAN;
  CHECK(text_of(ctc_head, clues, values).text == "aa");
  values[3] = INFINITY;
  const ReadText read = text_of(ctc_head, clues, values);
  CHECK(read.text == "a");
  CHECK(std::isfinite(read.score));
}

TEST_CASE("a dictionary has a letter a line, and blanks count") {
  CHECK(letters_in("a\n \nb\r\n\n\n") == Letters{"a", " ", "b"});
  CHECK(letters_in("").empty());
  CHECK(letters_in("a\x1b[0m").front() == "a [0m");
  const ScratchFolder folder;
  CHECK(read_letters(folder.with_text("l.txt", "a\nb")).value() == Letters{"a", "b"});
  CHECK_FALSE(read_letters(folder.with_text("e.txt", "")));
  CHECK_FALSE(read_letters(folder / "none"));
  CHECK_FALSE(read_letters(folder.with_text("long.txt", std::string(2 << 20, 'a'))));
}
