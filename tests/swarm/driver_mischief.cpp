#include "tests/swarm/driver_mischief.hpp"

#include <algorithm>
#include <array>

namespace shingle::swarm {

using std::chrono::milliseconds;

NodeId Mischief::any() {
  return {static_cast<uint32_t>(random_.next() % cluster_.machines().size())};
}

void Mischief::draw_times() {
  at_ = Time{} + milliseconds(random_.between(0, 1800));
  until_ = std::min(driver_calm, at_ + milliseconds(random_.between(1, 2000)));
  victim_ = any();
  const size_t machines = cluster_.machines().size();
  const size_t step = machines > 1 ? 1 + random_.next() % (machines - 1) : 0;
  other_ = {static_cast<uint32_t>((victim_.value + step) % machines)};
}

void Mischief::between(std::function<void()> first, std::function<void()> then) {
  cluster_.stage().at(at_, std::move(first));
  cluster_.stage().at(until_, std::move(then));
}

void Mischief::strike() {
  constexpr std::array deeds{&Mischief::kill,
                             &Mischief::kill,
                             &Mischief::cut_power,
                             &Mischief::freeze,
                             &Mischief::starve,
                             &Mischief::slow,
                             &Mischief::stall,
                             &Mischief::break_executor,
                             &Mischief::damage_weights,
                             &Mischief::pack_slowly,
                             &Mischief::pack_slowly,
                             &Mischief::hang_packing,
                             &Mischief::refuse_to_pack,
                             &Mischief::take_memory,
                             &Mischief::squeeze,
                             &Mischief::lose_models,
                             &Mischief::cut,
                             &Mischief::deafen,
                             &Mischief::reset,
                             &Mischief::corrupt,
                             &Mischief::narrow};
  draw_times();
  ++strikes_;
  const Deed deed = deeds[random_.next() % deeds.size()];
  const bool of_wires = deed == &Mischief::cut || deed == &Mischief::deafen ||
                        deed == &Mischief::reset || deed == &Mischief::corrupt ||
                        deed == &Mischief::narrow;
  if (of_wires && victim_ == other_) return kill();
  (this->*deed)();
}

// --- processes ---

void Mischief::kill() {
  between([this, id = victim_] { cluster_.stop(id, false); },
          [this, id = victim_] { cluster_.start(id); });
}

void Mischief::cut_power() {
  between([this, id = victim_] { cluster_.stop(id, true); },
          [this, id = victim_] { cluster_.start(id); });
}

void Mischief::freeze() {
  between(
      [this, id = victim_] {
        if (const auto& life = cluster_.machine(id).life) life->freeze();
      },
      [this, id = victim_] {
        if (const auto& life = cluster_.machine(id).life) life->thaw();
      });
}

void Mischief::starve() {
  cluster_.stage().at(at_, [this, id = victim_, length = until_ - at_] {
    if (const auto& life = cluster_.machine(id).life) life->starve(length);
  });
}

// --- slots and loaders ---

void Mischief::hurt(bool Nature::*flag) {
  auto& machine = cluster_.machine(victim_);
  machine.was_hurt = true;
  between([&machine, flag] { machine.nature.*flag = true; },
          [&machine, flag] { machine.nature.*flag = false; });
}

void Mischief::slow() {
  auto& machine = cluster_.machine(victim_);
  machine.was_hurt = true;
  const double factor = random_.between(2, 20);
  between([&machine, factor] { machine.nature.slowness = factor; },
          [&machine] { machine.nature.slowness = 1.0; });
}

void Mischief::stall() { hurt(&Nature::stalls); }

void Mischief::break_executor() {
  resources_ = true;
  hurt(&Nature::breaks);
}

void Mischief::damage_weights() { hurt(&Nature::damages_weights); }

// A machine that packs is well: nobody may take it for one that hangs.
void Mischief::pack_slowly() {
  auto& machine = cluster_.machine(victim_);
  const milliseconds takes(random_.between(10, 400));
  between([&machine, takes] { machine.nature.packing_per_tile = takes; },
          [&machine, usual = machine.nature.packing_per_tile] {
            machine.nature.packing_per_tile = usual;
          });
}

void Mischief::hang_packing() { hurt(&Nature::packing_hangs); }

void Mischief::refuse_to_pack() {
  resources_ = true;
  hurt(&Nature::cannot_pack);
}

void Mischief::take_memory() {
  resources_ = true;
  hurt(&Nature::has_no_memory);
}

void Mischief::squeeze() {
  resources_ = true;
  hurt(&Nature::may_hold_no_more);
}

void Mischief::lose_models() {
  resources_ = true;
  hurt(&Nature::has_lost_its_models);
}

// --- wires ---

void Mischief::cut() {
  deafen();
  std::swap(victim_, other_);
  deafen();
}

void Mischief::deafen() {
  between([this, from = victim_, to = other_] { cluster_.wires().block(from, to); },
          [this, from = victim_, to = other_] { cluster_.wires().unblock(from, to); });
}

void Mischief::reset() {
  cluster_.stage().at(at_, [this, a = victim_, b = other_] { cluster_.wires().reset(a, b); });
}

void Mischief::corrupt() {
  cluster_.stage().at(at_, [this, a = victim_, b = other_] { cluster_.wires().corrupt(a, b); });
}

void Mischief::narrow() {
  const auto room = static_cast<size_t>(random_.between(1, 30));
  between([this, a = victim_, b = other_, room] { cluster_.wires().narrow(a, b, room); },
          [this, a = victim_, b = other_] { cluster_.wires().narrow(a, b, 0); });
}

// --- for ever, and the end of it ---

void Mischief::strike_for_ever() {
  const size_t machines = cluster_.machines().size();
  std::vector<NodeId> idle;  // own nothing
  for (const auto& machine : cluster_.machines())
    if (!machine->spec.stream) idle.push_back(machine->spec.node.id);
  const auto most = static_cast<int32_t>(std::max<size_t>(1, idle.size() / 2));
  for (int32_t left = random_.between(1, most); left > 0 && idle.size() > 1; --left) {
    const size_t place = random_.next() % idle.size();
    const NodeId victim = idle[place];
    idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(place));
    const auto how = random_.next() % 4;
    ++strikes_;
    // Its streams have begun by then.
    cluster_.stage().at(Time{} + milliseconds(random_.between(1000, 2000)), [=, this] {
      const auto& life = cluster_.machine(victim).life;
      if (how < 2) return cluster_.stop(victim, how == 1);
      if (how == 2) return life->freeze();
      for (uint32_t peer = 0; peer < machines; ++peer)
        if (peer != victim.value) {
          cluster_.wires().block(victim, {peer});
          cluster_.wires().block({peer}, victim);
        }
    });
  }
}

void Mischief::mend_all() {
  cluster_.stage().at(driver_calm + milliseconds(2), [this] {
    for (const auto& machine : cluster_.machines()) {
      if (machine->life) machine->life->thaw();
      cluster_.start(machine->spec.node.id);
    }
  });
}

bool Mischief::excuses(const std::string& sentence) const {
  const auto says = [&](const char* words) { return sentence.find(words) != std::string::npos; };
  return resources_ || says("was not proposed here");
}

}  // namespace shingle::swarm
