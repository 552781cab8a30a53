// Experiment files: what people write is read, what they mistype is named with its line.
#include "devices/files/experiment_file.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

namespace shingle::tests {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view cluster = R"(
[[node]]
id = 1
[[node]]
id = 2
profile = "pi4"
)";

constexpr std::string_view model = R"(
[[model]]
name = "small"
input = "32x32x3"
layers = ["conv3:8", "pool2"]
)";

// With a duration before all tables.
std::string text_of(std::string_view tables, std::string_view keys = "duration = \"10 s\"\n") {
  return std::string(keys).append(cluster).append(model).append(tables);
}

std::string error_of(const std::string& text) {
  const Result<ExperimentFile> file = parse_experiment(text, "try.toml");
  if (file) return "no error";
  CHECK(file.failure().kind == ErrorKind::bad_input);
  return file.error();
}

bool says(const std::string& error, std::string_view part) {
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

constexpr std::string_view camera = "[[source]]\nowner = 1\nrate = \"2 /s\"\n";

}  // namespace

TEST_CASE("an experiment is read with its units, and what is left out has its usual value") {
  const auto file = parse_experiment(text_of(camera, R"(title = "Two"
duration = "1.5 min"
warm_up = "500 ms"
seeds = 3
)"),
                                     "try.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(file->title == "Two");
  CHECK(file->duration == 90s);
  CHECK(file->warm_up == 500ms);
  CHECK(file->seeds == 3);
  CHECK(file->first_seed == 1);
  REQUIRE(file->cluster.nodes.size() == 2);
  CHECK(file->cluster.nodes[0].port != file->cluster.nodes[1].port);
  REQUIRE(file->sources.size() == 1);
  CHECK(file->sources[0].model == "small");
  CHECK(file->sources[0].arrivals.per_second == 2.0);
  CHECK(file->sources[0].open_frames == 2);
  CHECK(file->policy == ExperimentPolicy{});
}

TEST_CASE("every kind of table survives printing and reading") {
  const std::string path = "experiment_file_test_times.txt";
  std::ofstream(path) << "0 s\n100 ms  # the first pair\n1.25 s\n";
  const auto file = parse_experiment(text_of(R"(
[policy]
steal = false
replan = false
audit = 0.05
planning = "1 s"
[[source]]
owner = 1
rate = "30 /min"
arrivals = "poisson"
goal = "throughput"
drop = "newest"
deadline = "750 ms"
computes = false
[[source]]
owner = 2
arrivals = "trace"
times = "experiment_file_test_times.txt"
[[source]]
owner = 2
arrivals = "back_to_back"
open_frames = 6
waiting_frames = 0
[[fault]]
at = "3 s"
kind = "slow"
node = 2
factor = 2.5
[[fault]]
at = "4 s"
kind = "cut"
node = 1
other = 2
[[flow]]
from = 1
to = 2
bytes = "10 MB"
at = "20 ms"
)"),
                                     "try.toml");
  std::remove(path.c_str());
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(file->sources[0].arrivals.per_second == 0.5);
  CHECK(file->sources[1].arrivals.times == std::vector<Duration>{0s, 100ms, 1250ms});
  CHECK(file->flows[0].bytes == 10'000'000);
  std::ofstream(path) << "0 s\n100 ms\n1.25 s\n";
  const auto again = parse_experiment(print(*file), "printed.toml");
  std::remove(path.c_str());
  REQUIRE_MESSAGE(again.ok(), again.error());
  CHECK(*again == *file);
}

TEST_CASE("a model from a file may say its head, a described one has none") {
  const auto with = [](const std::string& table) {
    return "duration = \"10 s\"\n" + std::string(cluster) + "[[model]]\n" + table +
           std::string(camera);
  };
  const auto file = parse_experiment(with("file = \"net.onnx\"\nhead = \"raw\"\n"), "try.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(file->models.front().head == "raw");
  const auto again = parse_experiment(print(*file), "printed.toml");
  REQUIRE_MESSAGE(again.ok(), again.error());
  CHECK(again->models == file->models);
  const auto plain = parse_experiment(with("file = \"net.onnx\"\n"), "try.toml");
  REQUIRE_MESSAGE(plain.ok(), plain.error());
  CHECK(plain->models.front().head == "auto");
  CHECK(says(error_of(with("input = \"8x8x3\"\nlayers = [\"pool2\"]\nhead = \"raw\"\n")),
             "has no head"));
}

TEST_CASE("each name of a fault is read as that fault") {
  for (size_t i = 0; i < fault_kinds().size(); ++i) {
    const auto kind = static_cast<FaultKind>(i);
    std::string fault = "[[fault]]\nat = \"1 s\"\nnode = 1\nkind = \"" + fault_kinds()[i] + "\"\n";
    if (is_of_two_nodes(kind)) fault += "other = 2\n";
    if (kind == FaultKind::slow || kind == FaultKind::spoil) fault += "factor = 0.5\n";
    const auto file = parse_experiment(text_of(std::string(camera) + fault), "try.toml");
    REQUIRE_MESSAGE(file.ok(), file.error());
    CHECK(file->faults.front().kind == kind);
  }
}

TEST_CASE("a mistyped key is named with its line, and the nearest one is suggested") {
  const std::string error = error_of(text_of("[[source]]\nowner = 1\nrat = \"2 /s\"\n"));
  CHECK(says(error, "try.toml:15: unknown key 'rat' in [[source]]; did you mean 'rate'?"));
  CHECK(says(error_of("duraton = \"1 s\"\n"), "try.toml:1: unknown key 'duraton'"));
}

TEST_CASE("a number without its unit is named with its line and with how to write it") {
  CHECK(
      says(error_of(text_of(camera, "duration = 20\n")),
           "try.toml:1: 'duration' has no unit; write a number and its unit, such as \"200 ms\""));
  CHECK(says(error_of(text_of("[[source]]\nowner = 1\nrate = 2\n")), "'rate' has no unit"));
  CHECK(says(error_of(text_of("[[source]]\nowner = 1\nrate = \"2 Hz\"\n")),
             "'rate' is '2 Hz'; write a number and its unit, such as \"2 /s\" (/s, /min, /h)"));
  CHECK(says(error_of(text_of(camera, "duration = \"0 s\"\n")), "must be from 1 ms to 24 h"));
}

TEST_CASE("what could never happen is refused") {
  CHECK(says(error_of(text_of("[[source]]\nowner = 1\nrate = \"0 /s\"\n")),
             "try.toml:15: 'rate' is 0: the source would have no frames"));
  CHECK(says(error_of(text_of(std::string(camera) +
                              "[[fault]]\nat = \"1 s\"\nkind = \"crash\"\nnode = 9\n")),
             "try.toml:19: node 9 is not in the cluster, which has 1, 2"));
  CHECK(says(error_of(text_of(std::string(camera) +
                              "[[fault]]\nat = \"11 s\"\nkind = \"crash\"\nnode = 2\n")),
             "try.toml:17: the experiment ends before that, after 10 s"));
  CHECK(says(error_of(text_of(std::string(camera) +
                              "[[fault]]\nat = \"1 s\"\nkind = \"cut\"\nnode = 2\nother = 2\n")),
             "needs two different nodes"));
  CHECK(says(error_of(text_of("")), "neither a [[source]] nor a [[flow]]"));
  CHECK(says(error_of(text_of(camera, "duration = \"1 s\"\nwarm_up = \"1 s\"\n")),
             "nothing would be left to measure"));
  CHECK(says(error_of("duration = \"1 s\"\n"), "the experiment has no cluster"));
  CHECK(
      says(error_of("duration = \"1 s\"\ncluster = \"no_such_file.toml\"\n"), "no_such_file.toml"));
}

TEST_CASE("a list of moments must be there, in order and with units") {
  const std::string path = "experiment_file_test_moments.txt";
  const std::string source =
      "[[source]]\nowner = 1\narrivals = \"trace\"\ntimes = \"" + path + "\"\n";
  CHECK(says(error_of(text_of(source)), path));
  std::ofstream(path) << "1 s\n500 ms\n";
  CHECK(says(error_of(text_of(source)),
             path + ":2: this moment lies before the one in the line above"));
  std::ofstream(path) << "1 s\n2\n";
  CHECK(says(error_of(text_of(source)), path + ":2: write a moment with its unit"));
  std::remove(path.c_str());
}

TEST_CASE("a rate trace must last as long as the experiment") {
  const std::string path = "experiment_file_test_rates.txt";
  const std::string nodes = "[[node]]\nid = 1\n[[node]]\nid = 2\nrate_trace = \"" + path + "\"\n";
  const std::string text =
      "duration = \"20 s\"\n" + nodes + std::string(model) + std::string(camera);
  std::ofstream(path) << "0 s 94 Mb/s\n12 s 500 kb/s\n";
  CHECK(says(error_of(text), "'" + path +
                                 "' of node 2 ends at 12 s, and the experiment after 20 s; add a "
                                 "line for the end"));
  std::ofstream(path) << "0 s 94 Mb/s\n12 s 500 kb/s\n20 s 500 kb/s\n";
  const auto file = parse_experiment(text, "try.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(file->cluster.nodes[1].rates == std::vector<LinkRate>{{0s, 94.0}, {12s, 0.5}, {20s, 0.5}});
  std::ofstream(path) << "0 s 94\n";
  CHECK(says(error_of(text), path + ":1: write a moment and a rate, such as \"12.5 s 20 Mb/s\""));
  std::ofstream(path) << "1 s 94 Mb/s\n";
  CHECK(says(error_of(text), "the first moment must be 0 s"));
  std::remove(path.c_str());
}

TEST_CASE("nodes that nothing joins are named, with what would join them") {
  const auto text = [](std::string_view trunk) {
    return std::string(R"(duration = "1 s"
[[switch]]
name = "attic"
[[cell]]
name = "garden"
kind = "access_point"
[[node]]
id = 1
at = "attic"
[[node]]
id = 2
at = "garden"
[[flow]]
from = 1
to = 2
bytes = "1 MB"
)")
        .append(trunk);
  };
  CHECK(says(error_of(text("")),
             "nothing joins nodes 1 and 2; write a [[trunk]] between 'attic' "
             "and 'garden'"));
  CHECK(says(error_of(text("[[trunk]]\nfrom = \"attic\"\nto = \"gardn\"\n")),
             "no switch and no cell has the name 'gardn'"));
  const auto file =
      parse_experiment(text("[[trunk]]\nfrom = \"attic\"\nto = \"garden\"\n"), "try.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  const auto again = parse_experiment(print(*file), "printed.toml");
  REQUIRE_MESSAGE(again.ok(), again.error());
  CHECK(*again == *file);
}

}  // namespace shingle::tests
