#include "apps/findings/class_names.hpp"

#include <doctest/doctest.h>

#include "tests/apps/scratch_folder.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

TEST_CASE("COCO's names are numbered as its detectors number them") {
  CHECK(coco_names().size() == 80);
  CHECK(name_of_class(coco_names(), 0) == "person");
  CHECK(name_of_class(coco_names(), 2) == "car");
  CHECK(name_of_class(coco_names(), 79) == "toothbrush");
  CHECK(name_of_class(coco_names(), 80) == "class 80");
  CHECK(name_of_class(coco_names(), -1) == "class -1");
}

TEST_CASE("a file of names has one on each line") {
  CHECK(parse_names("car\r\nbig truck\n\n\n").value() == ClassNames{"car", "big truck"});
  CHECK(parse_names("n01440764 tench, Tinca tinca\nn01443537 goldfish").value() ==
        ClassNames{"tench", "goldfish"});
  CHECK(parse_names("a\n\nb").value() == ClassNames{"a", "", "b"});
  CHECK(parse_names("\xEF\xBB\xBF"
                    "car\n")
            .value() == ClassNames{"car"});
  CHECK(name_of_class(parse_names("a\n\nb").value(), 1) == "class 1");
  CHECK(parse_names("red\x1b[31m").value() == ClassNames{"red [31m"});
}

TEST_CASE("a file that holds no names, or too many, is refused by its name") {
  CHECK_FALSE(parse_names("").ok());
  CHECK_FALSE(parse_names("\n\n \n").ok());
  CHECK_FALSE(parse_names(std::string(2 << 20, 'x')).ok());
  std::string many;
  for (int i = 0; i < 100'001; ++i) many += "x\n";
  CHECK_FALSE(parse_names(many).ok());
  const ScratchFolder folder;
  const std::string path = folder.with_text("empty.names", "");
  CHECK(read_names(path).error().find(path) != std::string::npos);
  CHECK(read_names(folder / "none.names").error().find("none.names") != std::string::npos);
}

TEST_CASE("the names in an export's metadata are read as Python wrote them") {
  CHECK(names_in_metadata("{0: 'person', 1: 'bicycle'}") == ClassNames{"person", "bicycle"});
  CHECK(names_in_metadata("{1: 'b', 0: \"driver's cab\", 3: 'd'}") ==
        ClassNames{"driver's cab", "b", "", "d"});
  CHECK(names_in_metadata("['a', 'b\\'c',]") == ClassNames{"a", "b'c"});
}

TEST_CASE("metadata that are no names are none, and none of them crashes") {
  for (const char* text :
       {"", "{", "[", "{}", "[]", "{0}", "{0: }", "{0: 'a", "{'a': 0}", "['a' 'b']",
        "{0: 'a'} more", "{99999999999999999999: 'a'}", "{100000: 'a'}", "5", "{-1: 'a'}"})
    CHECK_MESSAGE(!names_in_metadata(text), text);
  const std::string good = "{0: 'person', 1: \"driver's\", 2: 'c\\'d'}";
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::string bad = good.substr(0, random.next() % (good.size() + 1));
    if (!bad.empty()) bad[random.next() % bad.size()] = "{}[]:,'\"\\0123 x"[random.next() % 15];
    const auto names = names_in_metadata(bad);
    if (names) CHECK(names->size() <= 100'000);
  }
}
