// MOTChallenge text: what is read, and what is refused with which sentence.
#include "apps/drone/boxes/mot_text.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

std::string refusal_of(const std::string& text) {
  const auto read = read_mot(text, "boxes.txt");
  return read ? "was read" : read.error();
}

}  // namespace

TEST_CASE("commas, blanks and whole numbers with a point are read alike") {
  for (const char* text : {"2,7,1.5,2,30,40,0.5,3,0.25\n", " 2 7 1.5 2 30 40 0.5 3 0.25",
                           "\r\n2.0, 7.0, 1.5, 2, 30, 40, 0.5, 3, 0.25\r\n"}) {
    const auto read = read_mot(text, "boxes.txt");
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    const MotRow& row = read->front();
    CHECK(row.frame == 2);
    CHECK(row.id == 7);
    CHECK(row.box == PixelBox{1.5, 2.0, 30.0, 40.0});
    CHECK(row.score == 0.5);
    CHECK(row.class_id == 3);
  }
}

TEST_CASE("six fields are enough") {
  const auto read = read_mot("1,-1,0,0,5,5\n1,-1,-3,0,5,5\n", "boxes.txt");
  REQUIRE(read);
  CHECK(read->size() == 2);
  CHECK(read->front().score == 1.0);
  CHECK(read->front().class_id == -1);
}

TEST_CASE("bad lines are refused with file, line and reason") {
  CHECK(refusal_of("1,1,2,3,4,5\n1,2,3\n") ==
        "'boxes.txt' line 2 has 3 fields; MOTChallenge lines have frame,id,x,y,w,h and more");
  CHECK(refusal_of("1,1,2,x,4,5\n") == "'boxes.txt' line 1 field 4 is 'x', not a number");
  CHECK(refusal_of("1,1,2,nan,4,5\n") == "'boxes.txt' line 1 field 4 is 'nan', not a number");
  CHECK(refusal_of("0,1,2,3,4,5\n") ==
        "'boxes.txt' line 1 has the frame 0; frames are whole numbers from 1 to 5000000");
  CHECK(refusal_of("5000001,1,2,3,4,5\n").find("has the frame 5000001") != std::string::npos);
  CHECK(refusal_of("1,1.5,2,3,4,5\n") == "'boxes.txt' line 1 has the id 1.5, not a whole number");
  CHECK(refusal_of("1,1,2,3,0,5\n") ==
        "'boxes.txt' line 1 has a box without width or height, or one far outside any picture");
  CHECK(refusal_of("1,1,2,3,4,1e9\n") ==
        "'boxes.txt' line 1 has a box without width or height, or one far outside any picture");
}

TEST_CASE("a written line is read as it was") {
  const MotRow row{
      .frame = 3, .id = 12, .box = {1.25, -2.5, 10.0, 20.0}, .score = 0.75, .class_id = 2};
  const auto read = read_mot(mot_line(row), "boxes.txt");
  REQUIRE(read);
  CHECK(read->front().box == row.box);
  CHECK(read->front().id == 12);
  CHECK(read->front().class_id == 2);
}
