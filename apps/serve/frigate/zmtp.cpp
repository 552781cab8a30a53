#include "apps/serve/frigate/zmtp.hpp"

#include <algorithm>
#include <cassert>

namespace shingle::serve {
namespace {

constexpr size_t greeting_bytes = 64;
constexpr uint8_t more_flag = 1, long_flag = 2, command_flag = 4;

std::string greeting() {
  std::string text(greeting_bytes, '\0');
  text[0] = static_cast<char>(0xFF);
  text[9] = 0x7F;
  text[10] = 3;  // version 3.0
  text.replace(12, 4, "NULL");
  return text;
}

void append_big_endian(std::string& text, uint64_t number, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>((number >> (8 * i)) & 0xFF);
}

uint64_t big_endian(std::string_view text) {
  uint64_t number = 0;
  for (const char byte : text) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

void append_frame(std::string& wire, uint8_t flags, std::string_view body) {
  const bool is_long = body.size() > 255;
  wire += static_cast<char>(flags | (is_long ? long_flag : 0));
  append_big_endian(wire, body.size(), is_long ? 8 : 1);
  wire.append(body);
}

std::string ready() {
  std::string body("\5READY\13Socket-Type");
  append_big_endian(body, 6, 4);
  body += "ROUTER";
  std::string wire;
  append_frame(wire, command_flag, body);
  return wire;
}

// The value of Socket-Type in a READY command; none: it does not say.
std::optional<std::string> socket_type(std::string_view metadata) {
  while (!metadata.empty()) {
    const size_t name = static_cast<uint8_t>(metadata[0]);
    if (metadata.size() < 1 + name + 4) return std::nullopt;
    const std::string_view key = metadata.substr(1, name);
    const uint64_t value = big_endian(metadata.substr(1 + name, 4));
    if (metadata.size() - (1 + name + 4) < value) return std::nullopt;
    if (key == "Socket-Type") return std::string(metadata.substr(1 + name + 4, value));
    metadata.remove_prefix(1 + name + 4 + value);
  }
  return std::nullopt;
}

}  // namespace

ZmtpReader::ZmtpReader(Budget& budget) : budget_(budget), answers_(greeting()) {}

std::string zmtp_message(std::span<const std::string_view> frames) {
  std::string wire;
  for (size_t i = 0; i < frames.size(); ++i)
    append_frame(wire, i + 1 < frames.size() ? more_flag : uint8_t{0}, frames[i]);
  return wire;
}

std::optional<ZmtpMessage> ZmtpReader::next() {
  if (whole_.empty()) return std::nullopt;
  std::optional<ZmtpMessage> first(std::move(whole_.front()));
  whole_.pop_front();
  return first;
}

size_t ZmtpReader::wanted() const {
  constexpr uint64_t few = 4096, many = 256 << 10;
  return left_ > few ? std::min(left_, many) : few;
}

std::string ZmtpReader::answers() { return std::exchange(answers_, {}); }

Status ZmtpReader::take(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (in_body_) {
      if (Status taken = take_body(bytes); !taken) return taken;
      continue;
    }
    held_ += static_cast<char>(bytes[0]);
    bytes = bytes.subspan(1);
    Status taken = stage_ == Stage::greeting ? take_greeting() : take_frame_head();
    if (!taken) return taken;
  }
  return success();
}

Status ZmtpReader::take_greeting() {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(held_[at]); };
  if (byte(0) != 0xFF || (held_.size() > 9 && (byte(9) & 1) == 0))
    return Error{"it does not speak ZMTP"};
  if (held_.size() > 10 && byte(10) < 3)
    return Error{"it speaks an older version of ZMTP than 3, as ZeroMQ before 4.0"};
  if (held_.size() < greeting_bytes) return success();
  const std::string mechanism = held_.substr(12, 20);
  if (mechanism != std::string("NULL").append(16, '\0'))
    return Error{"it wants another security mechanism than NULL"};
  answers_ += ready();
  held_.clear();
  stage_ = Stage::ready;
  return success();
}

Status ZmtpReader::take_frame_head() {
  const auto flags = static_cast<uint8_t>(held_[0]);
  if ((flags & ~(more_flag | long_flag | command_flag)) != 0 ||
      ((flags & command_flag) != 0 && (flags & more_flag) != 0))
    return Error{"it sent a frame whose flags mean nothing"};
  const size_t head = (flags & long_flag) != 0 ? 9 : 2;
  if (held_.size() < head) return success();
  const uint64_t size = big_endian(std::string_view(held_).substr(1));
  held_.clear();
  is_command_ = (flags & command_flag) != 0;
  has_more_ = (flags & more_flag) != 0;
  if (is_command_ && size > ZmtpLimits::command_bytes)
    return Error{"it sent a command that is too long"};
  if (!is_command_ && stage_ != Stage::messages)
    return Error{"it sent a message before it was ready"};
  if (!is_command_ &&
      (size > ZmtpLimits::message_bytes || message_bytes_ + size > ZmtpLimits::message_bytes))
    return Error{"it sent a message of more than 192 MiB"};
  begin_body(size);
  return size == 0 ? end_frame() : success();
}

void ZmtpReader::begin_body(uint64_t size) {
  in_body_ = size > 0;
  left_ = size;
  if (is_command_) return command_.clear();
  message_bytes_ += size;
  if (!message_) {
    message_.emplace(ZmtpMessage{.header = {}, .payload = {}, .share = Share(budget_)});
    if (size == 0 && has_more_) {
      message_->delimited = true;
      return;
    }
  }
  const uint64_t frame = ++message_->frames;
  if (frame == 1 && size > ZmtpLimits::header_bytes)
    message_->unfit = "the header has " + std::to_string(size) + " bytes, and may have " +
                      std::to_string(ZmtpLimits::header_bytes);
  if (frame == 2 && size > ZmtpLimits::payload_bytes)
    message_->unfit = "the second frame has " + std::to_string(size) + " bytes, and may have " +
                      std::to_string(ZmtpLimits::payload_bytes);
  if (frame != 2 || !message_->unfit.empty()) return;
  if (message_->share.grow(size))
    message_->payload.reserve(size);
  else
    message_->unfit = "other peers' messages have all memory that messages may take";
}

void ZmtpReader::keep(std::span<const std::byte> part) {
  if (is_command_) {
    command_.append(reinterpret_cast<const char*>(part.data()), part.size());
    return;
  }
  if (!message_->unfit.empty()) return;
  if (message_->frames == 1)
    message_->header.append(reinterpret_cast<const char*>(part.data()), part.size());
  if (message_->frames == 2)
    message_->payload.insert(message_->payload.end(), part.begin(), part.end());
}

Status ZmtpReader::take_body(std::span<const std::byte>& bytes) {
  assert(left_ > 0);
  const auto part = bytes.first(std::min<uint64_t>(left_, bytes.size()));
  bytes = bytes.subspan(part.size());
  left_ -= part.size();
  keep(part);
  return left_ == 0 ? end_frame() : success();
}

Status ZmtpReader::end_frame() {
  in_body_ = false;
  if (is_command_) return end_command();
  if (message_->frames > ZmtpLimits::frames)
    return Error{"it sent a message of more than 64 frames"};
  if (has_more_) return success();
  if (!message_->unfit.empty()) {
    message_->header = {};
    message_->payload = {};
    message_->share.release();
  }
  whole_.push_back(std::move(*message_));
  message_.reset();
  message_bytes_ = 0;
  ++ended_;
  return success();
}

Status ZmtpReader::end_command() {
  const size_t name = command_.empty() ? 0 : static_cast<uint8_t>(command_[0]);
  if (command_.size() < 1 + name || name == 0) return Error{"it sent a command without a name"};
  const std::string_view body = std::string_view(command_).substr(1 + name);
  const std::string_view called = std::string_view(command_).substr(1, name);
  if (called == "READY" && stage_ == Stage::ready) {
    const auto type = socket_type(body);
    if (type != "REQ" && type != "DEALER") return Error{"its socket is neither a REQ nor a DEALER"};
    stage_ = Stage::messages;
    return success();
  }
  if (called == "ERROR") return Error{"it refused this server"};
  if (stage_ != Stage::messages) return Error{"it sent another command than READY"};
  if (called != "PING" || body.size() < 2) return success();  // commands that are not known
  std::string pong("\4PONG");
  pong.append(body.substr(2, 16));  // what follows the time to live
  append_frame(answers_, command_flag, pong);
  return success();
}

}  // namespace shingle::serve
