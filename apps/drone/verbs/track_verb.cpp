#include "apps/drone/verbs/track_verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "apps/drone/boxes/mot_text.hpp"
#include "apps/drone/motion/flow_recovery.hpp"
#include "apps/drone/track/byte_tracker.hpp"
#include "apps/drone/verbs/track_input.hpp"
#include "apps/drone/verbs/track_run.hpp"
#include "apps/drone/verbs/video_pictures.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/progress.hpp"
#include "apps/system/write_file.hpp"

namespace shingle::drone {
namespace {

struct Outcome {
  std::string text{};  // MOTChallenge's
  uint64_t frames = 0, detections = 0, boxes = 0;
  uint64_t recovered = 0;  // boxes that the detector missed
  uint64_t rejected = 0;   // boxes that do not move with a vehicle
  std::set<int64_t> ids{};
};

ByteTrackOptions tracker_options(const TrackVerbOptions& options) {
  ByteTrackOptions settings = byte_track_options(options.tracker, options.frames_per_second);
  settings.fuse_scores = !options.leaves_scores_out;
  settings.finds_camera_motion = options.finds_motion_by_boxes;
  return settings;
}

// How the camera moved since the frame before, by whichever means was asked for.
Result<std::optional<Homography>> motion_before(uint32_t frame, const TrackInput& input,
                                                std::span<const DetectedBox> detections,
                                                VideoPictures* pictures) {
  if (const auto motion = input.motions.find(frame); motion != input.motions.end())
    return std::optional(motion->second);
  if (pictures == nullptr) return std::optional<Homography>{};
  std::vector<PixelBox> vehicles;
  for (const DetectedBox& detection : detections) vehicles.push_back(detection.box);
  if (const Status there = pictures->go_to(frame, vehicles); !there) return there.failure();
  return pictures->camera_motion();
}

std::vector<PixelBox> boxes_of(std::span<const TrackedBox> tracked) {
  std::vector<PixelBox> boxes;
  for (const TrackedBox& each : tracked) boxes.push_back(each.box);
  return boxes;
}

// Nominal frames since the frame before.
double steps_before(uint32_t frame, const TrackInput& input, double frames_per_second) {
  const auto time = input.seconds.find(frame);
  if (time == input.seconds.end() || time == input.seconds.begin()) return 1.0;
  return (time->second - std::prev(time)->second) * frames_per_second;
}

// This frame's pixels -> the key frame's: the video's first picture, or the first frame. By boxes
// only the change of the camera's motion is found, so the place is unknown.
std::optional<Homography> key_place(const TrackVerbOptions& options, const VideoPictures* pictures,
                                    const std::optional<Homography>& motion, bool is_first,
                                    const std::optional<Homography>& before) {
  if (options.finds_motion_by_boxes) return std::nullopt;
  if (pictures != nullptr)
    return pictures->motion().first == 0 ? pictures->motion().to_first : std::nullopt;
  // What moved before the first frame moved nothing that was seen.
  return motion && !is_first ? std::optional(Homography(*before * inverse_of(*motion))) : before;
}

void add(Outcome& outcome, uint32_t frame, std::span<const TrackedBox> tracked) {
  for (const TrackedBox& seen : tracked) {
    outcome.text += mot_line({frame, seen.id, seen.box, seen.score, seen.class_id});
    outcome.ids.insert(seen.id);
    ++outcome.boxes;
  }
}

Result<Outcome> track(const TrackInput& input, const TrackVerbOptions& options,
                      VideoPictures* pictures, TrackRun* run) {
  const ByteTrackOptions settings = tracker_options(options);
  ByteTracker tracker(settings);
  FlowRecovery recovery;
  Outcome outcome{.frames = input.frames.size()};
  std::vector<TrackedBox> tracked;
  std::optional<Homography> to_key = Homography(Homography::Identity());
  uint64_t looked_at = 0;
  Progress progress(input.frames.size(), pictures != nullptr && stderr_is_terminal());
  for (const auto& [frame, given] : input.frames) {
    const auto motion = motion_before(frame, input, given, pictures);
    if (!motion) return motion.failure();
    const double steps = steps_before(frame, input, options.frames_per_second);
    std::vector<DetectedBox> detections = given;
    if (options.recovers_by_flow) {
      FlowResult flow = recovery.look(pictures->follow(boxes_of(tracked)), tracked, given, settings,
                                      {.ground = *motion, .steps = steps});
      outcome.recovered += flow.recovered;
      outcome.rejected += flow.rejected;
      detections = std::move(flow.detections);
    }
    to_key = key_place(options, pictures, *motion, looked_at == 0, to_key);
    outcome.detections += given.size();
    tracked = tracker.step(detections, {.steps = steps, .camera_motion = *motion});
    const auto time = input.seconds.find(frame);
    const double now =
        time != input.seconds.end() ? time->second : (frame - 1.0) / options.frames_per_second;
    if (run != nullptr)
      if (const Status written = run->write(frame, now, to_key, tracked, given); !written)
        return written.failure();
    add(outcome, frame, tracked);
    progress.done(++looked_at);
  }
  return outcome;
}

std::string summary_json(const Outcome& outcome, bool recovers_by_flow) {
  nlohmann::ordered_json summary{{"frames", outcome.frames},
                                 {"detections", outcome.detections},
                                 {"tracks", outcome.ids.size()},
                                 {"boxes", outcome.boxes}};
  if (recovers_by_flow) {
    summary["recovered"] = outcome.recovered;
    summary["rejected"] = outcome.rejected;
  }
  return summary.dump() + "\n";
}

void describe_tracker(CLI::App& verb, TrackVerbOptions& options) {
  describe(verb, options.tracker);
  verb.add_flag("--no-fuse", options.leaves_scores_out,
                "match by overlap alone, not by overlap times score");
  verb.add_option("--camera-motion", options.camera_motion,
                  "how the picture moved since the frame before: frame and 6 or 9 numbers a line")
      ->type_name("FILE");
  verb.add_option("--video", options.video,
                  "the video of these detections, or a folder of its images: the camera's motion "
                  "is found in the pictures")
      ->type_name("FILE")
      ->excludes("--camera-motion");
  verb.add_flag("--flow", options.recovers_by_flow,
                "follow vehicles that the detector missed by optical flow, ten frames at most")
      ->needs("--video");
  verb.add_flag("--motion-from-boxes", options.finds_motion_by_boxes,
                "without pictures: take the camera's motion from what most boxes have in common");
  verb.add_option("--times", options.times,
                  "frame,seconds a line: predict by time; frames not listed were not looked at")
      ->type_name("FILE");
}

}  // namespace

void describe(CLI::App& verb, TrackVerbOptions& options) {
  verb.add_option("DETECTIONS", options.detections,
                  "boxes: MOTChallenge text, or what 'shingle run --json' printed")
      ->type_name("")
      ->required();
  verb.add_option("--fps", options.frames_per_second, "frames per second of the video")
      ->type_name("N")
      ->check(CLI::Range(0.01, 1000.0))
      ->required();
  verb.add_option("-o,--out", options.out,
                  "the tracks, MOTChallenge text (default: stdout, unless --run is given)")
      ->type_name("FILE");
  verb.add_option("--run", options.run,
                  "a new run folder: tables of frames, tracks and events, for count and export")
      ->type_name("FOLDER");
  verb.add_option(
          "--size", options.size,
          "width and height of the picture in pixels: count then knows which vehicles its border "
          "cuts, and a log's pose what it shows")
      ->type_name("WxH");
  describe_tracker(verb, options);
  describe(verb, options.places);
  verb.get_option("--log")->needs(verb.get_option("--run"))->needs(verb.get_option("--size"));
  verb.add_flag("--json", options.json,
                "a summary as one JSON object on stdout; needs -o or --run");
  verb.footer(
      "\nExamples:\n"
      "  shingle-drone track boxes.txt --fps 30 -o tracks.txt\n"
      "  shingle-drone track boxes.txt --fps 30 --run flight\n"
      "  shingle-drone track boxes.txt --fps 30 --size 3840x2160 --log DJI_0042.SRT --run flight\n"
      "  shingle run vehicles.onnx flight.mp4 --json > boxes.jsonl\n"
      "  shingle-drone track boxes.jsonl --fps 25 --video flight.mp4 --flow -o tracks.txt\n"
      "  shingle-drone track boxes.jsonl --fps 25 --observation-centric -o tracks.txt --json");
}

// The table of a run must not be overwritten. Empty names are nowhere.
bool lies_in(const std::string& file, const std::string& folder) {
  if (file.empty() || folder.empty()) return false;
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file), error).parent_path() ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(folder), error);
}

int run_verb(const TrackVerbOptions& options) {
  if (options.json && options.out.empty() && options.run.empty())
    return fail(Exit::usage,
                "--json needs -o FILE or --run FOLDER: the tracks would stand in front of the "
                "summary");
  if (!options.size.empty() && options.run.empty())
    return fail(Exit::usage, "--size needs --run FOLDER: it is kept in the run folder");
  if (lies_in(options.out, options.run))
    return fail(Exit::usage,
                "-o " + options.out + " lies in the run folder; name a file elsewhere");
  const auto input = read_track_input(options);
  if (!input) return fail(input.failure());
  std::optional<VideoPictures> pictures;
  if (!options.video.empty()) {
    auto video = VideoPictures::open(options.video);
    if (!video) return fail(video.failure());
    pictures = std::move(*video);
  }
  std::optional<TrackRun> run;
  if (!options.run.empty()) {
    auto begun = TrackRun::begin(options, tracker_options(options).lost_frames);
    if (!begun) return fail(begun.failure());
    run = std::move(*begun);
  }
  const auto outcome =
      track(*input, options, pictures ? &*pictures : nullptr, run ? &*run : nullptr);
  if (!outcome) {
    if (run) static_cast<void>(run->flush());  // the first failure is the one to report
    return fail(outcome.failure());
  }
  if (run)
    if (const Status finished = run->finish(); !finished) return fail(finished.failure());
  if (!options.out.empty()) {
    const Status saved = write_file(options.out, std::as_bytes(std::span(outcome->text)));
    if (!saved) return fail(saved.failure());
  } else if (!run) {
    return print(outcome->text);
  }
  return options.json ? print(summary_json(*outcome, options.recovers_by_flow))
                      : static_cast<int>(Exit::ok);
}

}  // namespace shingle::drone
