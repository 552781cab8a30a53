#include "apps/drone/verbs/verb_list.hpp"

#include <CLI/CLI.hpp>

#include "apps/cli/command_line.hpp"
#include "apps/drone/verbs/count_verb.hpp"
#include "apps/drone/verbs/eval_verb.hpp"
#include "apps/drone/verbs/export_verb.hpp"
#include "apps/drone/verbs/flight_verb.hpp"
#include "apps/drone/verbs/log_verb.hpp"
#include "apps/drone/verbs/motion_verb.hpp"
#include "apps/drone/verbs/track_verb.hpp"

namespace shingle::drone {

int run_verbs(int argc, char** argv) {
  CLI::App program("Tells who drives where, and how fast, from the air.", "shingle-drone");
  FlightVerbOptions flight;
  TrackVerbOptions track;
  EvalVerbOptions eval;
  CountVerbOptions count;
  ExportVerbOptions exports;
  LogVerbOptions log;
  MotionVerbOptions motion;
  set_up(program);
  describe(*program.add_subcommand("run", "follow vehicles in a video, on a cluster"), flight);
  program.add_subcommand("node", "compute tiles as a worker of a cluster");  // see main.cpp
  describe(*program.add_subcommand("track", "follow detections from frame to frame"), track);
  describe(*program.add_subcommand("eval", "compare tracks with a ground truth"), eval);
  describe(*program.add_subcommand("count", "count at lines and zones of a run"), count);
  describe(*program.add_subcommand("export", "write a run in another format"), exports);
  describe(*program.add_subcommand("log", "say what a flight log knows and lacks"), log);
  describe(*program.add_subcommand("motion", "how the camera of a video moved"), motion);
  program.footer(
      "\nExamples:\n"
      "  shingle-drone run flights.onnx flight.mp4 --log DJI_0042.SRT --run flight --out "
      "tracks.mp4\n"
      "  shingle run vehicles.onnx flight.mp4 --json > boxes.jsonl\n"
      "  shingle-drone track boxes.jsonl --fps 25 -o tracks.txt\n"
      "  shingle-drone eval truth.txt tracks.txt\n"
      "  shingle-drone track boxes.jsonl --fps 25 --run flight\n"
      "  shingle-drone count flight --site site.toml\n"
      "  shingle-drone log DJI_0042.SRT\n"
      "  shingle-drone motion flight.mp4 -o motion.csv\n"
      "\n'shingle-drone VERB --help' says more. Exit codes: 0 success, 1 failure while running, "
      "2 wrong usage, 3 bad input.");
  return run_command_line(program, argc, argv, [&](const CLI::App& chosen) {
    if (chosen.got_subcommand("run")) return run_verb(flight);
    if (chosen.got_subcommand("count")) return run_verb(count);
    if (chosen.got_subcommand("export")) return run_verb(exports);
    if (chosen.got_subcommand("log")) return run_verb(log);
    if (chosen.got_subcommand("motion")) return run_verb(motion);
    return chosen.got_subcommand("track") ? run_verb(track) : run_verb(eval);
  });
}

}  // namespace shingle::drone
