#include "apps/system/plain_text.hpp"

#include <doctest/doctest.h>

using shingle::plain_text;

TEST_CASE("text that is plain stays as it is") {
  CHECK(plain_text("", 10).empty());
  CHECK(plain_text("Straßenbahn, 電車", 100) == "Straßenbahn, 電車");
}

TEST_CASE("what moves cursors or turns writing becomes blanks") {
  CHECK(plain_text("a\x1b[2Jb\x7f\n", 100) == "a [2Jb  ");
  CHECK(plain_text("a\xC2\x9B"
                   "2Jb",
                   100) == "a 2Jb");
  CHECK(plain_text("a\xE2\x80\xAE"
                   "b\xE2\x81\xA6"
                   "c\xE2\x80\x8F",
                   100) == "a b c ");
  CHECK(plain_text("\xE2\x80", 100) == "\xE2\x80");  // broken off, and read no further
}

TEST_CASE("long text is cut between characters, and says so") {
  CHECK(plain_text("abcdef", 6) == "abcdef");
  CHECK(plain_text("abcdefg", 6) == "abcdef...");
  CHECK(plain_text("abc電車", 5) == "abc...");
  CHECK(plain_text("abc電車", 6) == "abc電...");
}
