// shingle verify --soft-errors, from its counting to the program.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/findings/answer.hpp"
#include "apps/models/seeded_input.hpp"
#include "apps/shingle/soft_error_campaign.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

TEST_CASE("boxes say the same while each has one of its class in its place, in any order") {
  const Detections two{{1, 0.9F, {0, 0, 10, 10}}, {2, 0.8F, {50, 50, 20, 20}}};
  const Detections moved{{2, 0.5F, {52, 51, 20, 20}}, {1, 0.4F, {1, 0, 10, 10}}};
  CHECK(same_answer(two, moved));
  CHECK_FALSE(same_answer(two, Detections{two[0]}));
  CHECK_FALSE(same_answer(two, Detections{two[0], {3, 0.8F, {50, 50, 20, 20}}}));
  CHECK_FALSE(same_answer(two, Detections{two[0], {2, 0.8F, {70, 50, 20, 20}}}));
  CHECK_FALSE(same_answer(Detections{two[0], two[0]}, Detections{two[0], two[1]}));
}

TEST_CASE("a classification is its best class, a class map most of its pixels") {
  CHECK(same_answer(Classification{{3, 0.9F}, {1, 0.1F}}, Classification{{3, 0.5F}}));
  CHECK_FALSE(same_answer(Classification{{3, 0.9F}}, Classification{{1, 0.9F}}));
  CHECK_FALSE(same_answer(Classification{{3, 0.9F}}, Classification{}));
  ClassMap map{.width = 100, .height = 2, .classes = std::vector<int32_t>(200, 4)};
  ClassMap other = map;
  other.classes[0] = other.classes[1] = 5;
  CHECK(same_answer(map, other));
  other.classes[2] = 5;
  CHECK_FALSE(same_answer(map, other));
  CHECK_FALSE(same_answer(map, Classification{}));
}

TEST_CASE("values that nobody interprets say the same while the largest stays and all are near") {
  const std::vector<std::vector<float>> values{{1.0F, 2.0F, 3.0F}};
  CHECK(same_values(values, std::vector<std::vector<float>>{{1.001F, 2.0F, 3.0F}}));
  CHECK_FALSE(same_values(values, std::vector<std::vector<float>>{{3.001F, 2.0F, 3.0F}}));
  CHECK_FALSE(same_values(values, std::vector<std::vector<float>>{{1.5F, 2.0F, 3.0F}}));
}

TEST_CASE("a vulnerability weighs kinds of bits by how many a value has") {
  FlipSite site{.layer = {0}, .words = 10};
  CHECK(site.vulnerability() == 0.0);
  site.kinds[0] = {.flips = 4, .other_answer = 4};
  CHECK(site.vulnerability() == 1.0);  // of the kinds that were tried
  site.kinds[1] = {.flips = 4, .other_answer = 2};
  site.kinds[2] = {.flips = 4};
  CHECK(site.vulnerability() == doctest::Approx((1.0 + 8.0 * 0.5) / 32.0));
  const std::vector<FlipSite> sites{site, {.layer = {1}, .words = 30, .kinds = {{{.flips = 1}}}}};
  CHECK(vulnerability(sites, Flip::Place::weight) ==
        doctest::Approx(site.vulnerability() * 10.0 / 40.0));
  CHECK(vulnerability(sites, Flip::Place::map) == 0.0);
}

TEST_CASE("flips are spread evenly over layers, places and kinds, and are the seed's alone") {
  const Model model = networks::make("tiny", 48).value();
  auto errors = SoftErrors::make(model, 1);
  REQUIRE(errors.ok());
  REQUIRE(errors->take(seeded_inputs(model, 1)).ok());
  const auto ran = [&](uint64_t seed) {
    SoftErrorCampaign campaign(model, *errors, {.flips = 6, .seed = seed});
    while (campaign.done() < campaign.size())
      REQUIRE(campaign
                  .step([](const auto& clean, const auto& flipped) {
                    return same_values(clean, flipped) ? Effect::other_bits : Effect::other_answer;
                  })
                  .ok());
    return campaign.sites();
  };
  const std::vector<FlipSite> sites = ran(1), again = ran(1), other = ran(2);
  bool differ = false;
  for (size_t i = 0; i < sites.size(); ++i)
    for (size_t kind = 0; kind < 3; ++kind) {
      const FlipCounts& counts = sites[i].kinds[kind];
      CHECK(counts.flips == 2);
      CHECK(counts.masked + counts.other_bits + counts.other_answer == counts.flips);
      CHECK(counts.by_checksum == (sites[i].place == Flip::Place::weight ? 2 : 0));
      CHECK(counts.masked == again[i].kinds[kind].masked);
      CHECK(counts.other_answer == again[i].kinds[kind].other_answer);
      differ = differ || counts.masked != other[i].kinds[kind].masked ||
               counts.other_answer != other[i].kinds[kind].other_answer;
    }
  CHECK(differ);
}

TEST_CASE("verify --soft-errors says of each layer what flipped bits did, and what finds them") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("net.onnx", networks::to_onnx(networks::make("resnet18", 64).value()));
  Program json({"verify", model, "--soft-errors", "--flips", "3", "--json"});
  REQUIRE_MESSAGE(json.end() == "exit code 0", json.err());
  const auto told = nlohmann::json::parse(json.out());
  CHECK(told["flips"] == told["planned"]);
  CHECK(told["weights"]["found_by_checksum"] == told["weights"]["flips"]);
  CHECK(told["maps"]["found_by_checksum"] == 0);
  CHECK(told["weights"]["other_answer"] > 0);
  CHECK(told["layers"].size() > 20);
  for (const auto& layer : told["layers"]) CHECK(layer["map"]["sign"]["flips"] == 1);
  Program text({"verify", model, "--soft-errors", "--flips", "1"});
  REQUIRE_MESSAGE(text.end() == "exit code 0", text.err());
  CHECK(text.out().find("most vulnerable: ") != std::string::npos);
  CHECK(text.out().find("a look at the checksums finds") != std::string::npos);
}

TEST_CASE("verify --soft-errors ends in time, takes pictures, and says what it cannot take") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("net.onnx", networks::to_onnx(networks::make("yolov2_front", 96).value()));
  Program hasty(
      {"verify", model, "--soft-errors", "--flips", "1000000", "--seconds", "0.2", "--json"});
  REQUIRE_MESSAGE(hasty.end() == "exit code 0", hasty.err());
  const auto told = nlohmann::json::parse(hasty.out());
  CHECK(told["flips"] < told["planned"]);
  Program missing({"verify", model, "--soft-errors", "--image", folder.path() + "/none.png"});
  CHECK(missing.end() == "exit code 3");
  CHECK(missing.err().find("none.png") != std::string::npos);
  Program both({"verify", model, "--soft-errors", "--of", "native"});
  CHECK(both.end() == "exit code 2");
}

}  // namespace shingle
