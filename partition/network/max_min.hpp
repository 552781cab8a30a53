// MaxMin: how flows share resources. Rates are max-min fair: no flow can get more unless another
// one that has no more than it gets less. All rates rise together; a flow stops rising when a
// resource that it takes is full, or at its own limit.
//
//   full resource: each of its flows is at its level, or is held lower elsewhere
//     flow a ######|            a, b: level of resource 1
//     flow b ######|
//     flow c ###|               c: held by resource 2
//
// A change is worked out from where it happens: the flows that it concerns are solved beside the
// others, whose rates are kept. A kept flow joins them if it is faster than a level, or if the
// resource that held it is not full any more or lets another flow go faster. So the cost does not
// grow with flows elsewhere. (Bertsekas, Gallager: Data Networks, 6.5.2.)
//
// Acknowledgements take a share of the other direction. They come first and hold no flow back; the
// flows of that direction share the rest.
#pragma once

#include <limits>
#include <vector>

#include "partition/network/topology.hpp"

namespace shingle {

class MaxMin {
 public:
  using Flow = uint32_t;
  static constexpr double no_limit = std::numeric_limits<double>::infinity();

  explicit MaxMin(
      const std::vector<double>& capacities);  // by resource; bytes per second, positive

  // A flow that is idle as yet. REQUIRES: at least one use; weights positive.
  Flow add_flow(const std::vector<ResourceUse>& uses,
                const std::vector<ResourceUse>& acknowledgements);
  void start(Flow flow, double limit = no_limit);  // REQUIRES: it is idle; limit > 0
  void stop(Flow flow);                            // REQUIRES: it is active
  void set_limit(Flow flow, double limit);         // REQUIRES: it is active; limit > 0
  void set_capacity(uint32_t resource, double bytes_per_second);  // REQUIRES: positive

  bool is_active(Flow flow) const { return flows_[flow].active; }
  bool changed() const {  // anything since the last solve()
    return !concerned_.empty() || !acknowledged_.empty();
  }
  // Works out the new rates and returns the flows whose rate changed, valid until the next call.
  const std::vector<Flow>& solve();
  double rate(Flow flow) const { return flows_[flow].rate; }
  // Whether a resource after its first one is what holds it back, as of the last solve().
  bool is_held_later(Flow flow) const {
    const FlowState& state = flows_[flow];
    return state.held_by != none && state.held_by != uses_[state.uses].resource;
  }
  // visit(flow): those that the resource holds back, as of the last solve().
  template <class Visit>
  void each_held(uint32_t resource, Visit visit) const {
    for (const Member& member : resources_[resource].members)
      if (member.is_held) visit(Flow{member.flow});
  }
  // visit(resource, weight): of the data, of the acknowledgements.
  template <class Visit>
  void each_resource(Flow flow, Visit visit) const {
    for (uint32_t i = flows_[flow].uses; i < flows_[flow].acknowledgements; ++i)
      visit(uses_[i].resource, uses_[i].weight);
  }
  template <class Visit>
  void each_acknowledged(Flow flow, Visit visit) const {
    for (uint32_t i = flows_[flow].acknowledgements; i < flows_[flow].end; ++i)
      visit(uses_[i].resource, uses_[i].weight);
  }
  // The part of it that data takes of what acknowledgements leave, as of the last solve().
  double used_part(uint32_t resource) const;
  double capacity(uint32_t resource) const { return resources_[resource].capacity; }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  struct Use {  // of a flow; those of data name their place in the resource's list
    uint32_t resource = 0, place = none;
    double weight = 0.0;
  };
  struct FlowState {
    uint32_t uses = 0, acknowledgements = 0, end = 0;  // ranges of uses_
    bool active = false, listed = false;
    bool rising = false;      // while solving
    uint32_t held_by = none;  // a full resource; none: its own limit
    double limit = no_limit, rate = 0.0;
    double next_rate = 0.0;  // while solving
  };
  struct Member {  // an active flow that takes a resource
    double weight = 0.0, rate = 0.0;
    uint32_t flow = 0, use = 0;
    bool is_held = false;  // by this resource
  };
  struct Resource {
    std::vector<Member> members;
    double capacity = 0.0;
    double acknowledging = 0.0;         // bytes per second
    double acknowledging_solved = 0.0;  // likewise, when its flows were solved
    uint32_t acknowledgers = 0;
    uint32_t share = none;      // while solving: its index
    bool acknowledged = false;  // listed
  };
  struct Share {  // of a resource, while solving: what the concerned flows take
    uint32_t resource = 0;
    uint32_t flows = 0, rising = 0;
    double room = 0.0, left = 0.0;  // beside the other flows; for rising flows
    double weights = 0.0, rising_weights = 0.0;
    double level = no_limit;  // where it became full
    double fastest = 0.0;
    bool is_stale = true;  // the room is not known
  };

  void link(uint32_t use, Flow flow);
  void unlink(uint32_t use);
  void concern(Flow flow);
  void concern_all(uint32_t resource);
  bool concern_held_by(uint32_t resource);  // false: there are none
  bool is_overloaded(const Resource& resource) const;
  double for_data(const Resource& resource) const;
  void prepare();
  void take_share(const Use& use);
  void measure_room(Share& share) const;
  void fill();
  void freeze_limited(double level);
  void freeze(Flow flow, double rate, uint32_t held_by);
  bool join_others();
  void settle();
  void follow_acknowledgements();
  void acknowledge(const FlowState& flow, double more);
  void forget_idle();

  std::vector<FlowState> flows_;
  std::vector<Use> uses_;
  std::vector<Resource> resources_;
  std::vector<Flow> concerned_;        // to be solved
  std::vector<uint8_t> is_concerned_;  // by flow
  std::vector<Flow> changed_;
  std::vector<Share> shares_;
  size_t prepared_ = 0;                 // so many of the concerned flows have shares
  size_t rising_ = 0;                   // so many of them rise
  std::vector<uint32_t> acknowledged_;  // resources whose acknowledgements changed
};

}  // namespace shingle
