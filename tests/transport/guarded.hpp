// Guarded: a member with keys on loopback, for tests.
#pragma once

#include <doctest/doctest.h>

#include "tests/transport/keys/key_scene.hpp"
#include "tests/transport/members.hpp"
#include "tests/transport/notes.hpp"

namespace shingle::testing {

// A member with keys; its notes are kept.
struct Guarded : Member {
  Notes notes;
  Guarded(const KeyScene& keys, ZmqOptions options) {
    options.keys = keys.path();
    options.insecure = false;
    options.on_note = notes.listener();
    auto opened = ZmqTransport::open(std::move(options), inbox);
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error()));
    transport = std::move(opened).value();
  }
  ~Guarded() { transport.reset(); }  // its thread writes notes until then
  uint16_t port() const { return transport->port(); }
};

inline ZmqOptions dialling(uint32_t id, const std::vector<uint32_t>& members, uint32_t peer,
                           uint16_t port) {
  return options_of(id, members, {{peer, port}});
}

}  // namespace shingle::testing
