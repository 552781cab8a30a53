#include "tests/serve/detector_client.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace shingle::testing {

using Json = nlohmann::json;

std::vector<float> DetectorReply::rows() const {
  REQUIRE(header["shape"] == Json{20, 6});
  REQUIRE(header["dtype"] == "float32");
  std::vector<float> values(120);
  REQUIRE(bytes.size() == values.size() * sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Detector::Detector(const std::string& endpoint) : socket_(context_, zmq::socket_type::req) {
  socket_.set(zmq::sockopt::linger, 0);
  socket_.connect(endpoint);
}

void Detector::send(const std::vector<std::string>& frames) {
  for (size_t i = 0; i < frames.size(); ++i)
    socket_.send(zmq::buffer(frames[i]),
                 i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

DetectorReply Detector::receive(std::chrono::milliseconds longest) {
  DetectorReply reply;
  socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(longest.count()));
  zmq::message_t frame;
  do {
    if (!socket_.recv(frame)) return reply;
    if (++reply.frames == 1)
      reply.header = Json::parse(frame.to_string());
    else
      reply.bytes += frame.to_string();
  } while (frame.more());
  return reply;
}

DetectorReply Detector::ask_for_model(const std::string& name) {
  return ask({Json{{"model_request", true}, {"model_name", name}}.dump()});
}

DetectorReply Detector::send_model(const std::string& name, const std::string& bytes) {
  return ask({Json{{"model_data", true}, {"model_name", name}}.dump(), bytes});
}

DetectorReply Detector::detect(const std::vector<int64_t>& shape, const std::string& dtype,
                               const std::string& bytes) {
  return ask(
      {Json{{"shape", shape}, {"dtype", dtype}, {"model_type", "yolo-generic"}}.dump(), bytes});
}

RawPeer::RawPeer(const std::string& path)
    : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
}

RawPeer::~RawPeer() { ::close(descriptor_); }

bool RawPeer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string RawPeer::frame(std::string_view body, bool more) {
  std::string wire(1, static_cast<char>((more ? 1 : 0) | (body.size() > 255 ? 2 : 0)));
  for (int i = body.size() > 255 ? 7 : 0; i >= 0; --i)
    wire += static_cast<char>(body.size() >> (8 * i) & 0xFF);
  return wire.append(body);
}

std::string RawPeer::greeting() {
  std::string text(64, '\0');
  text[0] = static_cast<char>(0xFF);
  text[9] = 0x7F;
  text[10] = 3;
  text.replace(12, 4, "NULL");
  return text + std::string("\4\31\5READY\13Socket-Type\0\0\0\3REQ", 27);
}

bool RawPeer::is_ended_by_server() {
  char buffer[4096];
  for (int i = 0; i < 10'000; ++i) {
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, 60'000) != 1) return false;
    if (::recv(descriptor_, buffer, sizeof buffer, 0) <= 0) return true;
  }
  return false;
}

}  // namespace shingle::testing
