// Pipelines on nodes that somebody else started.
#include <filesystem>

#include "apps/client/local_workers.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

// Real nodes with keys and a cluster file, as a user has them.
struct RunningNodes {
  explicit RunningNodes(const std::string& model)
      : workers(std::move(LocalWorkers::start({.program = node_program(),
                                               .count = 2,
                                               .models = {ModelPath(model)},
                                               .slow = {},
                                               .packed = {}})
                              .value())) {}
  // The properties of an element that is the cluster's owner.
  std::string properties() const {
    const auto folder = std::filesystem::path(workers.keys()).parent_path();
    return "cluster=\"" + (folder / "cluster.toml").string() + "\" keys=\"" + workers.keys() +
           "\" id=" + std::to_string(workers.owner().value) + " options=\"patience=20\" ";
  }
  LocalWorkers workers;
};

}  // namespace

TEST_CASE("an element joins the nodes of a cluster file, and starts no workers") {
  const RunningNodes nodes(vehicles_model());
  const size_t before = children().size();
  const TestPicture picture = drawn("RGB", 500, 300);
  Pipeline pipeline(appsrc(picture) + "! shingleinfer name=infer score=0.02 model=\"" +
                    vehicles_model() + "\" " + nodes.properties() +
                    "! appsink name=out sync=false");
  pipeline.play();
  CHECK(children().size() == before);
  for (GstClockTime i = 0; i < 6; ++i) pipeline.give(picture, i * GST_SECOND);
  pipeline.give_end();
  for (int i = 0; i < 6; ++i) {
    const Sample sample = pipeline.pulled();
    REQUIRE(sample != nullptr);
    CHECK(boxes_of(gst_sample_get_buffer(sample.get())).size() > 0);
  }
  CHECK(pipeline.end() == "end of stream");
}
