#include "partition/readers/darknet/weights.hpp"

#include <cstring>

namespace shingle::darknet {

namespace {

// From this version on, weights are transposed. No program has written such files since 2014.
constexpr int32_t transposed_version = 1000;

Error missing(int64_t count, const std::string& whole) {
  return Error{"the weights are " + std::to_string(count) + " values short of the " + whole +
               " that the cfg needs; take the .weights that belong to this .cfg, and all of them"};
}

}  // namespace

Result<Weights> Weights::open(std::span<const std::byte> bytes) {
  std::array<int32_t, 3> version{};
  if (bytes.size() < sizeof version) {
    return Error{"the weights are " + std::to_string(bytes.size()) +
                 " bytes long, which is less than a Darknet header"};
  }
  std::memcpy(version.data(), bytes.data(), sizeof version);
  const auto [major, minor, revision] = version;
  if (major < 0 || minor < 0 || revision < 0 || major > transposed_version ||
      minor > transposed_version) {
    return Error{"the weights begin with version " + std::to_string(major) + "." +
                 std::to_string(minor) + "." + std::to_string(revision) +
                 ", so they are no Darknet weights, or of the transposed kind that Darknet wrote "
                 "before 2014"};
  }
  const size_t header = sizeof version + (major * 10 + minor >= 2 ? 8 : 4);
  if (bytes.size() < header) return Error{"the weights end within their header"};
  const size_t rest = bytes.size() - header;
  constexpr size_t each = bytes_of_floats(size_t{1});
  if (rest % each != 0) {
    return Error{"the weights end within a value, " + std::to_string(rest % each) +
                 " bytes after the last whole one; the file was cut off or is another one"};
  }
  return Weights(bytes.data() + header, static_cast<int64_t>(rest / each));
}

FloatView Weights::take(int64_t count) {
  const int64_t begin = taken_;
  taken_ += count;
  return {.data = complete() ? data_ + bytes_of_floats(begin) : nullptr, .count = count};
}

Status Weights::settle() const {
  const std::string whole = std::to_string(taken_);
  if (taken_ > values_) return missing(taken_ - values_, whole);
  if (taken_ == values_) return success();
  return Error{"the weights are " + std::to_string(values_ - taken_) + " values longer than the " +
               whole + " that the cfg needs; take the .cfg that they were trained with"};
}

}  // namespace shingle::darknet
