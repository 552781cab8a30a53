// shingle verify from outside.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {

TEST_CASE(
    "verify names no layer where two kernels share their bits, and the first where they do not") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("front.onnx", networks::to_onnx(networks::make("yolov2_front", 96).value()));
  SUBCASE("our direct kernels and XNNPACK's") {
    Program verify(
        {"verify", model, "--of", "native", "--against", "xnnpack", "--tolerance", "0", "--json"});
    REQUIRE_MESSAGE(verify.end() == "exit code 0", verify.err());
    const auto json = nlohmann::json::parse(verify.out());
    CHECK(json["first_other_bits"].is_null());
    CHECK(json["first_that_departs"].is_null());
    for (const auto& layer : json["layers"]) CHECK(layer["differing"] == 0);
  }
  SUBCASE("Winograd and direct, at a tolerance that only equal bits meet") {
    Program verify({"verify", model, "--against", "native-direct", "--tolerance", "0"});
    CHECK(verify.end() == "exit code 1");
    CHECK(verify.out().find("first layer that departs: ") != std::string::npos);
  }
}

TEST_CASE("verify refuses an executor that there is not") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("tiny.onnx", networks::to_onnx(networks::make("tiny").value()));
  Program verify({"verify", model, "--of", "magic"});
  CHECK(verify.end() == "exit code 2");
  CHECK(verify.err().find("known are native, xnnpack and reference") != std::string::npos);
}

}  // namespace shingle
