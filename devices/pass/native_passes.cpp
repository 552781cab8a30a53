#include "devices/pass/native_passes.hpp"

#include <algorithm>
#include <new>

namespace shingle {

// --- files ---------------------------------------------------------------------------------------

Status PreparedPass::read_from(const PackedWeights& weights) {
  if (!weights.mapped()) return success();
  const MappedFile& file = weights.mapped()->file();
  const bool known = std::ranges::any_of(
      files_, [&](const FileUse& use) { return use.file.bytes().data() == file.bytes().data(); });
  if (known) return success();
  const Result<uint64_t> version = file.version();
  if (!version) return version.failure();
  files_.push_back({file, *version});
  return success();
}

Result<std::string> PreparedPass::touched_file() {
  std::string touched;
  for (FileUse& use : files_) {
    const Result<uint64_t> version = use.file.version();
    if (!version) return version.failure();
    if (*version != use.version) touched = use.file.path();
    use.version = *version;
  }
  return touched;
}

Status PreparedPass::check_files() const {
  for (const FileUse& use : files_)
    if (const Result<uint64_t> version = use.file.version(); !version) return version.failure();
  return success();
}

// --- the list ------------------------------------------------------------------------------------

bool PreparedPasses::Change::hold_again(const TileProgram& program) {
  const auto known = std::ranges::find_if(held_, [&](const Held& held) {
    return same_program(held.pass->ready.pass.program, program);
  });
  if (known == held_.end()) return false;
  ++known->times;
  return true;
}

void PreparedPasses::Change::publish() {
  passes_->publish(held_);
  passes_->held_ = std::move(held_);
}

void PreparedPasses::publish(const std::vector<Change::Held>& held) {
  auto next = std::make_shared<List>();
  for (const Change::Held& each : held) {
    next->passes.push_back(each.pass);
    next->needs = larger(next->needs, each.pass->needs);
  }
  const std::shared_ptr<const List> before = now();
  const bool fits = before->runner != nullptr && before->needs == next->needs;
  if (fits)
    next->runner = before->runner;
  else if (!held.empty())
    next->runner = std::make_shared<PassRunner>(pool_, account_, next->needs);
  std::shared_ptr<const List> fresh = std::move(next);
  const std::lock_guard lock(mutex_);
  now_.swap(fresh);  // the old one ends without the lock
}

void PreparedPasses::forget(std::span<const TileProgram> programs) {
  for (const TileProgram& program : programs) {
    const auto known = std::ranges::find_if(held_, [&](const Change::Held& held) {
      return same_program(held.pass->ready.pass.program, program);
    });
    if (known != held_.end() && --known->times == 0) held_.erase(known);
  }
  try {
    publish(held_);
  } catch (const std::bad_alloc&) {
    // The list goes on holding what the next one will not.
  }
}

size_t PreparedPasses::count() const { return now()->passes.size(); }

std::shared_ptr<const PreparedPasses::List> PreparedPasses::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

// Tiles mostly come in the order in which they were prepared.
PreparedPasses::InUse PreparedPasses::use(const TileProgram& program) {
  const std::shared_ptr<const List> list = now();
  for (size_t i = 0; i < list->passes.size(); ++i) {
    const size_t index = (last_found_ + 1 + i) % list->passes.size();
    if (!same_program(list->passes[index]->ready.pass.program, program)) continue;
    last_found_ = index;
    return {list->passes[index], list->runner};
  }
  return {};
}

Status PreparedPasses::check_files() const {
  const std::shared_ptr<const List> list = now();
  for (const auto& pass : list->passes)
    if (Status files = pass->check_files(); !files) return files;
  return success();
}

const Model* PreparedPasses::model() const {
  const std::shared_ptr<const List> list = now();
  return list->passes.empty() ? nullptr : list->passes.front()->model;
}

int64_t PreparedPasses::arena_bytes() const {
  const std::shared_ptr<const List> list = now();
  return list->runner ? list->runner->arena_bytes() : 0;
}

}  // namespace shingle
