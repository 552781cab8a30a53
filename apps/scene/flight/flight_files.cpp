#include "apps/scene/flight/flight_files.hpp"

#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "apps/scene/files.hpp"
#include "apps/scene/flight/flight_truth.hpp"
#include "apps/scene/flight/gate_truth.hpp"
#include "apps/system/write_file.hpp"
#include "apps/vision/video_writer.hpp"

namespace shingle {
namespace {

Status write_text(const std::string& path, const std::string& text) {
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

struct OutFile {
  const char* ending;
  const std::string& text;
};

}  // namespace

Status write_flight(const SceneClip& clip, const std::string& path) {
  if (const Status checked = check(clip.flight); !checked) return checked;
  const FlightOptions& options = clip.flight;
  auto video = VideoWriter::open(path, options.frames_per_second, options.size);
  if (!video) return Error{video.error()};
  const std::string stem = std::filesystem::path(path).replace_extension().string();
  if (const Status made = make_folder(stem + ".roads"); !made) return made;
  ClipScene scene(clip);
  WorldRenderer renderer(scene.world());
  const WorldPlace place = place_of_world(options.seed);
  const std::vector<GateLine> gates = gates_in_picture(scene.world().network.gates, scene.flight());
  FlightTruth truth(scene.flight(), place);
  std::vector<LoggedFrame> logged;
  std::vector<GateCrossing> crossings;
  for (uint32_t frame = 0; frame < options.frames; ++frame) {
    const TrafficMoment now{scene.seconds(), scene.vehicles()};
    const WorldPicture seen =
        renderer.render(scene.flight().view_at(now.seconds), now.vehicles, frame);
    if (const Status written = video->write(seen.picture); !written) return written;
    if (const Status road = write_png(stem + ".roads/" + numbered(frame) + ".png", seen.road);
        !road)
      return road;
    truth.add(frame, now.vehicles, seen.vehicles);
    logged.push_back(logged_frame(scene.flight(), place, frame));
    scene.advance();
    if (frame + 1 == options.frames) break;
    for (const GateCrossing& each :
         crossings_between(now, {scene.seconds(), scene.vehicles()}, gates))
      crossings.push_back(each);
  }
  if (const Status closed = video->close(); !closed) return closed;
  if (const Status klv = write_file(stem + ".klv", misb_klv(logged)); !klv) return klv;
  const std::string srt = dji_srt(logged, options.frames_per_second);
  const std::string site = site_toml(gates, place), passed = crossings_csv(crossings, gates);
  const std::string counts = counts_json(crossings, gates);
  for (const auto& [ending, text] :
       {OutFile{".srt", srt}, OutFile{".gt.txt", truth.mot()},
        OutFile{".ignore.txt", truth.ignored()}, OutFile{".ground.csv", truth.ground()},
        OutFile{".camera.csv", truth.camera()}, OutFile{".truth.csv", truth.scored()},
        OutFile{".site.toml", site}, OutFile{".crossings.csv", passed},
        OutFile{".counts.json", counts}})
    if (const Status written = write_text(stem + ending, text); !written) return written;
  return success();
}

Status write_flight_stills(const FlightStills& stills, const std::string& folder) {
  if (const Status made = make_folder(folder); !made) return made;
  for (uint32_t i = 0; i < stills.count; ++i) {
    const uint64_t seed = stills.seed + i;
    const ClipScene scene(drawn_clip(seed, stills.size));
    const std::vector<Vehicle> vehicles = scene.vehicles();
    const WorldPicture seen =
        WorldRenderer(scene.world()).render(scene.flight().view_at(0), vehicles, 0);
    const WorldPlace place = place_of_world(seed);
    FlightTruth truth(scene.flight(), place);
    truth.add(0, vehicles, seen.vehicles);
    const std::string stem = folder + "/" + numbered(seed);
    if (const Status picture = write_png(stem + ".png", seen.picture); !picture) return picture;
    if (const Status road = write_png(stem + ".road.png", seen.road); !road) return road;
    for (const auto& [ending, rows] :
         {OutFile{".csv", truth.scored()}, OutFile{".camera.csv", truth.camera()}})
      if (const Status text = write_text(stem + ending, rows); !text) return text;
  }
  return success();
}

}  // namespace shingle
