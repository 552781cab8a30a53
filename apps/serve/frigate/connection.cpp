#include "apps/serve/frigate/connection.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>

namespace shingle::serve {

FrigateConnection::FrigateConnection(int descriptor, Budget& budget, const ConnectionTimes& times,
                                     Instant now)
    : descriptor_(descriptor), times_(times), reader_(budget), begun_(now) {
  send(reader_.answers(), now);
}

FrigateConnection::~FrigateConnection() { ::close(descriptor_); }

Status FrigateConnection::read(Instant now) {
  std::vector<std::byte> bytes(reader_.wanted());
  const ssize_t got = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got == 0) return Error{""};  // it has gone
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return success();
  if (got < 0) return Error{""};
  bytes.resize(static_cast<size_t>(got));
  const uint64_t ended = reader_.ended();
  if (Status taken = reader_.take(bytes); !taken) return taken;
  send(reader_.answers(), now);
  if (reader_.ended() != ended) whole_since_ = message_since_.value_or(now);
  if (!reader_.is_in_message() || reader_.ended() != ended) message_since_.reset();
  if (reader_.is_in_message() && !message_since_) message_since_ = now;
  return success();
}

void FrigateConnection::send(std::string bytes, Instant now) {
  if (bytes.empty()) return;
  if (outgoing_.empty()) outgoing_since_ = now;
  outgoing_ += bytes;
}

Status FrigateConnection::write(Instant now) {
  const ssize_t sent =
      ::send(descriptor_, outgoing_.data(), outgoing_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return success();
  if (sent < 0) return Error{""};
  outgoing_.erase(0, static_cast<size_t>(sent));
  outgoing_since_ = now;
  if (outgoing_.empty()) outgoing_since_.reset();
  return success();
}

Status FrigateConnection::check(Instant now) const {
  if (!reader_.is_ready() && now - begun_ > times_.greeting)
    return Error{"it did not greet in time"};
  if (message_since_ && now - *message_since_ > times_.message)
    return Error{"it did not end its message in time"};
  if (outgoing_since_ && now - *outgoing_since_ > times_.taking)
    return Error{"it does not take its answer"};
  return success();
}

FrigateConnection::Instant FrigateConnection::next() const {
  Instant first = Instant::max();
  if (!reader_.is_ready()) first = begun_ + times_.greeting;
  if (message_since_) first = std::min(first, *message_since_ + times_.message);
  if (outgoing_since_) first = std::min(first, *outgoing_since_ + times_.taking);
  return first;
}

std::optional<FrigateConnection::Arrived> FrigateConnection::next_message() {
  if (is_answered_for_ || wants_to_write()) return std::nullopt;
  auto message = reader_.next();
  is_answered_for_ = message.has_value();
  if (!message) return std::nullopt;
  return Arrived{std::move(*message), whole_since_};
}

void FrigateConnection::answer(const std::vector<std::string>& frames, Instant now) {
  assert(is_answered_for_);
  is_answered_for_ = false;
  const std::vector<std::string_view> views(frames.begin(), frames.end());
  send(zmtp_message(views), now);
}

}  // namespace shingle::serve
