#include "tests/swarm/judge.hpp"

#include <map>

namespace shingle::swarm {

namespace {

using sim::FrameEvent;

class Judge {
 public:
  Judge(const sim::VirtualCluster& cluster, const FaultInjector& injector, Verdict& verdict)
      : cluster_(cluster), injector_(injector), verdict_(verdict), history_(cluster.history()) {
    bury_those_who_hang();
    for (const FrameEvent& event : history_)
      if (event.kind == FrameEvent::Kind::captured) captured_[event.key] = event.at;
  }

  void of_frames() {
    for (std::string& defect : sim::defects(history_)) say(std::move(defect));
    for (const FrameEvent& event : history_)
      if (event.kind == FrameEvent::Kind::aborted && injector_.liar() != event.key.owner)
        of_abort(event);
  }

  void of_rest(bool at_rest) {
    if (!at_rest) {
      say("the cluster did not come to rest" + who_is_busy());
      of_unended();
    }
    if (at_rest && cluster_.canvases_left() > 0)
      say(std::to_string(cluster_.canvases_left()) + " canvases were left lying");
  }

  void of_unended() {
    const size_t frames = unended();
    if (frames > 0)
      say(std::to_string(frames) + " frames do not end, although somebody could compute them");
    verdict_.core_liveness_violations += frames;
  }

  size_t unended() const {
    std::map<FrameKey, bool> ended;
    for (const FrameEvent& event : history_) {
      if (event.kind != FrameEvent::Kind::owner_died)
        ended[event.key] |= event.kind != FrameEvent::Kind::captured;
      else
        std::erase_if(ended, [&](const auto& frame) {
          return frame.first.owner == event.key.owner && frame.first.life == event.key.life;
        });
    }
    size_t count = 0;
    for (const auto& [key, over] : ended) {
      const bool alive = cluster_.is_up(key.owner) && !cluster_.hangs(key.owner);
      count += !over && alive && injector_.liar() != key.owner &&
                       injector_.had_help(key.owner, captured_.at(key), cluster_.now())
                   ? 1
                   : 0;
    }
    return count;
  }

 private:
  // An owner that hangs for ever counts as dead: nobody can report the ends of its frames.
  void bury_those_who_hang() {
    std::map<NodeId, uint64_t> lives;
    for (const FrameEvent& event : history_)
      if (event.kind == FrameEvent::Kind::captured) lives[event.key.owner] = event.key.life;
    for (const auto& [owner, life] : lives)
      if (cluster_.hangs(owner))
        history_.push_back({cluster_.now(), FrameEvent::Kind::owner_died, {owner, life, 0}});
  }

  void of_abort(const FrameEvent& event) {
    if (event.sentence.find("was not proposed here") != std::string::npos) return;
    if (injector_.was_never_ready(event.sentence, event.at)) {
      ++verdict_.never_ready;
      return;
    }
    const Time captured = captured_[event.key];
    const bool excused = injector_.excuses(event.sentence);
    const bool helpless = !injector_.had_help(event.key.owner, captured, event.at) ||
                          injector_.wore_out(event.sentence, captured, event.at);
    if (excused && helpless) return;
    say("a frame was given up: " + event.sentence +
        (helpless ? "" : " (somebody was left to compute it)"));
    verdict_.core_liveness_violations += helpless ? 0 : 1;
  }

  std::string who_is_busy() const {
    std::string nodes;
    for (uint32_t id = 0; id < injector_.machines(); ++id)
      if (cluster_.is_up({id}) && !cluster_.hangs({id}) && !cluster_.node({id}).idle())
        nodes += (nodes.empty() ? ": node " : ", node ") + std::to_string(id) + " is busy";
    return nodes;
  }

  void say(std::string sentence) { verdict_.violations.push_back(std::move(sentence)); }

  const sim::VirtualCluster& cluster_;
  const FaultInjector& injector_;
  Verdict& verdict_;
  sim::History history_;
  std::map<FrameKey, Time> captured_;
};

}  // namespace

size_t unended(const sim::VirtualCluster& cluster, const FaultInjector& injector) {
  Verdict nothing_is_said;
  return Judge(cluster, injector, nothing_is_said).unended();
}

void judge_unended(const sim::VirtualCluster& cluster, const FaultInjector& injector,
                   Verdict& verdict) {
  Judge(cluster, injector, verdict).of_unended();
}

void judge(const sim::VirtualCluster& cluster, bool at_rest, const FaultInjector& injector,
           Verdict& verdict) {
  for (const std::string& breach : cluster.breaches()) verdict.violations.push_back(breach);
  Judge judge(cluster, injector, verdict);
  judge.of_frames();
  judge.of_rest(at_rest);
}

}  // namespace shingle::swarm
