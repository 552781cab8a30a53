// Frigate's side of the ZMQ detector: a REQ of libzmq, with the header and the bytes of a tensor.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

namespace shingle::testing {

struct DetectorReply {
  nlohmann::json header;  // null: none came in time
  std::string bytes;
  size_t frames = 0;

  std::vector<float> rows() const;  // of 20 x 6
  std::string error() const { return header.value("error", ""); }
};

class Detector {
 public:
  explicit Detector(const std::string& endpoint);

  void send(const std::vector<std::string>& frames);
  // Waits at most so long.
  DetectorReply receive(std::chrono::milliseconds longest = std::chrono::minutes(1));
  DetectorReply ask(const std::vector<std::string>& frames) { return send(frames), receive(); }

  DetectorReply ask_for_model(const std::string& name);
  DetectorReply send_model(const std::string& name, const std::string& bytes);
  DetectorReply detect(const std::vector<int64_t>& shape, const std::string& dtype,
                       const std::string& bytes);

 private:
  zmq::context_t context_;
  zmq::socket_t socket_;
};

// A ZeroMQ peer by hand, which may say what libzmq would not: any bytes on a Unix socket.
class RawPeer {
 public:
  explicit RawPeer(const std::string& path);
  ~RawPeer();
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  bool send(std::string_view bytes);  // false: the server has ended the connection
  static std::string greeting();      // of a REQ
  bool greet() { return send(greeting()); }
  bool is_ended_by_server();  // waits for that, at most a minute
  static std::string frame(std::string_view body, bool more);

 private:
  int descriptor_;
};

}  // namespace shingle::testing
