// Statistics against published tables and hand-made samples.
#include "sim/experiment/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "sim/experiment/arrivals.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

TEST_CASE("quantiles of Student's t are those of the published tables") {
  struct Row {
    int32_t degrees;
    double at_95, at_975, at_995;
  };
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
  for (const Row& row :
       {Row{1, 6.314, 12.706, 63.657}, Row{2, 2.920, 4.303, 9.925}, Row{3, 2.353, 3.182, 5.841},
        Row{4, 2.132, 2.776, 4.604}, Row{9, 1.833, 2.262, 3.250}, Row{10, 1.812, 2.228, 3.169},
        Row{29, 1.699, 2.045, 2.756}, Row{100, 1.660, 1.984, 2.626}}) {
    CAPTURE(row.degrees);
    CHECK(student_t_quantile(0.95, row.degrees) == doctest::Approx(row.at_95).epsilon(0.0003));
    CHECK(student_t_quantile(0.975, row.degrees) == doctest::Approx(row.at_975).epsilon(0.0003));
    CHECK(student_t_quantile(0.995, row.degrees) == doctest::Approx(row.at_995).epsilon(0.0003));
  }
  CHECK(student_t_quantile(0.5, 7) == doctest::Approx(0.0));
}

TEST_CASE("the interval of a mean is t times the standard error") {
  // Mean 5, standard deviation sqrt(10/3); t for 3 degrees is 3.18245.
  const Interval interval = interval_of({3.0, 4.0, 6.0, 7.0});
  CHECK(interval.mean == doctest::Approx(5.0));
  CHECK(interval.half_width == doctest::Approx(3.18245 * std::sqrt(10.0 / 3.0) / 2.0));
  CHECK(interval_of({4.0}).half_width == 0.0);
  CHECK(interval_of({2.0, 2.0, 2.0}).half_width == 0.0);
}

TEST_CASE("a quantile is one of the values, by nearest rank") {
  std::vector<double> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(i);
  CHECK(quantile(values, 0.5) == 500.0);
  CHECK(quantile(values, 0.99) == 990.0);
  CHECK(quantile({7.0}, 0.99) == 7.0);
}

TEST_CASE("the logarithm that all machines share is the logarithm") {
  for (double value = 1e-12; value < 1e12; value *= 1.37)
    CHECK(portable_log(value) == doctest::Approx(std::log(value)).epsilon(1e-14));
}

TEST_CASE("periodic frames keep their distance, from a phase that the seed draws") {
  const Arrivals camera{.kind = Arrivals::Kind::periodic, .per_second = 4.0};
  ArrivalSequence one(camera, 1, Time{1s}), again(camera, 1, Time{1s}), other(camera, 2, Time{1s});
  CHECK(one.next() == again.next());
  CHECK(one.next() != other.next());
  const Time first = one.next();
  CHECK(first >= Time{1s});
  CHECK(first < Time{1250ms});
  for (int i = 0; i < 100; ++i) one.take();
  CHECK(one.next() - first == 25s);
}

TEST_CASE("random frames have the mean distance that was asked for, and its spread") {
  ArrivalSequence random({.kind = Arrivals::Kind::poisson, .per_second = 10.0}, 7, Time{});
  constexpr int count = 20'000;
  double squares = 0.0;
  Time before{};
  for (int i = 0; i < count; ++i) {
    const double gap = in_nanoseconds(random.next() - before) / 1e9;
    squares += gap * gap;
    before = random.next();
    random.take();
  }
  // Of an exponential distribution: mean 1/10, second moment 2/100.
  CHECK(in_nanoseconds(before.time_since_epoch()) / 1e9 / count ==
        doctest::Approx(0.1).epsilon(0.02));
  CHECK(squares / count == doctest::Approx(0.02).epsilon(0.04));
}

TEST_CASE("given moments come as they are, then no more") {
  ArrivalSequence given({.kind = Arrivals::Kind::trace, .times = {0s, 5ms, 5ms}}, 1, Time{2s});
  CHECK(given.next() == Time{2s});
  given.take();
  CHECK(given.next() == Time{2005ms});
  given.take();
  given.take();
  CHECK(given.next() == Time::max());
}

}  // namespace
}  // namespace shingle::sim
