// The layer of slices that shows vehicles at a model's own scale, by what two layers agree about.
#include "apps/drone/slices/scale_vote.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double of_model = 0.12;  // metres of the ground in a pixel: a car is 38 pixels long

// Boxes in a row, `length` pixels long.
std::vector<Detection> row(int count, float length, float score, float y) {
  std::vector<Detection> boxes;
  for (int i = 0; i < count; ++i)
    boxes.push_back({0, score, {200.0F * static_cast<float>(i), y, length, length / 2.0F}});
  return boxes;
}

void add(LayerFound& layer, const std::vector<Detection>& more) {
  layer.found.insert(layer.found.end(), more.begin(), more.end());
}

std::vector<LayerFound> layers() { return {{3.0, {}}, {1.5, {}}, {0.75, {}}}; }

}  // namespace

TEST_CASE("the layer at which vehicles are as long as the model knows them shows most") {
  for (const auto& [length, layer] : {std::pair{105.0F, 0U}, {60.0F, 1U}, {30.0F, 2U}}) {
    CAPTURE(length);
    std::vector<LayerFound> found = layers();
    for (LayerFound& each : found) add(each, row(5, length, 0.7F, 100.0F));
    const ScaleVote vote = vote_on_scale(found, of_model);
    CHECK(vote.layer == layer);
    CHECK(vote.vehicles.size() == 5);
    CHECK(vote.vehicles.front().w == doctest::Approx(length));
  }
}

TEST_CASE("hundreds of boxes that the finest layer alone has count nothing") {
  std::vector<LayerFound> found = layers();
  for (size_t i : {0U, 1U}) add(found[i], row(6, 105.0F, 0.6F, 100.0F));
  for (int line = 0; line < 20; ++line)
    add(found[2], row(20, 30.0F, 0.9F, 300.0F + 40.0F * static_cast<float>(line)));
  CHECK(vote_on_scale(found, of_model).layer == 0);
  // A few of them that the layer above has by chance do not either.
  add(found[1], row(30, 30.0F, 0.6F, 1500.0F));
  add(found[1], row(7, 30.0F, 0.6F, 300.0F));
  CHECK(vote_on_scale(found, of_model).layer == 0);
}

TEST_CASE("two vehicles in agreement are too few; then scores decide among boxes of a car's size") {
  std::vector<LayerFound> found = layers();
  for (LayerFound& each : found) add(each, row(2, 60.0F, 0.8F, 100.0F));
  ScaleVote vote = vote_on_scale(found, of_model);
  CHECK(vote.vehicles.empty());
  CHECK(vote.layer == 1);
  found = layers();
  vote = vote_on_scale(found, of_model);
  CHECK(vote.vehicles.empty());
  CHECK(vote.layer == 0);
}

TEST_CASE("boxes that are only shown count where no pair of layers is sure") {
  std::vector<LayerFound> found = layers();
  for (LayerFound& each : found) add(each, row(5, 60.0F, 0.35F, 100.0F));
  CHECK(vote_on_scale(found, of_model).vehicles.size() == 5);
  for (size_t i : {0U, 1U}) add(found[i], row(4, 110.0F, 0.55F, 300.0F));
  const ScaleVote vote = vote_on_scale(found, of_model);
  CHECK(vote.vehicles.size() == 4);
  CHECK(vote.layer == 0);
}

TEST_CASE("many doubtful boxes on houses do not outvote a few sure vehicles") {
  std::vector<LayerFound> found = layers();
  for (size_t i : {0U, 1U}) add(found[i], row(4, 110.0F, 0.65F, 100.0F));
  for (size_t i : {1U, 2U})
    for (int line = 0; line < 5; ++line)
      add(found[i], row(9, 40.0F, 0.55F, 300.0F + 60.0F * static_cast<float>(line)));
  const ScaleVote vote = vote_on_scale(found, of_model);
  CHECK(vote.vehicles.size() == 4);
  CHECK(vote.layer == 0);
}
