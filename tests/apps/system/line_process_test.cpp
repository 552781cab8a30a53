// Real processes that answer lines, or do not.
#include "apps/system/line_process.hpp"

#include <doctest/doctest.h>

#include "tests/apps/program.hpp"

namespace shingle {
namespace {

LineProcess shell(const std::string& script, int patience_ms = 30'000) {
  auto process = LineProcess::start({.program = "/bin/sh",
                                     .arguments = {"-c", script},
                                     .patience = std::chrono::milliseconds(patience_ms)});
  REQUIRE(process.ok());
  return std::move(*process);
}

TEST_CASE("a process answers line by line") {
  LineProcess process = shell("while read line; do echo \"<$line>\"; done");
  CHECK(process.exchange("one").value() == "<one>");
  CHECK(process.exchange("two words").value() == "<two words>");
}

TEST_CASE("a process that ended is an error with its last words, and stays one") {
  LineProcess process = shell("read line; echo no such thing >&2; exit 3");
  const std::string sentence = "'/bin/sh' ended with exit code 3; its last words: no such thing";
  CHECK(process.exchange("one").error() == sentence);
  CHECK(process.exchange("two").error() == sentence);
  CHECK(shell("kill -9 $$").exchange("one").error() == "'/bin/sh' ended with signal 9");
}

TEST_CASE("a process that closes its output and goes on is an error") {
  CHECK(shell("exec >&- <&-; exec sleep 100").exchange("one").error() ==
        "'/bin/sh' closed its output without ending");
}

TEST_CASE("a process that does not answer in time is an error") {
  LineProcess process = shell("exec sleep 100", 50);
  CHECK(process.exchange("one").error() == "'/bin/sh' has not answered for 50 ms");
  LineProcess half = shell("printf 'half a line'; exec sleep 100", 50);
  CHECK(half.exchange("one").error() == "'/bin/sh' has not answered for 50 ms");
}

TEST_CASE("a process that says too much is an error") {
  CHECK(shell("read line; printf '%05000d\\n' 0; exec sleep 100").exchange("one").error() ==
        "'/bin/sh' answered with more than 4096 bytes in one line");
  CHECK(shell("read line; printf 'a\\nb\\n'; exec sleep 100").exchange("one").error() ==
        "'/bin/sh' answered one line with several");
}

TEST_CASE("a program that is not there is an error before anything is started") {
  CHECK(LineProcess::start({.program = "/nowhere/simulator"}).error() ==
        "cannot start '/nowhere/simulator': No such file or directory");
}

TEST_CASE("a process ends with its LineProcess") {
  pid_t id = 0;
  {
    const LineProcess process = shell("while read line; do echo; done");
    id = process.id();
    CHECK(is_alive(id));
  }
  CHECK(!is_alive(id));
}

}  // namespace
}  // namespace shingle
