#include "devices/pass/pass_planner.hpp"

#include <algorithm>

#include "devices/pass/arena.hpp"
#include "devices/pass/pass_stages.hpp"
#include "devices/pass/strip_choice.hpp"
#include "devices/pass/strip_schedule.hpp"
#include "devices/pass/takeover.hpp"

namespace shingle {

namespace {

constexpr size_t nowhere = SIZE_MAX;

// One walk over the program; the pass grows in `pass_`.
class Planner {
 public:
  Planner(const Model& model, const TileProgram& program, const std::vector<FusedStep>& fused,
          const std::vector<LayerRunner*>& runners, const PassManner& manner)
      : model_(model),
        program_(program),
        fused_(fused),
        runners_(runners),
        manner_(manner),
        place_of_(model.tensors.size(), nowhere),
        place_again_(model.tensors.size(), nowhere) {}

  TilePass plan() {
    pass_.program = program_;
    place_inputs();
    for (size_t step = 0; step < fused_.size(); ++step) {
      if (step == manner_.again.before) {
        for (size_t second : manner_.again.steps) add_step(second, Time::second);
      }
      add_step(step, Time::first);
    }
    store_padded();
    const StripSchedule schedule = schedule_rows();
    store_rows(schedule);
    for (const ScheduledStrip& strip : schedule.strips) add_strip(strip);
    lay_out_arena();
    for (PassStep& step : pass_.steps) mark_input(step);
    return std::move(pass_);
  }

 private:
  // Whether a step is computed as it comes, or again for late readers.
  enum class Time : uint8_t { first, second };

  size_t add(TensorPlace place, Time time = Time::first) {
    (time == Time::first ? place_of_ : place_again_)[place.tensor.value] = pass_.places.size();
    pass_.places.push_back(place);
    maker_of_.push_back(nowhere);
    return pass_.places.size() - 1;
  }

  void place_inputs() {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      add({.kind = TensorPlace::Kind::input, .index = i, .tensor = program_.inputs[i].tensor});
    }
  }

  bool is_late(size_t step, TensorId tensor) const {
    return std::any_of(manner_.again.late.begin(), manner_.again.late.end(),
                       [&](const Recomputed::Reading& reading) {
                         return reading.step == step && reading.tensor == tensor;
                       });
  }

  size_t place_of_input(TensorId tensor, size_t step, Time time) {
    const size_t again = place_again_[tensor.value];
    if (again != nowhere && (time == Time::second || is_late(step, tensor))) return again;
    if (place_of_[tensor.value] != nowhere) return place_of_[tensor.value];
    const bool constant = model_.at(tensor).constant.has_value();
    return add({.kind = constant ? TensorPlace::Kind::constant : TensorPlace::Kind::absent,
                .tensor = tensor});
  }

  std::optional<size_t> program_output(TensorId tensor) const {
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.outputs[i].tensor == tensor) return i;
    }
    return std::nullopt;
  }

  void add_step(size_t index, Time time) {
    const FusedStep& fused = fused_[index];
    const Step& step = program_.steps[fused.main];
    const Step& last = program_.steps[fused.last()];
    PassStep planned{.layer = step.layer,
                     .algorithm = step.algorithm,
                     .runner = runners_[index],
                     .pool = std::nullopt,
                     .addition = std::nullopt,
                     .region = last.output,
                     .inputs = {},
                     .output = 0,
                     .kept = std::nullopt,
                     .padded = false,
                     .own_memory = false,
                     .copied_to = std::nullopt};
    for (TensorId input : model_.at(step.layer).inputs) {
      planned.inputs.push_back(place_of_input(input, index, time));
    }
    if (fused.pool) planned.pool = last.layer;
    if (fused.addition) {
      planned.addition = last.layer;
      planned.inputs.push_back(
          place_of_input(model_.at(last.layer).inputs[fused.added_input], index, time));
    }
    place_output(planned, model_.at(last.layer).output, time);
    place_kept(planned);
    maker_of_[planned.output] = pass_.steps.size();
    pass_.steps.push_back(std::move(planned));
  }

  void place_kept(PassStep& step) {
    const auto floats = static_cast<int32_t>(step.runner->kept_bytes() / int64_t{sizeof(float)});
    if (floats == 0) return;
    const Region box{{0, 1}, {0, 1}, {0, floats}};
    step.kept = pass_.places.size();
    pass_.places.push_back({.kind = TensorPlace::Kind::arena,
                            .tensor = model_.at(step.layer).inputs.back(),
                            .stored = {box, 0.0F},
                            .held = box,
                            .rows = 1,
                            .kept = true});
    maker_of_.push_back(nowhere);
  }

  void place_output(PassStep& step, TensorId tensor, Time time) {
    const std::optional<size_t> output =
        time == Time::first ? program_output(tensor) : std::optional<size_t>();
    if (output && program_.outputs[*output].region == step.region) {
      step.output = add({.kind = TensorPlace::Kind::output, .index = *output, .tensor = tensor});
      return;
    }
    step.output = add({.kind = TensorPlace::Kind::arena,
                       .tensor = tensor,
                       .stored = {step.region, 0.0F},
                       .held = step.region,
                       .rows = rows_of(step.region).size()},
                      time);
    step.copied_to = output;
  }

  // Where steps compute all rows at once, a map is stored in the largest box that a reader's runner
  // wants and that can hold all that is computed, border included; the others read it from there.
  void store_padded() {
    if (manner_.strip_pixels) return;
    for (const PassStep& step : pass_.steps) {
      TensorPlace& place = pass_.places[step.output];
      if (place.kind != TensorPlace::Kind::arena) continue;
      for (const PassStep& reader : pass_.steps) {
        if (reader.inputs[0] != step.output) continue;
        const std::optional<PaddedBox> wanted = reader.runner->input_box(reader.region);
        if (!wanted) continue;
        const Region box = hull(wanted->box, step.region);
        const bool as_wanted = box.x == wanted->box.x && box.c == wanted->box.c;
        if (as_wanted && box.elements() > place.stored.box.elements()) {
          place.stored = {box, wanted->neutral};
          place.rows = (box.*row_axis(place.held)).size();
        }
      }
    }
  }

  // --- rows ---

  // In the order of the layers: what lives together is what does layer by layer.
  StripSchedule one_after_the_other() const {
    StripSchedule schedule;
    for (size_t i = 0; i < pass_.steps.size(); ++i) {
      const Span rows = rows_of(pass_.steps[i].region);
      schedule.strips.push_back({i, rows, rows.begin});
      schedule.capacity.push_back(rows.size());
    }
    return schedule;
  }

  StripSchedule schedule_rows() {
    if (!manner_.strip_pixels) return one_after_the_other();
    std::vector<StripStep> steps;
    std::vector<std::vector<size_t>> readings(pass_.steps.size());  // by step: inputs that are made
    for (size_t i = 0; i < pass_.steps.size(); ++i) {
      const PassStep& step = pass_.steps[i];
      steps.push_back(strip_step(model_, step, manner_));
      for (size_t input = 0; input < step.inputs.size(); ++input) {
        const size_t maker = maker_of_[step.inputs[input]];
        if (maker == nowhere) continue;
        steps.back().producers.push_back(maker);
        readings[i].push_back(input);
      }
    }
    const RowsRead rows_read = [&](size_t index, size_t reading, Span rows) {
      const size_t input = readings[index][reading];
      const Region& made = pass_.steps[steps[index].producers[reading]].region;
      const Region read = read_in_strip(model_, pass_.steps[index], input, rows);
      return read.empty() ? Span{} : read.*row_axis(made);
    };
    StripSchedule schedule = schedule_strips(steps, rows_read);
    if (!manner_.in_stages) return schedule;
    const std::vector<size_t> stages = divide_into_stages(staged_maps(steps, schedule));
    for (size_t i = 0; i < steps.size(); ++i) steps[i].stage = stages[i];
    return schedule_strips(steps, rows_read);
  }

  // By step; with the rows that strips need if there is one stage.
  std::vector<StagedMap> staged_maps(const std::vector<StripStep>& steps,
                                     const StripSchedule& schedule) const {
    std::vector<StagedMap> maps(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const PassStep& step = pass_.steps[i];
      maps[i].last_reader = i;
      for (const size_t producer : steps[i].producers) maps[producer].last_reader = i;
      if (step.kept) maps[i].kept = bytes_of(pass_.places[*step.kept]);
      TensorPlace place = pass_.places[step.output];
      if (place.kind != TensorPlace::Kind::arena) continue;
      maps[i].whole = maps[i].in_strips = bytes_of(place);
      if (step.copied_to) continue;
      place.rows = schedule.capacity[i];
      maps[i].in_strips = bytes_of(place);
    }
    return maps;
  }

  // A map of which at most three quarters are wanted at once keeps no more.
  void store_rows(const StripSchedule& schedule) {
    for (size_t i = 0; i < pass_.steps.size(); ++i) {
      TensorPlace& place = pass_.places[pass_.steps[i].output];
      if (place.kind != TensorPlace::Kind::arena || pass_.steps[i].copied_to) continue;
      if (place.stored.box != place.held) continue;
      if (int64_t{schedule.capacity[i]} * 4 <= int64_t{place.rows} * 3) {
        place.rows = schedule.capacity[i];
        place.ring = row_axis(place.held) == &Region::y && goes_by_rows(pass_.steps[i].output);
      }
    }
  }

  // Do all who read and write it take rings? The others want rows one behind the other.
  bool goes_by_rows(size_t place) const {
    return std::all_of(pass_.steps.begin(), pass_.steps.end(), [&](const PassStep& step) {
      const bool reads =
          std::find(step.inputs.begin(), step.inputs.end(), place) != step.inputs.end();
      return (!reads && step.output != place) || step.runner->takes_rings();
    });
  }

  void add_strip(const ScheduledStrip& strip) {
    const PassStep& step = pass_.steps[strip.step];
    const TensorPlace& place = pass_.places[step.output];
    PassStrip planned{.step = static_cast<uint32_t>(strip.step),
                      .rows = strip.rows,
                      .first_row = 0,
                      .moved = {},
                      .held = read_in_strip(model_, step, 0, strip.rows)};
    if (place.kind == TensorPlace::Kind::arena) {
      first_rows_.resize(pass_.steps.size(), std::nullopt);
      std::optional<int32_t>& first = first_rows_[strip.step];
      if (!first) first = (place.stored.box.*row_axis(place.held)).begin;
      if (!place.ring && strip.rows.end > *first + place.rows) {
        planned.moved = {strip.keep, strip.rows.begin};
        first = strip.keep;
      }
      planned.first_row = *first;
    }
    pass_.strips.push_back(planned);
  }

  // --- bytes ---

  // A place that takes over memory shares the request of the place that had it before. The request
  // lasts until both are done.
  void lay_out_arena() {
    std::vector<ArenaRequest> requests;
    std::vector<size_t> request_of(pass_.places.size(), nowhere), places;
    const std::vector<ArenaRequest> lives = this->lives();
    const std::vector<std::optional<size_t>> taken = takeovers(model_, pass_);
    const auto ask = [&](size_t index) {
      TensorPlace& place = pass_.places[index];
      if (place.kind != TensorPlace::Kind::arena) return;
      places.push_back(index);
      place.first_strip = lives[index].first_step;
      place.last_strip = lives[index].last_step;
      request_of[index] = taken[index] ? request_of[*taken[index]] : requests.size();
      if (taken[index]) {
        ArenaRequest& before = requests[request_of[index]];
        place.first_strip = std::max(place.first_strip, before.last_step + 1);
        before.last_step = std::max(before.last_step, place.last_strip);
      } else {
        requests.push_back(lives[index]);
        requests.back().bytes = bytes_of(place);
      }
    };
    for (const PassStep& step : pass_.steps) {
      ask(step.output);
      if (step.kept) ask(*step.kept);
    }
    const ArenaLayout layout = lay_out(requests);
    for (const size_t place : places)
      pass_.places[place].offset = layout.offsets[request_of[place]];
    pass_.arena_bytes = layout.bytes;
  }

  // By place, when it is in use: from the first strip in which its step writes it, to the last
  // strip in which it is written or read.
  std::vector<ArenaRequest> lives() const {
    std::vector<ArenaRequest> result(
        pass_.places.size(), ArenaRequest{.bytes = 0, .first_step = nowhere, .last_step = 0});
    for (size_t i = 0; i < pass_.strips.size(); ++i) {
      const PassStep& step = pass_.steps[pass_.strips[i].step];
      const bool first = begins(step, pass_.strips[i].rows);
      const auto written = [&](size_t place) {
        result[place].first_step = std::min(result[place].first_step, i);
        result[place].last_step = i;
      };
      written(step.output);
      if (step.kept) written(*step.kept);
      for (size_t input = 0; input < step.inputs.size(); ++input)
        if (first || !step.runner->reads_once(input)) result[step.inputs[input]].last_step = i;
    }
    return result;
  }

  // Only rows may differ from what the runner wants: they lie one behind the other.
  void mark_input(PassStep& step) const {
    const std::optional<PaddedBox> wanted = step.runner->input_box(step.region);
    const TensorPlace& place = pass_.places[step.inputs[0]];
    step.own_memory = place.kind == TensorPlace::Kind::arena;
    if (!wanted || !step.own_memory) return;
    const Region& box = place.stored.box;
    step.padded = place.rows == (box.*row_axis(place.held)).size() && box.x == wanted->box.x &&
                  box.c == wanted->box.c && contains(box, wanted->box) &&
                  place.stored.neutral == wanted->neutral;
  }

  const Model& model_;
  const TileProgram& program_;
  const std::vector<FusedStep>& fused_;
  const std::vector<LayerRunner*>& runners_;
  const PassManner& manner_;
  std::vector<size_t> place_of_, place_again_;      // by tensor
  std::vector<size_t> maker_of_;                    // by place: the step that makes it
  std::vector<std::optional<int32_t>> first_rows_;  // by step, of its place, as strips are added
  TilePass pass_;
};

}  // namespace

TilePass make_pass(const Model& model, const TileProgram& program,
                   const std::vector<FusedStep>& fused, const std::vector<LayerRunner*>& runners,
                   const PassManner& manner) {
  return Planner(model, program, fused, runners, manner).plan();
}

}  // namespace shingle
