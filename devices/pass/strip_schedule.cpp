#include "devices/pass/strip_schedule.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

class Scheduler {
 public:
  Scheduler(const std::vector<StripStep>& steps, const RowsRead& rows_read)
      : steps_(steps), rows_read_(rows_read), readers_(steps.size()) {
    for (size_t i = 0; i < steps.size(); ++i) {
      assert(!steps[i].rows.empty() && steps[i].quantum >= 1 && steps[i].grid >= 1);
      done_.push_back(steps[i].rows.begin);
      for (size_t r = 0; r < steps[i].producers.size(); ++r) {
        assert(steps[i].producers[r] < i);
        readers_[steps[i].producers[r]].push_back({i, r});
      }
    }
    schedule_.capacity.assign(steps.size(), 0);
    can_run_.assign(steps.size(), false);
  }

  StripSchedule schedule() {
    for (size_t i = 0; i < steps_.size(); ++i) judge(i);
    while (const auto next = last_ready()) run(*next);
    for (size_t i = 0; i < steps_.size(); ++i) assert(done_[i] == steps_[i].rows.end);
    return std::move(schedule_);
  }

 private:
  struct Reader {
    size_t step = 0, reading = 0;
  };

  Span next_rows(size_t step) const {
    const StripStep& s = steps_[step];
    const int64_t wanted = int64_t{done_[step]} + s.quantum;
    const int64_t end = (wanted + s.grid - 1) / s.grid * s.grid;
    return {done_[step], static_cast<int32_t>(std::min<int64_t>(end, s.rows.end))};
  }

  bool ready(size_t step, Span rows) const {
    for (size_t r = 0; r < steps_[step].producers.size(); ++r) {
      const Span read = rows_read_(step, r, rows);
      if (!read.empty() && read.end > done_[steps_[step].producers[r]]) return false;
    }
    return true;
  }

  // Does some reader's next strip wait for more of the step's rows? Those of a map that nobody
  // reads (any more) always count.
  bool wanted(size_t step) const {
    bool all_done = true;
    for (const Reader& reader : readers_[step]) {
      if (ended(reader.step)) continue;
      if (steps_[reader.step].stage != steps_[step].stage) return true;
      all_done = false;
      const Span read = rows_read_(reader.step, reader.reading, next_rows(reader.step));
      if (!read.empty() && read.end > done_[step]) return true;
    }
    return all_done;
  }

  bool ended(size_t step) const { return done_[step] == steps_[step].rows.end; }

  void judge(size_t step) {
    can_run_[step] = !ended(step) && ready(step, next_rows(step)) && wanted(step);
  }

  std::optional<size_t> last_ready() {
    while (first_ < steps_.size() && ended(first_)) ++first_;
    for (size_t i = steps_.size(); i-- > first_;)
      if (can_run_[i] && steps_[i].stage == steps_[first_].stage) return i;
    return std::nullopt;
  }

  // The first row of the step's map that somebody still reads; where the strip begins if nobody
  // does.
  int32_t keep(size_t step) const {
    int32_t first = done_[step];
    for (const Reader& reader : readers_[step]) {
      const Span rest{done_[reader.step], steps_[reader.step].rows.end};
      if (rest.empty()) continue;
      const Span read = rows_read_(reader.step, reader.reading, rest);
      if (!read.empty()) first = std::min(first, std::max(read.begin, steps_[step].rows.begin));
    }
    return first;
  }

  void run(size_t step) {
    const Span rows = next_rows(step);
    const int32_t kept = keep(step);
    schedule_.strips.push_back({step, rows, kept});
    int32_t& capacity = schedule_.capacity[step];
    capacity = std::max(capacity, rows.end - kept);
    done_[step] = rows.end;
    judge(step);
    for (const size_t producer : steps_[step].producers) judge(producer);
    for (const Reader& reader : readers_[step]) judge(reader.step);
  }

  const std::vector<StripStep>& steps_;
  const RowsRead& rows_read_;
  std::vector<std::vector<Reader>> readers_;  // by step
  std::vector<int32_t> done_;                 // by step: rows before this are computed
  size_t first_ = 0;                          // all steps before it have ended
  // By step: could its next strip run if its stage had begun? A strip can change this only for its
  // own step, for the steps that it reads and for those that read it.
  std::vector<bool> can_run_;
  StripSchedule schedule_;
};

}  // namespace

StripSchedule schedule_strips(const std::vector<StripStep>& steps, const RowsRead& rows_read) {
  return Scheduler(steps, rows_read).schedule();
}

}  // namespace shingle
