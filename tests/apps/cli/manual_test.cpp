#include "apps/cli/manual.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "tests/apps/verbs.hpp"

using namespace shingle;

namespace {

void describe_boat(CLI::App& app, int& sails) {
  CLI::App* sail = app.add_subcommand("sail", "goes somewhere");
  sail->add_option("--sails", sails, "how many; .5 is none")->type_name("N");
  sail->footer("\nExamples:\n.boat sail --sails 2");
  app.add_subcommand("moor", "stays")->add_subcommand("fast", "with two ropes")->add_flag("--knot");
}

}  // namespace

TEST_CASE(
    "a manual page has verbs, options and examples, and no line that roff takes for a command") {
  CLI::App app("Crosses water.", "boat");
  int sails = 0;
  describe_boat(app, sails);
  const std::string page = manual_page(app, "boat-two");
  CHECK(has(page, ".TH BOAT-TWO 1"));
  CHECK(has(page, "boat\\-two \\- Crosses water."));
  CHECK(has(page, ".SS sail\ngoes somewhere\n"));
  CHECK(has(page, "\\fB\\-\\-sails\\fR \\fIN\\fR\nhow many; .5 is none\n"));
  CHECK(has(page, "\n\\&.boat sail \\-\\-sails 2\n"));
  CHECK(has(page, "\\fBmoor fast\\fR\nwith two ropes\n"));
}

TEST_CASE("bash completes verbs, and options of the verb that stands there") {
  CLI::App app("Crosses water.", "boat");
  int sails = 0;
  describe_boat(app, sails);
  const ScratchFolder folder;
  const std::string script = folder.with_text("boat", bash_completion(app, "boat-two"));
  const std::string out = folder / "out";
  const auto completed = [&](const std::string& words, int at) {
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=" + std::to_string(at) +
                                "; _boat_two; echo ${COMPREPLY[@]}' >" + out;
    REQUIRE(std::system(command.c_str()) == 0);
    return contents(out);
  };
  CHECK(completed("boat-two s", 1) == "sail\n");
  CHECK(completed("boat-two sail --sa", 2) == "--sails\n");
  CHECK(completed("boat-two moor f", 2) == "fast\n");
  CHECK(completed("boat-two sail --sails x", 3) == "\n");
}

TEST_CASE("the programs print their manual pages") {
  Program program({"--manual-page"});
  CHECK(program.end() == "exit code 0");
  CHECK(has(program.out(), ".TH SHINGLE 1"));
  CHECK(has(program.out(), ".SS simulate\n"));
}
