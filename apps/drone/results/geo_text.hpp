// Tracks and shapes as GeoJSON and as KML. Both have longitude before latitude, in WGS84.
#pragma once

#include <span>
#include <string>

#include "apps/drone/results/geo_tracks.hpp"

namespace shingle::drone {

// RFC 7946: a FeatureCollection. A track is a LineString, a Point if it has one fix, a
// MultiLineString if it crosses the antimeridian. Areas are Polygons whose ring goes
// counterclockwise (the right-hand rule); they are not cut at the antimeridian. With a `crs`
// ("EPSG:n") tracks have their eastings and northings in it as properties; coordinates are WGS84 in
// any case, as the RFC wants them.
std::string geojson_text(std::span<const GeoTrack> tracks, std::span<const GeoShape> shapes,
                         const std::string& crs = {});

// OGC KML 2.3 (12-007r2): a Document with a Placemark for each track and shape, on the ground.
std::string kml_text(std::span<const GeoTrack> tracks, std::span<const GeoShape> shapes);

}  // namespace shingle::drone
