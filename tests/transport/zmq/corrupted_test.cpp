// A relay flips bits of a stream without keys: none reaches a canvas, and no frame is lost.
#include <atomic>

#include "tests/transport/real_cluster.hpp"
#include "tests/transport/zmq/tap.hpp"
#include "transport/codec/frame_checksum.hpp"

namespace shingle {
namespace {

using networks::Random;
using testing::Tap;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST_CASE("a checksum holds for its header and payload, and for no other bits") {
  const std::string header = "a header", payload = "and the elements of a box";
  const zmq::message_t frame = with_checksum(bytes_of(header), bytes_of(payload));
  const std::string whole(frame.data<char>(), frame.size());
  const auto inside = without_checksum(bytes_of(whole), bytes_of(payload));
  REQUIRE(inside.has_value());
  CHECK(std::ranges::equal(*inside, bytes_of(header)));
  for (size_t bit = 0; bit < 8 * (whole.size() + payload.size()); ++bit) {
    std::string corrupted_header = whole, corrupted_payload = payload;
    const size_t at = bit / 8;
    char& byte = at < whole.size() ? corrupted_header[at] : corrupted_payload[at - whole.size()];
    byte ^= static_cast<char>(1U << bit % 8);
    CHECK_FALSE(
        without_checksum(bytes_of(corrupted_header), bytes_of(corrupted_payload)).has_value());
  }
  CHECK_FALSE(without_checksum(bytes_of(whole), {}).has_value());
  CHECK_FALSE(without_checksum(bytes_of(whole).first(3), bytes_of(payload)).has_value());
}

// Flips a bit in some of the blocks that pass, a few times; then it lets all pass.
class Corrupter {
 public:
  explicit Corrupter(uint64_t seed, int flips) : random_(seed), left_(flips) {}
  void operator()(std::span<char> passing) {
    constexpr size_t a_piece =
        1000;  // larger than a greeting, because a corrupted greeting is only sent again
    if (passing.size() < a_piece || left_ == 0 || random_.between(0, 3) > 0) return;
    const size_t at = random_.next() % passing.size();
    passing[at] ^= static_cast<char>(1 << random_.between(0, 7));
    --left_;
  }
  int left() const { return left_; }

 private:
  Random random_;
  std::atomic<int> left_;
};

TEST_CASE("a wire that flips bits delays frames and changes none") {
  const uint64_t seed = 17;
  CAPTURE(seed);
  Corrupter corrupter(seed, 4);
  std::vector<std::unique_ptr<Tap>> taps;
  const auto through_tap = [&](uint16_t port) {
    taps.push_back(std::make_unique<Tap>(port, [&](std::span<char> bytes) { corrupter(bytes); }));
    return taps.back()->port();
  };
  // A flipped length makes a socket wait for bytes that nobody sends: then the silence ends it.
  const Duration silence = std::chrono::seconds(2);
  uint64_t corrupted = 0;
  size_t reissued = 0;
  {
    RealCluster cluster(testing::shared(networks::make("tiny", 96)),
                        testing::connected(2, through_tap, silence), silence);
    const PlanHash plan = cluster.ready(cluster.cut({4, 4}));
    const auto enough = std::chrono::steady_clock::now() + testing::very_long;
    for (uint64_t frame = 0; corrupter.left() > 0; ++frame) {
      REQUIRE(std::chrono::steady_clock::now() < enough);
      const testing::Image image = testing::image_of(*cluster.model, frame);
      const auto outputs = cluster.owner().observed.wait_for(cluster.submit(plan, image));
      REQUIRE(outputs.has_value());
      REQUIRE(*outputs == testing::bare_run(*cluster.model, image));
    }
    CHECK(cluster.owner().observed.count(Report::Kind::frame_aborted) == 0);
    reissued = cluster.owner().observed.count(Report::Kind::frame_reissued);
    for (const auto& member : cluster.members) corrupted += member->transport->counters().corrupted;
  }
  CHECK(corrupted > 0);
  CHECK(reissued > 0);
}

}  // namespace
}  // namespace shingle
