// SPDX-License-Identifier: GPL-2.0-only
// shingle-ns3: ns-3 as a network for shingle, by the protocol of docs/develop/network_pipe.md on
// standard input and output. Ends when its input ends.
//
//   shingle-ns3 [--pcap PREFIX]
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "sim/ns3/lines.hpp"
#include "sim/ns3/session.hpp"

namespace {

constexpr int usage_error = 2;

int converse(const std::string& pcap) {
  shingle_ns3::LineReader requests(0);
  shingle_ns3::Session session(pcap);
  try {
    while (const std::optional<std::string> line = requests.next())
      if (!shingle_ns3::write_line(1, session.answer(*line))) return 0;
    return 0;
  } catch (const shingle_ns3::Refusal& refusal) {
    shingle_ns3::write_line(1, "error " + refusal.sentence);
    return 1;
  }
}

}  // namespace

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // then writing fails, and the program ends
  if (count == 2 && std::strcmp(words[1], "--version") == 0) {
    std::printf("shingle-ns3, ns-3 %s\n", shingle_ns3::version().c_str());
    return 0;
  }
  if (count == 3 && std::strcmp(words[1], "--pcap") == 0) return converse(words[2]);
  if (count == 1) return converse("");
  std::fprintf(stderr, "usage: shingle-ns3 [--pcap PREFIX]\n");
  return usage_error;
}
