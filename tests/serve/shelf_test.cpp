// Models that peers send: by hash, in a folder, with limits.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "apps/serve/models/served_model.hpp"
#include "apps/serve/models/shelf.hpp"
#include "tests/apps/scratch_folder.hpp"

using namespace shingle;
using namespace shingle::serve;

namespace {

std::span<const std::byte> bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

size_t files_in(const ScratchFolder& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

constexpr ShelfLimits small{.bytes_of_one = 100, .bytes = 250, .names = 4};

void check_refused(const Result<Hash>& put, const std::string& part) {
  REQUIRE(!put.ok());
  CHECK_MESSAGE(put.error().find(part) != std::string::npos, put.error());
}

}  // namespace

TEST_CASE("a name is never part of a path") {
  const ScratchFolder folder;
  Shelf shelf = Shelf::open(folder / "store", small).value();
  const std::string odd = "../../../etc/passwd";
  const Hash hash = shelf.put(odd, bytes_in("model")).value();
  CHECK(hash == sha256("model"));
  CHECK(std::filesystem::exists(folder / ("store/" + to_string(hash) + ".model")));
  CHECK(shelf.names().at(odd) == hash);
  const auto bytes = shelf.bytes(hash).value();
  CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == "model");
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string(300, 'x'), std::string("\xff")})
    check_refused(shelf.put(name, bytes_in("model")), "a model's name is");
  const Shelf again = Shelf::open(folder / "store", small).value();
  CHECK(again.names() == shelf.names());
}

TEST_CASE("one model, all of them, and their names have limits") {
  const ScratchFolder folder;
  Shelf shelf = Shelf::open(folder.path(), small).value();
  check_refused(shelf.put("a", bytes_in(std::string(101, 'a'))), "models of at most");
  check_refused(shelf.put("a", {}), "has no bytes");
  CHECK(files_in(folder) == 0);
  for (const char letter : {'a', 'b'})
    REQUIRE(shelf.put(std::string(1, letter), bytes_in(std::string(100, letter))).ok());
  check_refused(shelf.put("c", bytes_in(std::string(51, 'c'))), "would take more than");
  REQUIRE(shelf.put("a", bytes_in(std::string(99, 'A'))).ok());  // in the place of what it was
  CHECK(files_in(folder) == 3);
  REQUIRE(shelf.put("c", bytes_in(std::string(100, 'b'))).ok());  // these bytes are there
  CHECK(files_in(folder) == 3);
  REQUIRE(shelf.put("b", bytes_in("small")).ok());
  CHECK(shelf.bytes(shelf.names().at("c")).ok());  // another name means what `b` meant
  REQUIRE(shelf.put("d", bytes_in("d")).ok());
  check_refused(shelf.put("e", bytes_in("e")), "4 models were accepted already");
}

TEST_CASE("what an earlier life left is read again, and what is wrong with it is left out") {
  const ScratchFolder folder;
  Hash kept, changed;
  {
    Shelf shelf = Shelf::open(folder.path(), small).value();
    kept = shelf.put("kept", bytes_in("kept")).value();
    changed = shelf.put("changed", bytes_in("before")).value();
  }
  folder.with_text(to_string(changed) + ".model", "after!");
  folder.with_text(to_string(sha256("orphan")) + ".model", "orphan");
  folder.with_text(to_string(kept) + ".model.new", "half of it");
  std::ofstream(folder / "names", std::ios::app) << "no hash\n"
                                                 << to_string(sha256("missing")) << " missing\n"
                                                 << to_string(kept) << "\n";
  Shelf shelf = Shelf::open(folder.path(), small).value();
  CHECK(shelf.names().size() == 2);
  CHECK(shelf.bytes(kept).ok());
  const auto bytes = shelf.bytes(changed);
  REQUIRE(!bytes.ok());
  CHECK(bytes.error().find("was changed") != std::string::npos);
  CHECK(!std::filesystem::exists(folder / (to_string(sha256("orphan")) + ".model")));
  CHECK(!std::filesystem::exists(folder / (to_string(kept) + ".model.new")));
  CHECK(shelf.put("changed", bytes_in("before")).ok());  // sent again, it is whole again
  CHECK(shelf.bytes(changed).ok());
}

TEST_CASE("models of the command line have names for paths of HTTP") {
  const auto models = read_served_models({"dir/yolo.v8.onnx", "cars=/a=b/c.onnx", "plain"});
  REQUIRE(models.ok());
  CHECK(*models == std::vector<ServedModel>{{"yolo.v8", "dir/yolo.v8.onnx"},
                                            {"cars", "/a=b/c.onnx"},
                                            {"plain", "plain"}});
  CHECK((*models)[0].is_called("yolo.v8.onnx"));
  CHECK((*models)[1].is_called("c.onnx"));
  CHECK(!(*models)[1].is_called("/a=b/c.onnx"));
  for (const char* text : {"", "name=", "=x.onnx", "a b=x.onnx", "dir/.onnx"})
    CHECK_MESSAGE(!read_served_models({text}).ok(), text);
  const auto twice = read_served_models({"a/x.onnx", "b/x.onnx"});
  REQUIRE(!twice.ok());
  CHECK(twice.error().find("two models are called 'x'") == 0);
}
