// A rendered flight on disk: the video, the logs of the drone, and the truth about every frame
// (docs/use/scene.md describes the files).
#pragma once

#include <string>

#include "apps/scene/flight/scene_clip.hpp"
#include "partition/base/result.hpp"

namespace shingle {

// PATH.mp4 -> beside it PATH.srt, PATH.klv, PATH.gt.txt, PATH.ignore.txt, PATH.ground.csv,
// PATH.truth.csv, PATH.camera.csv, PATH.roads/000000.png .., PATH.site.toml, PATH.crossings.csv,
// PATH.counts.json. Errors: those of check(clip.flight), and of writing.
Status write_flight(const SceneClip& clip, const std::string& path);

// Stills of drawn clips with seeds from `seed` on: FOLDER/000001.png, 000001.csv (as a clip's
// truth), 000001.camera.csv (of the whole picture, of which the still is a part) and
// 000001.road.png by seed.
struct FlightStills {
  uint32_t count = 1;
  uint64_t seed = 1;
  cv::Size size{640, 384};
};
Status write_flight_stills(const FlightStills& stills, const std::string& folder);

}  // namespace shingle
