#include "transport/keys/doorkeeper.hpp"

#include <sys/stat.h>

#include <array>
#include <cassert>
#include <vector>

namespace shingle {
namespace {

constexpr size_t key_bytes = 32;

// The frames of a request, in the order of the RFC.
enum Frame : size_t { version, request, realm, address, identity, mechanism, credentials, count };

std::vector<std::string> receive_all(zmq::socket_t& socket) {
  std::vector<std::string> frames;
  zmq::message_t frame;
  if (!socket.recv(frame, zmq::recv_flags::dontwait)) return frames;
  frames.push_back(frame.to_string());
  while (frame.more() && socket.recv(frame)) frames.push_back(frame.to_string());
  return frames;
}

// REQUIRES: the bytes of one key.
std::string z85_of(const std::string& key) {
  assert(key.size() == key_bytes);
  std::array<char, key_letters + 1> letters{};
  zmq_z85_encode(letters.data(), reinterpret_cast<const uint8_t*>(key.data()), key.size());
  return {letters.data(), key_letters};
}

// The caller's public key; empty where it shows none.
PublicKey key_in(const std::vector<std::string>& frames) {
  const bool shown = frames.size() == Frame::count && frames[Frame::mechanism] == "CURVE" &&
                     frames[Frame::credentials].size() == key_bytes;
  return {shown ? z85_of(frames[Frame::credentials]) : ""};
}

// As people write it: a socket for both kinds of addresses sees an IPv4 address within an IPv6 one.
std::string caller_in(const std::vector<std::string>& frames) {
  constexpr std::string_view within = "::ffff:";
  if (frames.size() <= Frame::address) return "an unknown address";
  const std::string& address = frames[Frame::address];
  return address.starts_with(within) ? address.substr(within.size()) : address;
}

std::chrono::nanoseconds since_1970(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Result<std::unique_ptr<Doorkeeper>> Doorkeeper::open(zmq::context_t& context,
                                                     const Credentials& credentials, Notes notes) {
  assert(notes.on_stranger && notes.on_list);
  assert(credentials.allowed.node_of(credentials.pair.open) == credentials.node);
  try {
    return std::unique_ptr<Doorkeeper>(new Doorkeeper(context, credentials, std::move(notes)));
  } catch (const zmq::error_t& failure) {
    return Error{failure.what()};
  }
}

Doorkeeper::Doorkeeper(zmq::context_t& context, const Credentials& credentials, Notes notes)
    : node_(credentials.node),
      own_(credentials.pair.open),
      folder_(credentials.folder),
      allowed_(credentials.allowed),
      notes_(std::move(notes)),
      questions_(context, zmq::socket_type::rep) {
  questions_.set(zmq::sockopt::linger, 0);
  questions_.bind("inproc://zeromq.zap.01");
}

void Doorkeeper::answer() {
  for (;;) {
    const std::vector<std::string> frames = receive_all(questions_);
    if (frames.empty()) return;
    assert(allowed_.node_of(own_) == node_);
    const PublicKey key = key_in(frames);
    const bool known = !key.z85.empty() && allowed_.node_of(key).has_value();
    const std::string caller = caller_in(frames);
    if (!known)
      notes_.on_stranger("A stranger at " + caller +
                         " was not let in: its key is not in the list.");
    // ZeroMQ attaches the key to each message of the connection, as its user id.
    const std::string answers[] = {"1.0",
                                   frames.size() > Frame::request ? frames[Frame::request] : "",
                                   known ? "200" : "400",
                                   known ? "OK" : "not in the list",
                                   known ? key.z85 : "",
                                   ""};
    for (const std::string& answer : answers) {
      const bool last = &answer == std::end(answers) - 1;
      questions_.send(zmq::buffer(answer), last ? zmq::send_flags::none : zmq::send_flags::sndmore);
    }
  }
}

Doorkeeper::Stamp Doorkeeper::stamp() const {
  struct stat list {};
  struct stat folder {};
  if (::stat(folder_.allowed_path().c_str(), &list) != 0) return {};
  if (::stat(folder_.path().c_str(), &folder) != 0) return {};
  return {.number = list.st_ino,
          .size = list.st_size,
          .written = since_1970(list.st_mtim),
          .changed = since_1970(list.st_ctim),
          .folder = folder.st_mode};
}

bool Doorkeeper::refresh() {
  warn_of_no_end();
  const Stamp now = stamp();
  if (now == seen_) return false;
  auto fresh = folder_.allowed();
  if (fresh) {
    seen_ = now;
    unread_.clear();
    return adopt(std::move(*fresh));
  }
  // The next call reads it again: without a free descriptor a good list cannot be read either.
  if (std::exchange(unread_, fresh.error()) != fresh.error())
    notes_.on_list("The list of keys stays as it was: " + fresh.error() + ".");
  return false;
}

// With a list that lacks its own key a node would end all its connections. To exclude a node, its
// key is removed from the others' lists.
bool Doorkeeper::adopt(Allowed fresh) {
  if (const Status own = check_own_key(fresh, folder_, node_, own_); !own) {
    notes_.on_list("The list of keys stays as it was: " + own.error() + ".");
    return false;
  }
  const bool changed = fresh.keys() != allowed_.keys();
  if (fresh.has_end()) warned_ = false;
  allowed_ = std::move(fresh);
  assert(allowed_.node_of(own_) == node_);
  warn_of_no_end();
  return changed;
}

void Doorkeeper::warn_of_no_end() {
  if (allowed_.has_end() || warned_) return;
  warned_ = true;
  notes_.on_list("The list of keys '" + folder_.allowed_path() +
                 "' has no end line, so nobody would notice if some of it were missing: 'shingle "
                 "keys seal' writes one.");
}

}  // namespace shingle
