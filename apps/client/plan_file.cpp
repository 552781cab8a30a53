#include "apps/client/plan_file.hpp"

#include "devices/weights/compiled_file.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {
namespace {

Result<std::string> text_in(const std::string& path) {
  if (CompiledFile::is_one(path)) {
    const auto compiled = CompiledFile::open(path);
    if (!compiled) return Error{compiled.error()};
    return (*compiled)->contents().plan_text;
  }
  return MappedFile::text_of(path);
}

}  // namespace

Result<Rotation> read_plan_file(const std::string& path, const Model& model,
                                const std::vector<NodeId>& members) {
  const auto text = text_in(path);
  if (!text) return Error{text.error()};
  auto rotation = parse_rotation(*text);
  if (!rotation) return Error{"'" + path + "': " + rotation.error()};
  const auto wrong = defects(*rotation, model, members);
  if (!wrong.empty()) return Error{"'" + path + "' does not fit: " + wrong.front()};
  return rotation;
}

InputShapes shapes_in_plan_file(const std::string& path) {
  const auto text = text_in(path);
  if (!text) return {};
  const auto rotation = parse_rotation(*text);
  if (!rotation || !rotation->front().plan.sized) return {};
  return rotation->front().plan.sized->shapes;
}

}  // namespace shingle
