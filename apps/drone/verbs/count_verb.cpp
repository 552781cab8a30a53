#include "apps/drone/verbs/count_verb.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>

#include "apps/drone/results/run_reader.hpp"
#include "apps/drone/results/site_file.hpp"
#include "apps/drone/verbs/count_json.hpp"
#include "apps/drone/verbs/count_text.hpp"
#include "apps/drone/verbs/run_notes.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"

namespace shingle::drone {
namespace {

// Residuals of ground points, so that a bad point is seen.
void tell_residuals(const Site& site) {
  const auto plane = SitePlane::of(site);
  if (!plane || !plane->from_picture()) return;
  std::string text = "the ground points fit with residuals of";
  for (const double residual : plane->from_picture()->residuals) {
    char number[32];
    std::snprintf(number, sizeof number, " %.2f", residual);
    text += number;
  }
  note(text + " m" +
       (site.ground_points.size() == 4 ? "; four points always fit, a fifth one would check them"
                                       : ""));
}

}  // namespace

void describe(CLI::App& verb, CountVerbOptions& options) {
  verb.add_option("RUN", options.run, "the folder of a run, as 'track --run' writes it")
      ->type_name("")
      ->required();
  verb.add_option("--site", options.site, "lines, zones, lanes and ground points (TOML)")
      ->type_name("FILE")
      ->required();
  verb.add_flag("--json", options.json, "one JSON object on stdout, all counts");
  verb.add_option("--csv", options.csv, "a table of counts per 1, 5 and 15 minutes, and turns")
      ->type_name("FILE");
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone count flight --site site.toml\n"
      "  shingle-drone count flight --site site.toml --json --csv counts.csv");
}

int run_verb(const CountVerbOptions& options) {
  const auto site = load_site(options.site);
  if (!site) return fail(site.failure());
  const auto run = read_run(options.run);
  if (!run) return fail(run.failure());
  const auto counts = count_site(*site, run->sightings, {run->info.width, run->info.height});
  if (!counts) return fail(counts.failure());
  if (counts->tracks == 0 && !counts->without_place.empty())
    return fail(bad_input(
        "no track of the run in '" + options.run + "' has a position in the coordinates of '" +
        options.site +
        "'; give the site in pixels of the key frame, or ground points with their pixels"));
  for (const std::string& each : run->notes) note(each);
  tell_residuals(*site);
  note_left_out(counts->without_place, "position in the coordinates of the site");
  if (!options.csv.empty()) {
    const std::string text = counts_csv(*counts);
    const Status saved = write_file(options.csv, std::as_bytes(std::span(text)));
    if (!saved) return fail(saved.failure());
  }
  return print(options.json ? counts_json(*counts) : counts_text(*counts));
}

}  // namespace shingle::drone
