// Strips cut for threads: whatever the threads' luck, nobody reads what is not there, or writes
// over what is still read.
#include "devices/pass/pass_pieces.hpp"

#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "tests/devices/pass/tagged_arena.hpp"
#include "tests/devices/tile_runs.hpp"

namespace shingle::tests {

namespace {

using networks::Random;

Span nth(Span span, int32_t count, int32_t index) {
  return {span.begin + span.size() * index / count, span.begin + span.size() * (index + 1) / count};
}

// By rows, by columns or by channels.
std::vector<LayerPart> random_parts(Random& random, const Region& region) {
  const int32_t along = random.between(0, 2), count = random.between(1, 5);
  std::vector<LayerPart> parts;
  for (int32_t i = 0; i < count; ++i) {
    LayerPart part{.region = region, .written = region};
    Region& cut = along == 2 ? part.written : part.region;
    Span& span = along == 0 ? cut.y : along == 1 ? cut.x : cut.c;
    span = nth(span, count, i);
    if (along != 2) part.written = part.region;
    if (!part.written.empty()) parts.push_back(part);
  }
  return parts;
}

// Chains of any length: work is worth sharing now and then.
CutForThreads random_cut(Random& random) {
  const int64_t each = random.chance(0.5) ? 1'000'000 : 1'000;
  return {
      .threads = random.between(2, 4),
      .parts = [&](const PassStep&, const Region& region) { return random_parts(random, region); },
      .divides = [](const PassStep& step, const Region&) { return !step.pool; },
      .operations = [each](const PassStep&, const Region&) { return each; }};
}

// Plays a pass with some threads: whenever several could do something, a throw of dice says who.
class Play {
 public:
  Play(const Model& model, const TilePass& pass, const PassPieces& pieces, Random& random)
      : model_(model), pass_(pass), pieces_(pieces), random_(random), arena_(model, pass) {}

  void run() {
    for (const PassStrip& strip : pass_.strips)
      REQUIRE(strip.held == read_in_strip(model_, pass_.steps[strip.step], 0, strip.rows));
    size_t next_strip = 0;
    for (const PassStretch& stretch : pieces_.stretches) {
      REQUIRE(stretch.first_strip == next_strip);
      next_strip = stretch.last_strip + 1;
      if (stretch.pieces == 0) {
        run_strip(stretch.first_strip);
      } else {
        run_stretch(stretch);
      }
    }
    CHECK(next_strip == pass_.strips.size());
  }

  size_t most_at_once() const { return most_at_once_; }
  size_t calls_in_chains() const { return calls_in_chains_; }

 private:
  struct Running {
    size_t piece = 0;  // of the stretch
    uint32_t call = 0;
  };

  const PassStep& step_of(const PassCall& call) const {
    return pass_.steps[pass_.strips[call.strip].step];
  }

  void run_strip(size_t index) {
    const PassStrip& strip = pass_.strips[index];
    const PassStep& step = pass_.steps[strip.step];
    arena_.look_at(step, pieces_.first_rows(index), TaggedArena::Time::before);
    arena_.move(strip);
    arena_.must_hold_inputs(strip);
    arena_.write(step.output, with_rows(step.region, strip.rows));
    arena_.must_hold_inputs(strip);
  }

  void run_stretch(const PassStretch& stretch) {
    const auto threads = static_cast<size_t>(random_.between(1, 4));
    std::vector<bool> ended(stretch.pieces, false);
    std::vector<Running> running;
    size_t next = 0, all_before = 0;
    while (next < stretch.pieces || !running.empty()) {
      while (all_before < stretch.pieces && ended[all_before]) ++all_before;
      const bool may_begin = next < stretch.pieces && running.size() < threads &&
                             pieces_.pieces[stretch.first_piece + next].after <= all_before;
      REQUIRE((may_begin || !running.empty()));
      if (may_begin && (running.empty() || random_.chance(0.6))) {
        running.push_back({.piece = next++});
        begin(call_of(stretch, running.back()), next);
        most_at_once_ = std::max(most_at_once_, running.size());
      } else {
        const auto who = running.begin() + static_cast<std::ptrdiff_t>(random_.between(
                                               0, static_cast<int32_t>(running.size()) - 1));
        if (go_on(stretch, *who)) continue;
        ended[who->piece] = true;
        running.erase(who);
      }
    }
  }

  const PassCall& call_of(const PassStretch& stretch, const Running& running) const {
    return pieces_
        .calls[pieces_.pieces[stretch.first_piece + running.piece].first_call + running.call];
  }

  // Ends what the piece is at, and begins what comes next in it; false if that was all.
  bool go_on(const PassStretch& stretch, Running& running) {
    end(call_of(stretch, running), running.piece + 1);
    if (++running.call == pieces_.pieces[stretch.first_piece + running.piece].calls) return false;
    ++calls_in_chains_;
    begin(call_of(stretch, running), running.piece + 1);
    return true;
  }

  void begin(const PassCall& call, size_t writer) {
    const PassStep& step = step_of(call);
    const bool moves = call.kind == PassCall::Kind::move;
    arena_.look_at(step, pieces_.first_rows(call.strip),
                   moves ? TaggedArena::Time::before : TaggedArena::Time::after);
    switch (call.kind) {
      case PassCall::Kind::move:
        return arena_.move(pass_.strips[call.strip]);
      case PassCall::Kind::keep:
        return arena_.write(*step.kept, kept_part(call), writer);
      case PassCall::Kind::compute:
        REQUIRE(call.held == read_by(model_, step, 0, call.part.region));
        arena_.must_hold_inputs(step, call.part.region);
        return arena_.write(step.output, call.part.written, writer);
    }
  }

  void end(const PassCall& call, size_t writer) {
    const PassStep& step = step_of(call);
    arena_.look_at(step, pieces_.first_rows(call.strip));
    if (call.kind == PassCall::Kind::keep) {
      arena_.must_hold(*step.kept, kept_part(call), writer);
      arena_.write(*step.kept, kept_part(call));
    } else if (call.kind == PassCall::Kind::compute) {
      arena_.must_hold_inputs(step, call.part.region);
      arena_.must_hold(step.output, call.part.written, writer);
      arena_.write(step.output, call.part.written);
    }
  }

  Region kept_part(const PassCall& call) const {
    Region part = pass_.places[*step_of(call).kept].held;
    part.c = nth(part.c, call.count, call.index);
    return part;
  }

  const Model& model_;
  const TilePass& pass_;
  const PassPieces& pieces_;
  Random& random_;
  TaggedArena arena_;
  size_t most_at_once_ = 0, calls_in_chains_ = 0;
};

}  // namespace

TEST_CASE("Random networks: pieces that run at once never meet in a byte that one of them writes") {
  size_t most_at_once = 0, calls_in_chains = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Model model = networks::random_model(random);
    const TileProgram program =
        random.chance(0.5) ? whole_program(model) : random_tile(random, model);
    const PassOptions options{.strip_pixels = random.between(8, 400)};
    const PlannedPass pass = planned_pass(model, program, options, Kernels::ours);
    const PassPieces pieces = cut_pass(model, pass, random_cut(random));
    Play play(model, pass, pieces, random);
    play.run();
    most_at_once = std::max(most_at_once, play.most_at_once());
    calls_in_chains += play.calls_in_chains();
  }
  CHECK(most_at_once == 4);
  CHECK(calls_in_chains > 300);
}

TEST_CASE("The first piece of a strip does not wait for the last one of the strip before it") {
  const Model model = networks::make("yolov2_front", 608).value();
  const PlannedPass pass = planned_pass(model, whole_program(model), in_strips(2), Kernels::ours);
  const auto in_six = [](const PassStep&, const Region& region) {
    std::vector<LayerPart> parts;
    for (int32_t i = 0; i < 6; ++i) {
      Region part = region;
      part.x = nth(region.x, 6, i);
      parts.push_back({.region = part, .written = part});
    }
    return parts;
  };
  const PassPieces pieces =
      cut_pass(model, pass,
               {.threads = 2,
                .parts = in_six,
                .divides = [](const PassStep&, const Region&) { return false; },
                .operations = [](const PassStep&, const Region&) { return int64_t{1'000'000}; }});
  REQUIRE(pieces.stretches.size() == 1);
  size_t first_ones = 0, that_need_not_wait = 0;
  for (size_t i = 6; i < pieces.pieces.size(); i += 6) {
    ++first_ones;
    that_need_not_wait += pieces.pieces[i].after < i ? 1 : 0;
  }
  CHECK(that_need_not_wait * 10 >= first_ones * 9);
}

TEST_CASE("Networks that people deploy: the same bits on any number of threads") {
  for (const std::string& name : networks::names()) {
    CAPTURE(name);
    const Model model = networks::make(name, 96).value();
    const std::vector<Map> inputs = random_inputs(model, 3);
    NativeExecutor one;
    const std::vector<Map> expected = run_whole(one, model, inputs);
    for (const int threads : {2, 5}) {
      CAPTURE(threads);
      NativeExecutor several({.threads = threads});
      const std::vector<Map> computed = run_whole(several, model, inputs);
      for (size_t i = 0; i < expected.size(); ++i)
        CHECK(differing_bytes(computed[i], expected[i]) == 0);
    }
  }
}

}  // namespace shingle::tests
