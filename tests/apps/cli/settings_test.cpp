#include "apps/cli/settings.hpp"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <map>

#include "tests/apps/scratch_folder.hpp"

using namespace shingle;

namespace {

struct Boat {
  int sails = 1;
  double length = 4.0, beam = 2.0;
  std::vector<std::string> crew;
  bool floats = false;
  std::string log_book;
};

// The options of a verb, with one that needs and one that excludes another.
ConfiguredVerb boat(Boat& options) {
  return {.name = "sail",
          .describe =
              [&options](CLI::App& verb) {
                verb.add_option("--sails", options.sails)->check(CLI::Range(1, 5))->required();
                auto* length = verb.add_option("--length", options.length);
                verb.add_option("--beam", options.beam)->excludes(length);
                auto* crew = verb.add_option("--crew", options.crew)->allow_extra_args(false);
                verb.add_option("--log-book", options.log_book)->needs(crew);
                verb.add_flag("--floats", options.floats);
                verb.add_option("--config", "file");
              },
          .command_line_only = {"config"},
          .not_by_environment = {"floats"}};
}

Environment variables(std::map<std::string, std::string> values) {
  return [values](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

std::string text(const std::vector<Setting>& settings) {
  std::string all;
  for (const Setting& each : settings) {
    all += each.option + "=";
    for (const std::string& value : each.values) all += value + ",";
    all += " ";
  }
  return all;
}

}  // namespace

TEST_CASE("settings of a file are checked by the options themselves, each with its line") {
  Boat options;
  const ConfiguredVerb verb = boat(options);
  const ScratchFolder folder;
  const auto read = [&](const char* lines) {
    return settings_in_file(verb, folder.with_text("boat.toml", lines));
  };
  const auto good = read("sails = 2\ncrew = [\"Ann\", \"Bo\"]\nlog-book = \"b\"\nfloats = true\n");
  REQUIRE(good.ok());
  CHECK(text(*good) == "sails=2, crew=Ann,Bo, log-book=b, floats=true, ");
  CHECK((*good)[1].origin.ends_with("boat.toml:2"));
  const auto refused = [&](const char* lines) { return read(lines).error(); };
  CHECK(refused("sails = 9\n").find("boat.toml:1: ") != std::string::npos);
  CHECK(refused("\nsail = 2\n")
            .find("boat.toml:2: there is no setting 'sail'; did you mean 'sails'?") !=
        std::string::npos);
  CHECK(refused("floats = 1\n").find("boat.toml:1: floats is true or false") != std::string::npos);
  CHECK(refused("config = \"x\"\n").find("there is no setting 'config'") != std::string::npos);
  CHECK(read("sails = \"two\"\n").failure().kind == ErrorKind::bad_input);
}

TEST_CASE("variables are settings, but for those that must be written out") {
  Boat options;
  const ConfiguredVerb verb = boat(options);
  const auto read = settings_in_environment(verb, variables({{"SHINGLE_LOG_BOOK", "b"},
                                                             {"SHINGLE_FLOATS", "true"},
                                                             {"SHINGLE_CREW", ""},
                                                             {"SHINGLE_OTHER", "x"}}));
  REQUIRE(read.ok());
  CHECK(text(*read) == "log-book=b, ");
  CHECK((*read)[0].origin == "SHINGLE_LOG_BOOK");
  const auto wrong = settings_in_environment(verb, variables({{"SHINGLE_SAILS", "9"}}));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().find("SHINGLE_SAILS: ") == 0);
}

TEST_CASE("the higher layer wins, also over what it excludes") {
  Boat options;
  const ConfiguredVerb verb = boat(options);
  const std::vector<Setting> higher = settings_in_arguments(verb, {"--beam", "3", "--crew=Cy"});
  CHECK(text(higher) == "beam=3, crew=Cy, ");
  const std::vector<Setting> lower = {{.option = "length", .values = {"9"}, .origin = "f:1"},
                                      {.option = "crew", .values = {"Ann"}, .origin = "f:2"},
                                      {.option = "sails", .values = {"2"}, .origin = "f:3"}};
  CHECK(text(layered(verb, higher, lower)) == "beam=3, crew=Cy, sails=2, ");
}

TEST_CASE("a command line is read option by option, and settings become words of one") {
  Boat options;
  const ConfiguredVerb verb = boat(options);
  const auto stated = settings_in_arguments(
      verb, {"--crew", "Ann", "--floats", "--config", "boat.toml", "--crew", "--odd", "--sails=3"});
  CHECK(text(stated) == "crew=Ann,--odd, floats=true, sails=3, ");  // a value may begin with dashes
  const std::vector<std::string> words =
      arguments_of(verb, {{.option = "crew", .values = {"Ann", "Bo"}, .origin = {}},
                          {.option = "floats", .values = {"true"}, .origin = {}}});
  CHECK(words == std::vector<std::string>{"--crew=Ann", "--crew=Bo", "--floats"});
  CHECK(arguments_of(verb, {{.option = "floats", .values = {"false"}, .origin = {}}}).empty());
}
