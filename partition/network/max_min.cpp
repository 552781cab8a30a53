#include "partition/network/max_min.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr double rounding = 1e-9;  // relative; rates that differ by less are equal
// Acknowledgements change the rates of flows, and these change acknowledgements. A change of less
// than this part of the capacity is not followed further.
constexpr double unnoticed = 1e-4;
constexpr int most_rounds = 32;  // each makes the change smaller by the share of acknowledgements
// However many acknowledgements there are, this part of a resource is left for data.
constexpr double least_for_data = 0.1;

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities) : resources_(capacities.size()) {
  for (size_t i = 0; i < capacities.size(); ++i) {
    assert(capacities[i] > 0.0);
    resources_[i].capacity = capacities[i];
  }
}

MaxMin::Flow MaxMin::add_flow(const std::vector<ResourceUse>& uses,
                              const std::vector<ResourceUse>& acknowledgements) {
  assert(!uses.empty());
  const auto id = static_cast<Flow>(flows_.size());
  FlowState flow;
  const auto add = [&](const ResourceUse& use) {
    assert(use.weight > 0.0 && use.resource < resources_.size());
    uses_.push_back({.resource = use.resource, .weight = use.weight});
  };
  flow.uses = static_cast<uint32_t>(uses_.size());
  for (const ResourceUse& use : uses) add(use);
  flow.acknowledgements = static_cast<uint32_t>(uses_.size());
  for (const ResourceUse& use : acknowledgements) add(use);
  flow.end = static_cast<uint32_t>(uses_.size());
  flows_.push_back(flow);
  is_concerned_.push_back(0);
  return id;
}

void MaxMin::start(Flow id, double limit) {
  FlowState& flow = flows_[id];
  assert(!flow.active && limit > 0.0);
  flow.active = true;
  flow.limit = limit;
  flow.held_by = none;
  for (uint32_t use = flow.uses; use < flow.acknowledgements; ++use) {
    concern_held_by(uses_[use].resource);  // it is full
    link(use, id);
  }
  for (uint32_t use = flow.acknowledgements; use < flow.end; ++use)
    ++resources_[uses_[use].resource].acknowledgers;
  concern(id);
}

void MaxMin::stop(Flow id) {
  FlowState& flow = flows_[id];
  assert(flow.active);
  acknowledge(flow, -flow.rate);
  for (uint32_t use = flow.acknowledgements; use < flow.end; ++use) {
    Resource& resource = resources_[uses_[use].resource];
    if (--resource.acknowledgers == 0) resource.acknowledging = 0.0;  // without rounding errors
  }
  flow.active = false;
  flow.rate = 0.0;
  for (uint32_t use = flow.uses; use < flow.acknowledgements; ++use) {
    unlink(use);
    concern_held_by(uses_[use].resource);
  }
}

void MaxMin::set_limit(Flow id, double limit) {
  assert(flows_[id].active && limit > 0.0);
  flows_[id].limit = limit;
  concern(id);
}

void MaxMin::set_capacity(uint32_t resource, double bytes_per_second) {
  assert(bytes_per_second > 0.0);
  if (resources_[resource].capacity == bytes_per_second) return;
  resources_[resource].capacity = bytes_per_second;
  concern_all(resource);
}

const std::vector<MaxMin::Flow>& MaxMin::solve() {
  for (const Flow flow : changed_) flows_[flow].listed = false;
  changed_.clear();
  forget_idle();
  for (int round = 0; changed() && round < most_rounds; ++round) {
    do {
      prepare();
      fill();
    } while (join_others());
    settle();
  }
  return changed_;
}

// --- the flows that a change concerns ---

void MaxMin::link(uint32_t use, Flow flow) {
  std::vector<Member>& members = resources_[uses_[use].resource].members;
  uses_[use].place = static_cast<uint32_t>(members.size());
  members.push_back({.weight = uses_[use].weight, .flow = flow, .use = use});
}

void MaxMin::unlink(uint32_t use) {
  std::vector<Member>& members = resources_[uses_[use].resource].members;
  const uint32_t place = uses_[use].place;
  members[place] = members.back();
  uses_[members[place].use].place = place;
  members.pop_back();
}

void MaxMin::concern(Flow flow) {
  if (is_concerned_[flow] != 0) return;
  is_concerned_[flow] = 1;
  concerned_.push_back(flow);
}

void MaxMin::concern_all(uint32_t resource) {
  for (const Member& member : resources_[resource].members) concern(member.flow);
}

bool MaxMin::concern_held_by(uint32_t resource) {
  bool any = false;
  for (const Member& member : resources_[resource].members) {
    if (!member.is_held) continue;
    concern(member.flow);
    any = true;
  }
  return any;
}

bool MaxMin::is_overloaded(const Resource& resource) const {
  double left = for_data(resource);
  for (const Member& member : resource.members) left -= member.weight * member.rate;
  return left < 0.0;
}

// What data may take of it.
double MaxMin::for_data(const Resource& resource) const {
  return std::max(resource.capacity - resource.acknowledging, resource.capacity * least_for_data);
}

double MaxMin::used_part(uint32_t resource) const {
  double used = 0.0;
  for (const Member& member : resources_[resource].members) used += member.weight * member.rate;
  return used / for_data(resources_[resource]);
}

void MaxMin::forget_idle() {
  std::erase_if(concerned_, [this](Flow flow) {
    if (flows_[flow].active) return false;
    is_concerned_[flow] = 0;
    return true;
  });
}

// --- one solution ---

// What the resources of the concerned flows have left beside all others.
void MaxMin::prepare() {
  for (; prepared_ < concerned_.size(); ++prepared_) {
    const FlowState& flow = flows_[concerned_[prepared_]];
    for (uint32_t i = flow.uses; i < flow.acknowledgements; ++i) take_share(uses_[i]);
  }
  for (Share& share : shares_) {
    if (share.is_stale) measure_room(share);
    share.left = share.room;
    share.rising = share.flows;
    share.rising_weights = share.weights;
    share.level = no_limit;
    share.fastest = 0.0;
  }
  for (const Flow id : concerned_) flows_[id].rising = true;
  rising_ = concerned_.size();
}

void MaxMin::take_share(const Use& use) {
  Resource& resource = resources_[use.resource];
  if (resource.share == none) {
    resource.share = static_cast<uint32_t>(shares_.size());
    resource.acknowledging_solved = resource.acknowledging;
    shares_.push_back({.resource = use.resource});
  }
  Share& share = shares_[resource.share];
  share.is_stale = true;
  share.weights += use.weight;
  ++share.flows;
}

void MaxMin::measure_room(Share& share) const {
  const Resource& resource = resources_[share.resource];
  share.room = for_data(resource);
  if (share.flows < resource.members.size()) {
    for (const Member& member : resource.members)
      if (is_concerned_[member.flow] == 0) share.room -= member.weight * member.rate;
    share.room = std::max(share.room, 0.0);
  }
  share.is_stale = false;
}

// All rise until the first resource is full or the first limit is reached, and so on.
void MaxMin::fill() {
  double least_limit = no_limit;
  const auto find_least_limit = [&] {
    least_limit = no_limit;
    for (const Flow id : concerned_)
      if (flows_[id].rising) least_limit = std::min(least_limit, flows_[id].limit);
  };
  find_least_limit();
  while (rising_ > 0) {
    double level = no_limit;
    Share* full = nullptr;
    for (Share& share : shares_) {
      if (share.rising == 0 || share.left >= level * share.rising_weights) continue;
      level = share.left / share.rising_weights;
      full = &share;
    }
    if (least_limit <= level) {
      freeze_limited(least_limit);
      find_least_limit();
      continue;
    }
    full->level = level;
    for (const Member& member : resources_[full->resource].members)
      if (flows_[member.flow].rising) freeze(member.flow, level, full->resource);
  }
}

void MaxMin::freeze_limited(double level) {
  for (const Flow id : concerned_)
    if (flows_[id].rising && flows_[id].limit <= level) freeze(id, level, none);
}

void MaxMin::freeze(Flow id, double rate, uint32_t held_by) {
  FlowState& flow = flows_[id];
  flow.rising = false;
  --rising_;
  flow.next_rate = rate;
  flow.held_by = held_by;
  for (uint32_t i = flow.uses; i < flow.acknowledgements; ++i) {
    Share& share = shares_[resources_[uses_[i].resource].share];
    share.left = std::max(0.0, share.left - uses_[i].weight * rate);
    share.rising_weights -= uses_[i].weight;
    --share.rising;
    share.fastest = std::max(share.fastest, rate);
  }
}

// Kept flows that the solution concerns after all. False: there are none.
bool MaxMin::join_others() {
  for (const Share& share : shares_) {
    const Resource& resource = resources_[share.resource];
    if (share.flows == resource.members.size()) continue;
    const bool full = share.left <= rounding * resource.capacity;
    for (const Member& other : resource.members) {
      if (is_concerned_[other.flow] != 0) continue;
      const double most = other.rate * (1.0 + rounding);
      const bool is_too_fast = other.rate > share.level * (1.0 + rounding);
      const bool is_free = other.is_held && (!full || share.fastest > most);
      if (is_too_fast || is_free) concern(other.flow);
    }
  }
  return prepared_ < concerned_.size();
}

// The new rates hold. What they change elsewhere through their acknowledgements is solved next.
void MaxMin::settle() {
  for (const Share& share : shares_) resources_[share.resource].share = none;
  shares_.clear();
  prepared_ = 0;
  for (const Flow id : concerned_) {
    FlowState& flow = flows_[id];
    is_concerned_[id] = 0;
    const double change = flow.next_rate - flow.rate;
    const bool is_new = std::abs(change) > rounding * flow.next_rate;
    if (is_new) {
      acknowledge(flow, change);
      flow.rate = flow.next_rate;
    }
    for (uint32_t i = flow.uses; i < flow.acknowledgements; ++i) {
      Member& member = resources_[uses_[i].resource].members[uses_[i].place];
      member.rate = flow.rate;
      member.is_held = flow.held_by == uses_[i].resource;
    }
    if (!is_new || flow.listed) continue;
    flow.listed = true;
    changed_.push_back(id);
  }
  concerned_.clear();
  follow_acknowledgements();
}

void MaxMin::follow_acknowledgements() {
  for (const uint32_t id : acknowledged_) {
    Resource& resource = resources_[id];
    resource.acknowledged = false;
    const double change = std::abs(resource.acknowledging - resource.acknowledging_solved);
    if (change <= unnoticed * resource.capacity) continue;
    if (!concern_held_by(id) && is_overloaded(resource)) concern_all(id);
  }
  acknowledged_.clear();
}

void MaxMin::acknowledge(const FlowState& flow, double more) {
  for (uint32_t i = flow.acknowledgements; i < flow.end; ++i) {
    Resource& resource = resources_[uses_[i].resource];
    resource.acknowledging += uses_[i].weight * more;
    if (resource.acknowledged || resource.members.empty()) continue;
    resource.acknowledged = true;
    acknowledged_.push_back(uses_[i].resource);
  }
}

}  // namespace shingle
