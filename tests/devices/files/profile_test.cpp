// Device profiles: files round-trip, the ready-made ones are sound, fits find what samples were
// made of, refining finds what tiles were made of, measuring gives what a clock of ours says.
#include <doctest/doctest.h>

#include <cmath>

#include "devices/measure/profile_measure.hpp"
#include "devices/measure/profile_refine.hpp"
#include "devices/measure/profile_trials.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

using std::chrono::nanoseconds;

NodeProfile random_costs(networks::Random& random) {
  const auto figure = [&](double scale) {
    return scale * static_cast<double>(random.uniform(0.2F, 5.0F));
  };
  NodeProfile costs;
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    const WorkKind is = static_cast<WorkKind>(kind);
    const bool multiplies =
        is != WorkKind::pooling && is != WorkKind::elementwise && is != WorkKind::movement;
    costs.costs[kind] = {.ns_per_mac = multiplies ? figure(0.1) : 0.0,
                         .ns_per_element = multiplies ? 0.0 : figure(2.0),
                         .ns_per_call = figure(1000.0),
                         .granule = {1, 1, random.chance(0.5) ? 16 : 1}};
  }
  costs.costs[size_t(WorkKind::winograd)].granule = costs.at(WorkKind::convolution).granule;
  return costs;
}

// Kernels with a share for their output and one for their weights; Winograd's work in squares.
NodeProfile with_all_shares(NodeProfile costs) {
  using enum WorkKind;
  for (const WorkKind kind : {convolution, winograd, pointwise, depthwise}) {
    WorkCost& cost = costs.costs[static_cast<size_t>(kind)];
    cost.ns_per_element = 3.0 * cost.ns_per_mac;
    cost.ns_per_weight = 20.0 * cost.ns_per_mac;
  }
  Granule& squares = costs.costs[size_t(winograd)].granule;
  squares.y = squares.x = winograd_grid;
  return costs;
}

std::string error_of(std::string_view text) {
  const Result<DeviceProfile> profile = parse_profile(text, "board.toml");
  return profile ? "no error" : profile.error();
}

std::string sound_text() {
  networks::Random random(2);
  return print(
      DeviceProfile{.name = "board", .cores = 4, .costs = with_all_shares(random_costs(random))});
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

TileProgram tile_of(const Model& model, Span rows) {
  const Shape shape = model.at(model.outputs.front().tensor).shape;
  FusedBlock block;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) block.layers.push_back({layer});
  return tile_program(model, block,
                      {{model.outputs.front().tensor, {rows, {0, shape.w}, {0, shape.c}}}});
}

}  // namespace

TEST_CASE("a device profile that was printed reads back as the same value") {
  networks::Random random(31);
  for (int i = 0; i < 100; ++i) {
    DeviceProfile profile{.name = "a board, no. " + std::to_string(i),
                          .cores = random.between(1, 64),
                          .speedup = 1.0,
                          .run_on = i % 3 == 0   ? ""
                                    : i % 3 == 1 ? "big"
                                                 : "0,2-3",
                          .memory_bytes = int64_t{random.between(0, 4096)} << 20,
                          .memory_gbps = static_cast<double>(random.uniform(0.0F, 60.0F)),
                          .link_mbps = static_cast<double>(random.uniform(1.0F, 1000.0F)),
                          .costs = random_costs(random)};
    profile.speedup = 1.0 + (profile.cores - 1.0) * static_cast<double>(random.uniform(0.0F, 1.0F));
    const Result<DeviceProfile> again = parse_profile(print(profile), "printed.toml");
    REQUIRE_MESSAGE(again.ok(), again.error());
    CHECK(*again == profile);
  }
}

TEST_CASE("what is wrong with a device profile is said in one sentence") {
  const std::string sound = sound_text();
  CHECK(error_of(sound) == "no error");
  const std::pair<std::string, std::string> cases[] = {
      {with(sound, "cores = 4", "cores = 0"), "board.toml:2: 'cores'"},
      {with(sound, "cores = 4", "coers = 4"), "did you mean 'cores'?"},
      {with(sound, "speedup = 1.0", "speedup = 4.5"), "'speedup'"},
      {with(sound, "[cost.pooling]", "[cost.poling]"), "unknown key 'poling'"},
      {with(sound, "[cost.pooling]", "[cots.pooling]"), "unknown key 'cots'"},
      {with(sound, "name = \"board\"\n", ""), "has no 'name'"},
      {"name = \"x\"\n", "has no costs"},
      {"name = \"x\"\n[cost.convolution]\nns_per_call = 1.0\nns_per_mac = 1.0\n",
       "has no [cost.winograd]"},
      {"name = \"x\"\n[cost.convolution]\nns_per_call = 1.0\n", "costs nothing"},
      {std::string(100'000, ' '), "larger than 64 KiB"},
      {"name = = 1", "board.toml:1:"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(expected);
    const std::string error = error_of(text);
    CAPTURE(error);
    CHECK(error.find(expected) != std::string::npos);
  }
}

TEST_CASE("a profile with any bytes changed is read or refused, without harm") {
  constexpr uint64_t seed = 9;
  networks::Random random(seed);
  const std::string sound = sound_text();
  for (int i = 0; i < 1000; ++i) {
    std::string text = sound;
    for (int32_t n = random.between(1, 4); n > 0; --n) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int32_t>(text.size()) - 1));
      text[at] = static_cast<char>(random.between(0, 255));
    }
    const auto read = parse_profile(text, "mutated.toml");
    if (!read) CHECK(read.failure().kind == ErrorKind::bad_input);
  }
}

TEST_CASE("every ready-made profile is sound and names the source of its figures") {
  const std::vector<std::string> names = profile_names();
  for (const std::string expected :
       {"pi3b", "pi3bplus", "pi4", "pi5", "zero2w", "jetson_nano", "orin_nano", "x86"}) {
    CAPTURE(expected);
    CHECK(std::count(names.begin(), names.end(), expected) == 1);
    const Result<DeviceProfile> profile = find_profile(expected, "");
    REQUIRE_MESSAGE(profile.ok(), profile.error());
    CHECK(gflops_of(profile->costs) > 1.0);
    CHECK(profile->memory_gbps > 0.0);
    for (const char* figure : {"# Speed", "Memory", "Power"})
      CHECK(profile_text(expected)->find(figure) != std::string_view::npos);
  }
  const std::string error = find_profile("pi6", "").error();
  CHECK(error.find("no ready-made profile 'pi6'; there are jetson_nano") != std::string::npos);
}

TEST_CASE("a Pi 3 computes a tile on four cores 2.66 times as fast as on one") {
  const DeviceProfile pi = find_profile("pi3b", "").value();
  const double one = gflops_of(costs_on(pi, 1)), two = gflops_of(costs_on(pi, 2)),
               four = gflops_of(costs_on(pi, 4));
  CHECK(four == doctest::Approx(gflops_of(pi.costs)));
  CHECK(four / one == doctest::Approx(2.66));
  CHECK(two / one == doctest::Approx(2.0 / (1.0 + (4.0 / 2.66 - 1.0) / 3.0)));
  CHECK(gflops_of(costs_on(pi, 8)) == doctest::Approx(four));
}

TEST_CASE("a fit finds the figures that its samples were made of") {
  networks::Random random(4);
  for (int i = 0; i < 50; ++i) {
    const double per_call = static_cast<double>(random.uniform(0.0F, 1e5F));
    const double slope = static_cast<double>(random.uniform(0.01F, 5.0F));
    const double of_a_weight = static_cast<double>(random.uniform(0.1F, 5.0F));
    std::vector<Sample> samples;
    for (int n = 0; n < 8; ++n) {
      const double work = std::pow(10.0, static_cast<double>(random.uniform(3.0F, 7.0F)));
      const double weights = std::pow(10.0, static_cast<double>(random.uniform(3.0F, 6.0F)));
      samples.push_back({{.macs = work, .weights = weights, .calls = 1.0},
                         per_call + slope * work + of_a_weight * weights});
    }
    const FittedCost fitted = fit(samples);
    CHECK(fitted.cost.ns_per_call == doctest::Approx(per_call).epsilon(1e-3));
    CHECK(fitted.cost.ns_per_mac == doctest::Approx(slope).epsilon(1e-3));
    CHECK(fitted.cost.ns_per_weight == doctest::Approx(of_a_weight).epsilon(1e-3));
    CHECK(fitted.cost.ns_per_element == 0.0);
    CHECK(fitted.worst_error < 1e-6);
  }
}

TEST_CASE("a fit has no negative figure, and says how far off it is") {
  const auto sample = [](double macs, double nanoseconds) {
    return Sample{{.macs = macs, .calls = 1.0}, nanoseconds};
  };
  const FittedCost curved =
      fit({sample(100.0, 50.0), sample(200.0, 400.0)});  // a line through them begins at -300
  CHECK(curved.cost.ns_per_call == 0.0);
  CHECK(curved.cost.ns_per_mac > 0.0);
  CHECK(curved.worst_error > 0.2);
  const FittedCost falling = fit({sample(100.0, 50.0), sample(200.0, 10.0)});
  CHECK(falling.cost.ns_per_mac >= 0.0);
  const WorkCost same = fit({sample(100.0, 50.0), sample(100.0, 50.0)}).cost;  // one kind of work
  CHECK(same.ns_per_call + 100.0 * same.ns_per_mac == doctest::Approx(50.0));
}

TEST_CASE("refining follows a machine whose kinds are each off by another factor") {
  constexpr uint64_t seed = 77;
  CAPTURE(seed);
  networks::Random random(seed);
  const Model model = networks::make("mobilenetv2", 96, 1).value();
  // Given tiles of single layers and of pairs, as blocks are cut, and a machine of its own
  std::vector<TileProgram> programs;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer) {
    const TensorId output = model.at(LayerId{layer}).output;
    const Shape shape = model.at(output).shape;
    const FusedBlock block{.layers = {{layer}}, .tiles = {}};
    programs.push_back(
        tile_program(model, block, {{output, {{0, shape.h}, {0, shape.w}, {0, shape.c}}}}));
  }
  const NodeProfile truth = random_costs(random);
  ProfileRefiner refiner(profile_of(4.0));
  const auto error = [&] {
    double sum = 0.0;
    for (const TileProgram& each : programs)
      sum += std::abs(work_of(refiner.profile(), model, each).compute_ns /
                          work_of(truth, model, each).compute_ns -
                      1.0);
    return sum / static_cast<double>(programs.size());
  };
  const double before = error();
  // When it computes them again and again
  for (int round = 0; round < 40; ++round)
    for (const TileProgram& each : programs) {
      const double took = work_of(truth, model, each).compute_ns;
      refiner.saw(model, each, nanoseconds(static_cast<int64_t>(took)));
    }
  // Then the prediction has come near, by factors
  CAPTURE(before);
  CHECK(error() < before / 3.0);
  CHECK(refiner.tiles() == static_cast<int64_t>(40 * programs.size()));
}

TEST_CASE("one tile that was held up does not ruin the profile, and ten settle a slowed machine") {
  const Model model = convolution_model(
      {32, 32, 8}, {.y = square(3), .x = square(3), .outputs = 16, .activation = {}}, 3);
  const TileProgram program = tile_of(model, {0, 32});
  const NodeProfile before = profile_of(2.0);
  const double normal = work_of(before, model, program).compute_ns;
  ProfileRefiner refiner(before);
  refiner.saw(model, program, std::chrono::hours(1));
  CHECK(work_of(refiner.profile(), model, program).compute_ns < 1.7 * normal);
  for (int tile = 0; tile < 20; ++tile)
    refiner.saw(model, program, nanoseconds(static_cast<int64_t>(2.0 * normal)));
  CHECK(work_of(refiner.profile(), model, program).compute_ns ==
        doctest::Approx(2.0 * normal).epsilon(0.05));
}

TEST_CASE("a profile without products counts them as 1x1 convolutions") {
  const std::string text = sound_text();
  const Result<DeviceProfile> profile =
      parse_profile(text.substr(0, text.find("\n[cost.product]")), "board.toml");
  REQUIRE_MESSAGE(profile.ok(), profile.error());
  CHECK(profile->costs.at(WorkKind::product) == profile->costs.at(WorkKind::pointwise));
}

TEST_CASE("a profile without recurrences counts them as depthwise convolutions") {
  const std::string text = sound_text();
  const Result<DeviceProfile> profile =
      parse_profile(text.substr(0, text.find("\n[cost.recurrence]")), "board.toml");
  REQUIRE_MESSAGE(profile.ok(), profile.error());
  CHECK(profile->costs.at(WorkKind::recurrence) == profile->costs.at(WorkKind::depthwise));
}

TEST_CASE("measuring reports what the clock says, kind by kind") {
  // Given a machine on which every run of a tile takes as long as these costs say
  networks::Random random(5);
  const NodeProfile truth = with_all_shares(random_costs(random));
  struct Exact final : Executor {
    const NodeProfile& truth;
    nanoseconds& time;
    const Model* model = nullptr;
    Exact(const NodeProfile& costs, nanoseconds& clock) : truth(costs), time(clock) {}
    std::string name() const override { return "exact"; }
    std::string arithmetic_class() const override { return "exact"; }
    Status prepare(const Model& of, std::span<const TileProgram>) override {
      model = &of;
      return success();
    }
    Status compute(const TileProgram& program, std::span<const ConstTensorView>,
                   std::span<const TensorView>) override {
      time += nanoseconds(static_cast<int64_t>(work_of(truth, *model, program).compute_ns + 0.5));
      return success();
    }
    Granule granule(const Model& of, LayerId layer) const override {
      return truth.at(work_kind(of, of.at(layer), Algorithm::direct)).granule;
    }
    Memory memory() const override { return {}; }
  };
  nanoseconds time{0};
  const Result<Measured> measured =
      measure({.make_executor = [&] { return std::make_unique<Exact>(truth, time); },
               .now = [&] { return time; },
               .time_for_each = std::chrono::milliseconds(1)});
  // Then the fit finds them
  REQUIRE_MESSAGE(measured.ok(), measured.error());
  for (size_t kind = 0; kind < work_kinds; ++kind) {
    CAPTURE(kind);
    const WorkCost &found = measured->costs.costs[kind], &expected = truth.costs[kind];
    CHECK(found.ns_per_mac == doctest::Approx(expected.ns_per_mac).epsilon(0.01));
    CHECK(found.ns_per_element == doctest::Approx(expected.ns_per_element).epsilon(0.01));
    CHECK(found.ns_per_weight == doctest::Approx(expected.ns_per_weight).epsilon(0.01));
    CHECK(found.ns_per_call == doctest::Approx(expected.ns_per_call).epsilon(0.02));
    CHECK(found.granule == expected.granule);
    CHECK(measured->worst_error[kind] < 0.01);
  }
}

}  // namespace shingle::tests
