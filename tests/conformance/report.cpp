#include "tests/conformance/report.hpp"

#include <cstdio>

#include "tests/conformance/expected.hpp"
#include "tests/conformance/rule.hpp"

namespace shingle::conformance {

namespace {

constexpr const char* folders[] = {"node", "simple", "pytorch-converted", "pytorch-operator",
                                   networks_folder};

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::unsupported:
      return "unsupported";
  }
  return "";
}

int64_t count(const Report& report, std::string_view folder, Verdict verdict) {
  int64_t total = 0;
  for (const Row& row : report.rows) {
    total += row.folder == folder && row.outcome.verdict == verdict ? 1 : 0;
  }
  return total;
}

std::string table_line(const Report& report, const char* folder) {
  const int64_t pass = count(report, folder, Verdict::pass);
  const int64_t fail = count(report, folder, Verdict::fail);
  const int64_t unsupported = count(report, folder, Verdict::unsupported);
  char line[120];
  std::snprintf(line, sizeof line, "%-18s %6ld %6ld %6ld %12ld\n", folder,
                static_cast<long>(pass + fail + unsupported), static_cast<long>(pass),
                static_cast<long>(fail), static_cast<long>(unsupported));
  return line;
}

std::string detail(const Row& row) {
  std::string text =
      std::string(name_of(row.outcome.verdict)) + "  " + row.folder + "/" + row.name + "\n    ";
  text += row.outcome.verdict == Verdict::pass ? "was expected to fail" : row.outcome.why;
  if (!row.expected_failure.empty()) {
    text += "\n    expected: " + std::string(row.expected_failure);
  } else {
    text += "\n    NOT expected";
  }
  return text + "\n";
}

}  // namespace

int64_t Report::passed() const {
  int64_t total = 0;
  for (const Row& row : rows) total += row.outcome.verdict == Verdict::pass ? 1 : 0;
  return total;
}

int64_t Report::surprises() const {
  int64_t total = 0;
  for (const Row& row : rows) total += row.surprising() ? 1 : 0;
  return total;
}

int64_t Report::tiled_runs() const {
  int64_t total = 0;
  for (const Row& row : rows) total += row.outcome.tiled_runs;
  return total;
}

int64_t Report::differing_bytes() const {
  int64_t total = 0;
  for (const Row& row : rows) total += row.outcome.differing_bytes;
  return total;
}

Report run_all(const std::filesystem::path& data, uint64_t seed, int plans) {
  Report report;
  for (const char* folder : folders) {
    for (const std::string& name : names_in(data / folder)) {
      const Case test = read_case(data, folder, name);
      const Result<onnx::File> file = decoded(test.bytes);  // one that cannot be read counts
      if (const auto reason = file ? left_out(name, *file) : std::nullopt) {
        ++report.left_out[*reason];
        continue;
      }
      const auto graph = file ? &file->graph : nullptr;
      report.rows.push_back({.folder = folder,
                             .name = name,
                             .outcome = run_case(test, seed, plans),
                             .expected_failure = expected_failure(name, graph).value_or("")});
    }
  }
  return report;
}

int64_t Report::not_counted() const {
  int64_t total = 0;
  for (const auto& [reason, count] : left_out) total += count;
  return total;
}

std::string table(const Report& report) {
  std::string text = "folder              total   pass   fail  unsupported\n";
  for (const char* folder : folders) text += table_line(report, folder);
  for (const Row& row : report.rows) {
    if (row.outcome.verdict != Verdict::pass || row.surprising()) text += detail(row);
  }
  text += "not counted:\n";
  for (const auto& [reason, count] : report.left_out) {
    text += "  " + std::to_string(count) + "  " + reason + "\n";
  }
  return text;
}

}  // namespace shingle::conformance
