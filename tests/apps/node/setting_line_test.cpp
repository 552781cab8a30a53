// Values of a settings file that are changed without touching what people wrote around them.
#include "apps/node/setting_line.hpp"

#include <doctest/doctest.h>

using shingle::with_setting;

TEST_CASE("a value is changed in its line, and the line's comment stays") {
  CHECK(with_setting("# a node\nid = 0    # its number\nthreads = 2\n", "id", "7") ==
        "# a node\nid = 7    # its number\nthreads = 2\n");
  CHECK(with_setting("  id=0", "id", "7") == "id = 7\n");
  CHECK(with_setting("name = \"a # b\" # c\n", "name", "\"d\"") == "name = \"d\" # c\n");
}

TEST_CASE("a setting that is missing or commented out gets a line of its own") {
  CHECK(with_setting("", "id", "7") == "id = 7\n");
  CHECK(with_setting("# id = 3\nidle = 1\n", "id", "7") == "# id = 3\nidle = 1\nid = 7\n");
  CHECK(with_setting("threads = 2", "id", "7") == "threads = 2\nid = 7\n");
}

TEST_CASE("only the first line of a name is changed: a second one is the reader's error") {
  CHECK(with_setting("id = 1\nid = 2\n", "id", "7") == "id = 7\nid = 2\n");
}
