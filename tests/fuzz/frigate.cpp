// Fuzzes what a detector of Frigate sends. The first byte says how: as bytes of ZMTP, cut at a
// place or not, or, after a greeting that is right, as frames; else as a header, a blank line and a
// tensor for a model of 4 x 2 pixels. What comes in pieces reads as it does at once.
#include "apps/serve/frigate/picture.hpp"
#include "apps/serve/frigate/zmtp.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

using namespace serve;

struct Read {
  std::vector<std::string> messages;
  std::string answers, error;
  friend bool operator==(const Read&, const Read&) = default;
};

std::string greeting() {
  std::string text(64, '\0');
  text[0] = static_cast<char>(0xFF);
  text[9] = 0x7F;
  text[10] = 3;
  text.replace(12, 4, "NULL");
  return text + std::string("\4\31\5READY\13Socket-Type\0\0\0\3REQ", 27);
}

Read read(std::string_view wire, size_t piece) {
  Budget budget(1 << 20);
  Read all;
  {
    ZmtpReader reader(budget);
    while (!wire.empty() && all.error.empty()) {
      const std::string_view part = wire.substr(0, piece);
      wire.remove_prefix(part.size());
      if (const Status taken = reader.take(std::as_bytes(std::span(part))); !taken)
        all.error = taken.error();
      all.answers += reader.answers();
    }
    while (const auto message = reader.next()) {
      expect(message->header.size() <= ZmtpLimits::header_bytes, "a header is bounded");
      expect(message->frames <= ZmtpLimits::frames, "frames are bounded");
      if (!message->unfit.empty()) expect_sentence(message->unfit);
      all.messages.push_back(std::to_string(message->frames) + message->header + message->unfit +
                             std::to_string(message->payload.size()));
    }
  }
  expect(budget.held() == 0, "the budget is given back");
  return all;
}

void as_wire(std::string_view wire, size_t piece) {
  const Read whole = read(wire, wire.size() + 1);
  if (!whole.error.empty()) expect_sentence(whole.error);
  expect(read(wire, piece) == whole, "pieces read as the whole does");
}

void as_tensor(std::string_view text, const FrigatePixels& pixels) {
  const size_t end = std::min(text.find("\n\n"), text.size());
  const auto header = read_frigate_header(text.substr(0, end));
  if (!header) return expect_sentence(header.error());
  const auto* tensor = std::get_if<TensorSent>(&*header);
  if (tensor == nullptr) return;
  const std::string_view rest = text.substr(std::min(end + 2, text.size()));
  const auto picture =
      read_frigate_picture(*tensor, std::as_bytes(std::span(rest)), {4, 2}, pixels);
  if (!picture) return expect_sentence(picture.error());
  expect(picture->pixels.size() == 24, "a picture has the model's size");
}

}  // namespace

void frigate(Bytes bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<uint8_t>(bytes[0]);
  const std::string_view rest = text_of(bytes.subspan(1));
  const size_t piece = size_t{how} / 4 + 1;
  if (how % 4 == 0) return as_wire(rest, piece);
  if (how % 4 == 1) return as_wire(greeting() + std::string(rest), piece);
  as_tensor(rest, {.floats_are_pixels = how % 4 == 2, .is_bgr = how >= 128});
}

}  // namespace shingle::fuzz
