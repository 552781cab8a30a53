#include "apps/run/further_model.hpp"

#include <doctest/doctest.h>

namespace shingle {
namespace {

TEST_CASE("a further model has a name, a file and a rate") {
  const auto model = read_further_model("plates=models/plates.onnx:5");
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(model->name == "plates");
  CHECK(model->path == "models/plates.onnx");
  CHECK(model->every == 5);
}

TEST_CASE("the first '=' and the last ':' divide, so a file may have them in its name") {
  const auto model = read_further_model("a_1_b=x=y:2:z.onnx:30");
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(model->name == "a_1_b");
  CHECK(model->path == "x=y:2:z.onnx");
  CHECK(model->every == 30);
}

TEST_CASE("what is no further model is refused with a sentence that says how to write one") {
  const auto refused = [](const std::string& text, const std::string& why) {
    const auto model = read_further_model(text);
    REQUIRE_FALSE(model.ok());
    CHECK(model.failure().kind == ErrorKind::usage);
    CHECK(model.error() ==
          "'" + text + "' " + why +
              "; write NAME=FILE:EVERY, such as plates=plates.onnx:5 for every fifth "
              "frame");
  };
  refused("plates.onnx:5", "names no further model");
  const std::string name = "has no name of 1 to 40 letters, digits or '_' before the '='";
  refused("=plates.onnx:5", name);
  refused("a b=plates.onnx:5", name);
  refused("a-b=plates.onnx:5", name);
  refused(std::string(41, 'a') + "=plates.onnx:5", name);
  refused("plates=plates.onnx", "does not say which frames the model computes");
  refused("a:5=plates.onnx", name);
  refused("plates=:5", "names no file");
  const std::string every = "has no number from 1 to 1000000 behind the last ':'";
  for (const char* number : {"", "0", "-1", "1000001", "5x", "1.5", "99999999999999999999"})
    refused(std::string("plates=plates.onnx:") + number, every);
}

TEST_CASE("two further models have two names") {
  const auto models = read_further_models({"a=one.onnx:1", "b=one.onnx:2"});
  REQUIRE(models.ok());
  CHECK(models->size() == 2);
  const auto refused = read_further_models({"a=one.onnx:1", "a=two.onnx:2"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error() ==
        "two further models are called 'a'; give each --model a name of its own");
}

}  // namespace
}  // namespace shingle
