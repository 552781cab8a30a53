// FaultInjector: injects faults before the calm, drawn from a seed. All are repaired when the calm
// begins, except those that last for ever.
//
//   machines   crash and return as a new life, alone or many at once; lose power, so that no
//              connection reports it; hang; slow down; their executor fails or stalls; no further
//              plan fits their memory; start with another version of the wire format
//   wires      are cut; are reset, for both sides or for one (messages in flight are lost); carry
//              a corrupted piece (which resets them); are clogged in one direction or both; are cut
//              between two halves of the cluster
//   tiles      one machine computes some tiles wrongly, or some borrowed ones; in few seeds. Frames
//              may then be wrong, but they still end, and no other machine is blamed
//   weights    of one machine change in memory; in few seeds. Frames may be wrong until it notices,
//              but none from the calm on
//   tangled    a wire does what TCP never does: messages come twice, out of order, or from a
//              connection that has ended; in few seeds, because little can be promised meanwhile
//   for ever   some machines stay dead, hung, unable to compute or short of memory, and some wires
//              stay cut; in a third of the seeds. One machine is spared
//   lies       of one member, for ever; in few seeds. They may cost it its own frames, and all
//              others time
//
// It records what it has hit, and when. No frame may be given up while a machine that has not been
// hit for a while is within reach of the frame's owner.
#pragma once

#include "sim/cluster.hpp"

namespace shingle::swarm {

inline constexpr Time calm = Time{} + std::chrono::seconds(3);
// From here on nothing may fail: silences have been noticed, sessions stand again.
inline constexpr Time settled = calm + std::chrono::seconds(10);

class FaultInjector {
 public:
  FaultInjector(sim::VirtualCluster& cluster, size_t machines, sim::Random& random)
      : cluster_(cluster), machines_(machines), random_(random) {}

  void strike(bool later_faults);
  void tangle();                   // a wire
  void spoil(bool borrowed_only);  // some of one machine's tiles
  void damage_weights();           // of one machine, which finds it itself and packs them again
  // For ever; the spared one is left alone.
  void abandon_some(sim::Random& random);
  void have_one_lie(sim::Random& random);
  void mend_all();  // restarts may meet wires that were cut meanwhile, and the other way round

  bool spoils() const { return spoiler_.has_value(); }
  bool has_spoilt(NodeId node) const;  // tiles, or its weights were damaged

  std::optional<NodeId> liar() const { return liar_; }
  bool errs_for_ever() const { return spoils() || liar_.has_value(); }
  size_t machines() const { return machines_; }
  bool starts_anew(NodeId node) const { return started_anew_.contains(node); }
  bool abandons() const { return abandons_; }

  // A node was lost by its silence alone. On wires with loss that is one more fault: a segment
  // that is lost twice comes later than peers wait.
  void note_silence(Time at) { silences_.push_back(at); }

  // May a frame have been given up with these words?
  bool excuses(const std::string& sentence) const;
  // Have its attempts been used up by as many faults?
  bool wore_out(const std::string& sentence, Time captured, Time ended) const;
  // Was there a healthy core: somebody who was well all the time (two where somebody spoils
  // results, to outvote it), in the owner's reach, and in each other's?
  bool had_help(NodeId owner, Time captured, Time ended) const;

  // True if the sentence says that a home was never ready for the plan, and some machine or wire
  // was hit. An owner that plans for machines which are away, or cannot reach each other, is
  // told so; that is no violation.
  bool was_never_ready(const std::string& sentence, Time ended) const;

  std::vector<std::string> story() const;  // what was hit and when, for people

 private:
  using Fault = void (FaultInjector::*)();

  struct Hit {
    Time from{}, until{};
    NodeId node;
    std::optional<NodeId> other{};  // the wire between the two, else the machine
    const char* what = "";
    bool of_plans = false;  // the machine can take no plan, not even as an owner
  };
  void hit(const char* what, bool of_plans = false) {
    hits_.push_back({at_, until_, victim_, {}, what, of_plans});
  }
  void hit_wire(const char* what, NodeId a, NodeId b) {
    hits_.push_back({at_, until_, a, b, what, false});
  }
  bool was_hit(NodeId node, NodeId owner, Time from, Time until) const;

  NodeId any() { return NodeId{static_cast<uint32_t>(random_.next() % machines_)}; }
  void draw_times();
  void restart(Time at, NodeId node);
  void crash();
  void lose_power();
  void storm();
  void hang();
  void slow();
  void break_executor();
  void stall();
  void squeeze();
  void skew();
  void cut();
  void reset();
  void half_open();
  void corrupt();
  void clog();
  void clog_both_ways();
  void split();
  void part(NodeId a, NodeId b);
  void abandon(int32_t kind);

  sim::VirtualCluster& cluster_;
  size_t machines_;
  sim::Random& random_;
  NodeId victim_, other_;
  Time at_{}, until_{};
  std::optional<NodeId> spoiler_, damaged_, liar_;
  std::set<NodeId> started_anew_, starved_;
  std::vector<Hit> hits_;
  std::vector<Time> silences_;
  bool abandons_ = false;
  bool broke_executors_ = false, stormed_ = false, squeezed_ = false, tangled_ = false;
};

}  // namespace shingle::swarm
