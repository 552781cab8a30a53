// The words and numbers of a DJI subtitle, whichever way a model writes them:
//   [latitude : 41.42] [rel_alt: 1.3 abs_alt: 80.0]     HOME(149.02,-20.25)  BAROMETER:1.9
//   F/2.8, SS 30.15, GPS (-121.7458, 48.0771, 17), H 200.70m, G.PRY (-24.4°, 0.0°, 110.4°)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle::drone {

struct DjiEntry {
  std::string key;                              // lower case: "rel_alt", "g.pry"
  std::vector<std::optional<double>> values{};  // none: "n/a"
  std::string last_unit{};  // letters right behind the last number: "M" of "0.0M"
  bool has_point = false;   // the first number is written with a decimal point
};

// Words without a number behind them are left out, and so are markup tags, "<font ..>".
std::vector<DjiEntry> dji_entries(std::string_view text);

}  // namespace shingle::drone
