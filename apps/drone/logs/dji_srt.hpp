// DJI's subtitles: a cue for each picture or second, whose text has the telemetry. Six dialects:
//   HOME(lon,lat) date / GPS(lon,lat,satellites) BAROMETER:1.9      Mavic Pro, Phantom 4
//   date / [latitude : ..] [longtitude : ..]                        Mavic 2; no times of the video
//   date / [latitude: ..] [longitude: ..] [altitude: ..]            Air 2S
//   date / [rel_alt: .. abs_alt: ..] [gb_yaw: .. gb_pitch: ..]      later models
//   F/2.8, .. GPS (lon, lat, satellites), D .., H 200.70m           Mavic Mini, Phantom 4 RTK;
//   there
//     with F.PRY and G.PRY: pitch, roll, yaw of the aircraft and of the gimbal
//   date / GPS(lat,lon,0.0M) BAROMETER:0.3M                         Matrice 300; latitude first
// The focal length is the equivalent one; models that write f/2.8 as 280 write 24 mm as 240.
// Dates are of the place, without a zone.
#pragma once

#include <string>
#include <string_view>

#include "apps/drone/logs/flight.hpp"
#include "apps/drone/logs/srt_cues.hpp"

namespace shingle::drone {

// A last cue that has fewer quantities than the one before is left out: the file breaks off there.
Result<Flight> read_dji_srt(std::string_view text, const std::string& name,
                            const LogOptions& options = {});

// The same of cues, as a video's subtitle track has them.
Result<Flight> read_dji_cues(const std::vector<SrtCue>& cues, const std::string& name,
                             const LogOptions& options = {});

}  // namespace shingle::drone
