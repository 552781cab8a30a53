// Every figure of TrackEval, for eight sequences and their sum, with and without preprocessing. The
// real program computes ours.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"
#include "tests/drone/shared_data.hpp"
#include "tests/places.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

struct Length {
  const char* name;
  int frames;
};
constexpr Length lengths[] = {{"clean", 60},         {"misses", 90},      {"switches", 90},
                              {"noisy", 120},        {"distractors", 90}, {"crowd", 60},
                              {"empty_tracker", 20}, {"only_false", 20}};

// A folder as MOTChallenge has it: NAME/gt/gt.txt and NAME/seqinfo.ini.
void lay_out(const std::string& data, const ScratchFolder& folder) {
  for (const Length& each : lengths) {
    const std::string name = each.name;
    std::filesystem::create_directories(folder / name + "/gt");
    std::filesystem::copy_file(data + "/gt/" + name + ".txt", folder / name + "/gt/gt.txt");
    folder.with_text(name + "/seqinfo.ini",
                     "[Sequence]\nseqLength = " + std::to_string(each.frames) + "\n");
  }
}

size_t differing(const Json& wanted, const Json& got, bool is_integer) {
  if (!got.is_number()) return 1;
  const double difference = std::abs(wanted.get<double>() - got.get<double>());
  return difference > (is_integer ? 0.0 : 1e-6) || std::isnan(difference) ? 1 : 0;
}

bool counts(const std::string& field) {
  return field.find("_TP") != std::string::npos || field.find("_F") != std::string::npos ||
         field == "IDTP" || field == "IDFN" || field == "IDFP" || field == "IDSW" ||
         field == "MT" || field == "PT" || field == "ML" || field == "Frag";
}

}  // namespace

TEST_CASE("all figures are TrackEval's") {
  const auto data = drone::shared_data("trackeval");
  if (!data) return;
  const ScratchFolder folder;
  lay_out(*data, folder);
  const Json expected = Json::parse(contents(*data + "/expected.json"));
  for (const auto& [benchmark, key] :
       {std::pair{"mot17", "mot_preprocessing"}, std::pair{"none", "no_preprocessing"}}) {
    Program program({"eval", folder.path(), *data + "/tracks", "--benchmark", benchmark, "--json"},
                    {}, drone_program());
    REQUIRE(program.end() == "exit code 0");
    CHECK(program.err() == "");
    const Json ours = Json::parse(program.out());
    size_t compared = 0;
    for (const auto& [sequence, fields] : expected.at(key).items()) {
      const Json& scores =
          sequence == "COMBINED" ? ours.at("combined") : ours.at("sequences").at(sequence);
      for (const auto& [field, wanted] : fields.items()) {
        INFO(key, ", ", sequence, ", ", field);
        size_t wrong = 0;
        if (wanted.is_array())
          for (size_t index = 0; index < wanted.size(); ++index)
            wrong += differing(wanted[index], scores.at("curves").at(field)[index], counts(field));
        else
          wrong = differing(wanted, scores.at(field), counts(field));
        CHECK(wrong == 0);
        ++compared;
      }
    }
    CHECK(compared == 9 * expected.at(key).at("COMBINED").size());
  }
}
