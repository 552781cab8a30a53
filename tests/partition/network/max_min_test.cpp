// Max-min rates: figures by hand, and random networks against a slow solver.
#include "partition/network/max_min.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "partition/base/dice.hpp"

using namespace shingle;

namespace {

struct SlowFlow {
  std::vector<ResourceUse> uses, acknowledgements;
  double limit = MaxMin::no_limit;
};

// The slow solver: for given acknowledgements the common level is found by bisection, then the
// flows that cannot be faster are frozen, one level after the other. All that is repeated until the
// acknowledgements are those of the rates.
class SlowSolver {
 public:
  SlowSolver(std::vector<double> capacities, std::vector<SlowFlow> flows)
      : capacities_(std::move(capacities)), flows_(std::move(flows)) {}

  std::vector<double> rates() {
    std::vector<double> rates(flows_.size(), 0.0);
    for (int repeat = 0; repeat < 40; ++repeat) {
      room_ = capacities_;
      for (size_t i = 0; i < flows_.size(); ++i)
        for (const ResourceUse& use : flows_[i].acknowledgements)
          room_[use.resource] -= use.weight * rates[i];
      for (size_t i = 0; i < room_.size(); ++i) room_[i] = std::max(room_[i], 0.1 * capacities_[i]);
      rates = water_filled();
    }
    return rates;
  }

 private:
  bool fits(const std::vector<double>& rates) const {
    std::vector<double> taken(room_.size(), 0.0);
    for (size_t i = 0; i < flows_.size(); ++i)
      for (const ResourceUse& use : flows_[i].uses) taken[use.resource] += use.weight * rates[i];
    for (size_t i = 0; i < room_.size(); ++i)
      if (taken[i] > room_[i] * (1 + 1e-12)) return false;
    return true;
  }

  std::vector<double> water_filled() const {
    std::vector<double> rates(flows_.size(), 0.0);
    std::vector<bool> frozen(flows_.size(), false);
    const auto at_level = [&](double level) {
      std::vector<double> trial = rates;
      for (size_t i = 0; i < trial.size(); ++i)
        if (!frozen[i]) trial[i] = std::min(level, flows_[i].limit);
      return trial;
    };
    while (std::count(frozen.begin(), frozen.end(), false) > 0) {
      double low = 0.0, high = 1e6;
      for (int i = 0; i < 80; ++i)
        (fits(at_level((low + high) / 2)) ? low : high) = (low + high) / 2;
      rates = at_level(low);
      for (size_t i = 0; i < rates.size(); ++i) {
        std::vector<double> more = rates;
        more[i] = low * (1 + 1e-7) + 1e-7;
        if (!frozen[i]) frozen[i] = flows_[i].limit <= low * (1 + 1e-9) || !fits(more) || low > 9e5;
      }
    }
    return rates;
  }

  std::vector<double> capacities_, room_;
  std::vector<SlowFlow> flows_;
};

class RandomNetwork {
 public:
  explicit RandomNetwork(uint64_t seed) : dice_(seed) {
    for (size_t i = 0, count = 2 + dice_.below(14); i < count; ++i)
      capacities_.push_back(10.0 + 990.0 * dice_.unit());
    solver_.emplace(capacities_);
    for (size_t i = 0, count = 1 + dice_.below(24); i < count; ++i) {
      SlowFlow flow;
      draw_uses(flow.uses, 1 + dice_.below(4), 0.0);
      if (dice_.below(2) == 0) draw_uses(flow.acknowledgements, 1 + dice_.below(3), 0.05);
      solver_->add_flow(flow.uses, flow.acknowledgements);
      flows_.push_back(flow);
    }
  }

  void change() {
    const auto flow = static_cast<MaxMin::Flow>(dice_.below(flows_.size()));
    const auto resource = static_cast<uint32_t>(dice_.below(capacities_.size()));
    const size_t kind = dice_.below(10);
    if (kind == 0) {
      solver_->set_capacity(resource, capacities_[resource] = 10.0 + 990.0 * dice_.unit());
    } else if (kind == 1 && solver_->is_active(flow)) {
      solver_->set_limit(flow, flows_[flow].limit = 1.0 + 300.0 * dice_.unit());
    } else if (solver_->is_active(flow)) {
      if (dice_.below(3) == 0) solver_->stop(flow);
    } else {
      flows_[flow].limit = dice_.below(4) == 0 ? 1.0 + 300.0 * dice_.unit() : MaxMin::no_limit;
      solver_->start(flow, flows_[flow].limit);
    }
  }

  // The largest difference from the slow solver, relative.
  double error() {
    solver_->solve();
    std::vector<SlowFlow> active;
    std::vector<double> found;
    for (MaxMin::Flow i = 0; i < flows_.size(); ++i) {
      if (!solver_->is_active(i)) continue;
      active.push_back(flows_[i]);
      found.push_back(solver_->rate(i));
    }
    const std::vector<double> expected = SlowSolver(capacities_, active).rates();
    double worst = 0.0;
    for (size_t i = 0; i < found.size(); ++i)
      worst = std::max(worst, std::abs(found[i] / expected[i] - 1.0));
    return worst;
  }

  MaxMin& solver() { return *solver_; }

 private:
  void draw_uses(std::vector<ResourceUse>& uses, size_t count, double share) {
    for (size_t i = 0; i < count; ++i) {
      const auto resource = static_cast<uint32_t>(dice_.below(capacities_.size()));
      const bool taken = std::any_of(uses.begin(), uses.end(), [&](const ResourceUse& use) {
        return use.resource == resource;
      });
      const double weight = dice_.below(4) == 0 ? 2.0 : 1.0;
      if (!taken) uses.push_back({resource, share > 0.0 ? share * weight : weight});
    }
  }

  Dice dice_;
  std::vector<double> capacities_;
  std::vector<SlowFlow> flows_;
  std::optional<MaxMin> solver_;
};

}  // namespace

TEST_CASE("flows that share a resource get equal parts of it") {
  MaxMin rates({100.0});
  for (int i = 0; i < 4; ++i) rates.start(rates.add_flow({{0, 1.0}}, {}));
  CHECK(rates.solve().size() == 4);
  for (MaxMin::Flow flow = 0; flow < 4; ++flow) CHECK(rates.rate(flow) == doctest::Approx(25.0));
  rates.stop(0);
  rates.stop(1);
  rates.solve();
  CHECK(rates.rate(2) == doctest::Approx(50.0));
}

TEST_CASE("what a flow cannot take elsewhere the others get") {
  MaxMin rates({100.0, 10.0});
  const MaxMin::Flow both = rates.add_flow({{0, 1.0}, {1, 1.0}}, {});
  const MaxMin::Flow wide = rates.add_flow({{0, 1.0}}, {});
  rates.start(both);
  rates.start(wide);
  rates.solve();
  CHECK(rates.rate(both) == doctest::Approx(10.0));
  CHECK(rates.rate(wide) == doctest::Approx(90.0));
  rates.set_capacity(1, 80.0);
  rates.solve();
  CHECK(rates.rate(both) == doctest::Approx(50.0));
  CHECK(rates.rate(wide) == doctest::Approx(50.0));
  rates.set_limit(both, 20.0);
  rates.solve();
  CHECK(rates.rate(wide) == doctest::Approx(80.0));
}

TEST_CASE("a flow that crosses a resource twice takes twice its rate") {
  MaxMin rates({90.0});
  const MaxMin::Flow twice = rates.add_flow({{0, 2.0}}, {}), once = rates.add_flow({{0, 1.0}}, {});
  rates.start(twice);
  rates.start(once);
  rates.solve();
  CHECK(rates.rate(twice) == doctest::Approx(30.0));
  CHECK(rates.rate(once) == doctest::Approx(30.0));
}

TEST_CASE("acknowledgements take their share first and hold nobody back") {
  MaxMin rates({100.0, 100.0});
  const MaxMin::Flow there = rates.add_flow({{0, 1.0}}, {{1, 0.05}});
  const MaxMin::Flow back = rates.add_flow({{1, 1.0}}, {{0, 0.05}});
  rates.start(there);
  rates.solve();
  CHECK(rates.rate(there) == doctest::Approx(100.0));
  rates.start(back);
  rates.solve();
  CHECK(rates.rate(there) == doctest::Approx(100.0 / 1.05).epsilon(1e-4));
  CHECK(rates.rate(back) == doctest::Approx(100.0 / 1.05).epsilon(1e-4));
  rates.stop(there);
  rates.solve();
  CHECK(rates.rate(back) == doctest::Approx(100.0));
}

TEST_CASE("flows elsewhere are not solved again") {
  MaxMin rates({100.0, 100.0});
  const MaxMin::Flow here = rates.add_flow({{0, 1.0}}, {}), there = rates.add_flow({{1, 1.0}}, {});
  rates.start(here);
  rates.solve();
  rates.start(there);
  CHECK(rates.solve() == std::vector<MaxMin::Flow>{there});
  CHECK(rates.solve().empty());
}

TEST_CASE("on 1,000 random networks the rates are those of a slow solver") {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    RandomNetwork network(seed);
    for (int change = 0; change < 60; ++change) {
      network.change();
      if (change % 3 == 0) network.solver().solve();
      if (change % 30 == 29) REQUIRE(network.error() < 1e-3);
    }
  }
}
