#include "apps/vision/media/photo_facts.hpp"

#include <cmath>
#include <exiv2/exiv2.hpp>

namespace shingle {
namespace {

// None: the picture does not say, or says no number.
std::optional<double> number_at(const Exiv2::ExifData& exif, const char* key, long part = 0) {
  const auto found = exif.findKey(Exiv2::ExifKey(key));
  if (found == exif.end() || static_cast<long>(found->count()) <= part) return std::nullopt;
  const Exiv2::Rational ratio = found->toRational(part);
  if (ratio.second == 0) return std::nullopt;
  return static_cast<double>(ratio.first) / static_cast<double>(ratio.second);
}

std::string text_at(const Exiv2::ExifData& exif, const char* key) {
  const auto found = exif.findKey(Exiv2::ExifKey(key));
  return found == exif.end() ? std::string() : found->toString();
}

// Degrees, minutes, seconds; `negative` is the reference that turns the sign.
std::optional<double> angle_at(const Exiv2::ExifData& exif, const std::string& key, char negative) {
  const auto degrees = number_at(exif, key.c_str(), 0), minutes = number_at(exif, key.c_str(), 1),
             seconds = number_at(exif, key.c_str(), 2);
  if (!degrees) return std::nullopt;
  const double angle = *degrees + minutes.value_or(0.0) / 60.0 + seconds.value_or(0.0) / 3600.0;
  return text_at(exif, (key + "Ref").c_str()).starts_with(negative) ? -angle : angle;
}

PhotoFacts facts_of(Exiv2::Image& image) {
  image.readMetadata();
  const Exiv2::ExifData& exif = image.exifData();
  PhotoFacts facts{.xmp = image.xmpPacket()};
  facts.latitude = angle_at(exif, "Exif.GPSInfo.GPSLatitude", 'S');
  facts.longitude = angle_at(exif, "Exif.GPSInfo.GPSLongitude", 'W');
  facts.altitude = number_at(exif, "Exif.GPSInfo.GPSAltitude");
  if (facts.altitude && number_at(exif, "Exif.GPSInfo.GPSAltitudeRef") == 1.0)  // below the sea
    facts.altitude = -*facts.altitude;
  facts.focal_length = number_at(exif, "Exif.Photo.FocalLength");
  facts.focal_35mm = number_at(exif, "Exif.Photo.FocalLengthIn35mmFilm");
  if (facts.focal_35mm == 0.0) facts.focal_35mm.reset();       // the standard's "unknown"
  facts.taken = text_at(exif, "Exif.Photo.DateTimeOriginal");  // 2016:08:07 13:30:17
  for (const size_t separator : {size_t{4}, size_t{7}})
    if (facts.taken.size() > separator) facts.taken[separator] = '-';
  return facts;
}

}  // namespace

Result<PhotoFacts> photo_facts(const std::string& path) {
  Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
  try {
    const auto image = Exiv2::ImageFactory::open(path);
    return facts_of(*image);
  } catch (const std::exception& error) {
    return bad_input("cannot read '" + path + "' as a photograph: " + error.what());
  }
}

}  // namespace shingle
