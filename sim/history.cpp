#include "sim/history.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace shingle::sim {

namespace {

constexpr size_t enough = 20;

class Judge {
 public:
  void hear(const FrameEvent& event) {
    if (event.kind == FrameEvent::Kind::owner_died) return bury(event.key);
    Life& life = lives_[{event.key.owner.value, event.key.life}];
    if (life.over) say(event.key, "goes on after its owner's death");
    const auto [frame, first] = life.frames.try_emplace(event.key.frame, Frame{});
    if (event.kind == FrameEvent::Kind::captured) {
      if (!first) say(event.key, "was captured twice");
      return;
    }
    if (first) say(event.key, "met a fate without having been captured");
    if (++frame->second.fates == 2) say(event.key, "met two fates");
    if (event.kind != FrameEvent::Kind::delivered) return;
    uint64_t& last = life.last_delivered[event.model];
    if (event.key.frame <= last) say(event.key, "was delivered out of order");
    last = event.key.frame;
  }

  std::vector<std::string> end() {
    for (const auto& [id, life] : lives_)
      for (const auto& [number, frame] : life.frames)
        if (frame.fates == 0 && !life.over)
          say({{id.first}, id.second, number}, "was lost: nobody knows what became of it");
    return std::move(sentences_);
  }

 private:
  struct Frame {
    int fates = 0;
  };
  struct Life {
    std::map<uint64_t, Frame> frames;
    std::map<ModelHash, uint64_t> last_delivered;
    bool over = false;
  };

  void bury(const FrameKey& key) { lives_[{key.owner.value, key.life}].over = true; }

  void say(const FrameKey& key, const char* what) {
    if (sentences_.size() >= enough) return;
    sentences_.push_back("frame " + std::to_string(key.owner.value) + ":" +
                         std::to_string(key.frame) + " of life " + std::to_string(key.life) + " " +
                         what);
  }

  std::map<std::pair<uint32_t, uint64_t>, Life> lives_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> defects(const History& history) {
  Judge judge;
  for (const FrameEvent& event : history) judge.hear(event);
  return judge.end();
}

size_t count(const History& history, FrameEvent::Kind kind, Time from) {
  return static_cast<size_t>(std::count_if(
      history.begin(), history.end(),
      [&](const FrameEvent& event) { return event.kind == kind && event.at >= from; }));
}

}  // namespace shingle::sim
