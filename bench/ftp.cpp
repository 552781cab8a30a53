// DeepThings' scheme with real processes, one for each role. `tools/bench cluster --only ftp`
// starts them.
//
//   bench-ftp gateway|source|thief|alone --cluster FILE --model FILE.onnx [--scheme
//   ftp:5x5:16+reuse]
//             [--id NODE] [--frames N]
//   bench-ftp check    the simulation against the paper
//
// The first node of the cluster file is the source, the last one the gateway. `alone` computes the
// expected outputs. Each process prints JSON lines: the source the time of each frame, the gateway
// (and `alone`) the SHA-256 of the outputs, each at its end its sent bytes and its pacing.
#include <nlohmann/json.hpp>

#include "apps/client/node_pace.hpp"
#include "apps/models/model_file.hpp"
#include "bench/ftp/program.hpp"
#include "bench/ftp_check.hpp"
#include "devices/files/cluster_file.hpp"
#include "devices/native/native_executor.hpp"
#include "partition/base/hash.hpp"
#include "tests/networks/networks.hpp"

namespace {

using namespace shingle;
using Json = nlohmann::ordered_json;
using bench::must;

struct Options {
  std::string role, cluster, model, scheme = "ftp:5x5:16+reuse";
  uint32_t id = 0, frames = 1;
};

[[noreturn]] void usage() {
  std::fprintf(stderr,
               "usage: bench-ftp gateway|source|thief|alone --cluster FILE --model FILE [--scheme "
               "ftp:5x5:16+reuse] [--id NODE] [--frames N]; tools/bench cluster starts it\n");
  std::exit(2);
}

Options options_of(int argc, char** argv) {
  Options options;
  if (argc % 2 != 0 || argc < 2) usage();
  options.role = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string_view word = argv[i];
    if (word == "--cluster") {
      options.cluster = argv[i + 1];
    } else if (word == "--model") {
      options.model = argv[i + 1];
    } else if (word == "--scheme") {
      options.scheme = argv[i + 1];
    } else if (word == "--id") {
      options.id = static_cast<uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    } else if (word == "--frames") {
      options.frames = static_cast<uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    } else {
      usage();
    }
  }
  return options;
}

void say(const Json& json) {
  std::printf("%s\n", json.dump().c_str());
  std::fflush(stdout);
}

ftp::Floats picture(const Model& model, uint32_t frame) {
  return networks::random_input(model.at(model.inputs[0]).shape, frame);
}

std::string hash_of(const std::vector<ftp::Floats>& outputs) {
  ftp::Floats all;
  for (const ftp::Floats& output : outputs) all.insert(all.end(), output.begin(), output.end());
  return to_string(sha256(std::as_bytes(std::span(all))));
}

ftp::Places places_of(const ClusterFile& cluster) {
  const ClusterFileNode& source = cluster.nodes.front();
  const ClusterFileNode& gateway = cluster.nodes.back();
  const auto port = [&](int which) { return static_cast<uint16_t>(gateway.port + which); };
  return {.registry = {gateway.address, port(0)},
          .results = {gateway.address, port(1)},
          .waiting = {gateway.address, port(2)},
          .source = {source.address, source.port}};
}

int alone(const Model& model, const Options& options) {
  NativeExecutor executor;
  const TileProgram program = whole_program(model, WinogradUse::never);
  must(executor.prepare(model, {&program, 1}));
  for (uint32_t frame = 0; frame < options.frames; ++frame) {
    const ftp::Floats input = picture(model, frame);
    say({{"frame", frame},
         {"output", hash_of(must(ftp::run_program(executor, program, {&input, 1})))}});
  }
  return 0;
}

void run_gateway(const ftp::Setup& setup) {
  ftp::Gateway gateway(setup, [](const ftp::Merged& merged) {
    say({{"frame", merged.frame},
         {"rest_ms", 1e3 * merged.rest_seconds},
         {"output", hash_of(merged.outputs)}});
  });
  gateway.prepare();
  gateway.run();
}

void run_source(const ftp::Setup& setup, uint32_t frames) {
  ftp::Source source(setup);
  source.prepare();
  source.wait_for_all();
  for (uint32_t frame = 0; frame < frames; ++frame) {
    const ftp::FrameTime time = source.run(frame, picture(*setup.block.model, frame));
    say({{"frame", frame}, {"ms", 1e3 * time.seconds}, {"rolled_back", time.rolled_back}});
  }
  source.end();
}

void run_thief(const ftp::Setup& setup) {
  ftp::Thief thief(setup);
  thief.prepare();
  thief.run();
}

int run(const Options& options) {
  if (options.role == "check") {
    say({{"ftp_check", json_of(bench::ftp_check())}});
    return 0;
  }
  const auto opened = must(open_model({options.model, ""}));
  if (options.role == "alone") return alone(opened.model, options);
  const ClusterFile cluster = must(load_cluster(options.cluster));
  const ftp::Block block = must(ftp::block_of(opened.model, must(parse_ftp(options.scheme))));
  const ftp::Places places = places_of(cluster);
  NativeExecutor executor;
  BreakablePause pause;
  const Pace pace = pace_of(cluster, NodeId{options.id});
  Pacer pacer(pace, pause.clock());
  ftp::Traffic traffic;
  const ftp::Setup setup{.block = block,
                         .places = places,
                         .executor = executor,
                         .pacer = pacer,
                         .traffic = traffic,
                         .device = options.id,
                         .devices = static_cast<uint32_t>(cluster.nodes.size() - 1)};
  if (options.role == "gateway") {
    run_gateway(setup);
  } else if (options.role == "source") {
    run_source(setup, options.frames);
  } else if (options.role == "thief") {
    run_thief(setup);
  } else {
    usage();
  }
  say({{"node", options.id},
       {"payload_bytes_sent", traffic.sent_bytes.load()},
       {"pace", {{"tiles", pacer.report().tiles}, {"overruns", pacer.report().overruns}}}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run(options_of(argc, argv));
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench ftp: %s\n", error.what());
  return 1;
}
