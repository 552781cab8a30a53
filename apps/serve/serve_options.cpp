#include "apps/serve/serve_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/cli/common_options.hpp"

namespace shingle {
namespace {

struct SessionOption {
  const char *name, *type, *help;
};
// What goes to shingle_options_set() as it is; a wrong value is that function's to refuse.
constexpr SessionOption session_options[] = {
    {"cluster", "FILE", "compute on these nodes (TOML) instead of local workers"},
    {"id", "N", "which node of the cluster file this is"},
    {"broker", "URI", "find the nodes at this MQTT broker; needs --id"},
    {"broker-user", "NAME", "user at the broker"},
    {"broker-password", "FILE", "file with the user's password"},
    {"broker-ca", "FILE", "certificates of the broker's authorities"},
    {"cluster-name", "NAME", "which cluster at the broker (default: shingle)"},
    {"listen", "ADDRESS:PORT", "where nodes found at a broker reach this one"},
    {"keys", "FOLDER", "folder of keys (default: $SHINGLE_KEYS, as nodes)"},
    {"workers", "N", "local worker processes of each model (default: 4)"},
    {"threads", "N", "threads of each local worker (default: 1)"},
    {"node-program", "FILE", "program of local workers (default: shingle-node beside this one)"},
    {"packed", "FOLDER", "store packed weights in this folder, and map them at the next start"},
    {"memory", "CAP", "memory that each node may use beyond its bare process, such as 48MiB"},
    {"patience", "SECONDS", "silence after which a node counts as lost (default: 0.4 to 1.5)"},
    {"start-patience", "SECONDS", "until all nodes have to be there (default: 20)"},
    {"plan", "FILE", "use this plan, from 'shingle plan --out'"},
    {"goal", "GOAL", "what to optimise: latency, throughput, energy or memory"},
    {"open", "N", "frames of a model under way at once (default: 4)"},
    {"queue", "N", "requests that may wait for that (default: 64)"},
    {"audit", "SHARE", "share of the tiles that are computed twice, such as 2%"},
    {"shape", "SHAPE", "size of inputs that files leave open, such as 1x3x480x640"},
    {"head", "NAME", "how outputs are read for Frigate (default: as the model says)"},
    {"names", "FILE", "names of the classes"},
    {"score", "S", "minimum score for Frigate (default: the model's)"},
    {"nms", "O", "maximum overlap of two detections of one class (default: 0.45)"},
};

void describe_http(CLI::App& verb, ServeOptions& options) {
  verb.add_option("--http", options.http,
                  "where the Open Inference Protocol v2 is served (default: 127.0.0.1:8000); "
                  "'none': nowhere")
      ->type_name("ADDRESS:PORT");
  verb.add_option(
          "--host-name", options.host_names,
          "a name by which HTTP clients may call this server, besides localhost; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--max-body", options.max_body, "longest body of a request (default: 64MiB)")
      ->type_name("SIZE")
      ->check(checked(check_memory));
  verb.add_option("--http-time", options.http_seconds,
                  "seconds that a client may take to send a request, that a request may take to be "
                  "computed, and that a client may take for the answer (default: 30)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0));
}

void describe_frigate(CLI::App& verb, ServeOptions& options) {
  verb.add_option("--frigate", options.frigate,
                  "serve Frigate's ZMQ detectors at this endpoint: ipc:///PATH or "
                  "tcp://127.0.0.1:PORT")
      ->type_name("ENDPOINT");
  verb.add_option("--frigate-floats", options.frigate_floats,
                  "what float32 of Frigate means: 'unit', 0 to 1 (input_dtype: float), or "
                  "'pixels', 0 to 255 (float_denorm) (default: unit)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"unit", "pixels"}));
  verb.add_option("--frigate-colour", options.frigate_colour,
                  "order of Frigate's channels, its input_pixel_format: rgb or bgr (default: rgb)")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"rgb", "bgr"}));
  verb.add_option("--answer-in", options.answer_in_ms,
                  "milliseconds within which Frigate gets an answer, if need be one without "
                  "detections (default: 150)")
      ->type_name("MS")
      ->check(CLI::Range(1.0, 60'000.0));
  verb.add_option("--accept-models", options.accept_models,
                  "take models that Frigate sends, and keep them in this folder; on local workers "
                  "only")
      ->type_name("FOLDER");
}

}  // namespace

void describe(CLI::App& verb, ServeOptions& options) {
  verb.add_option("MODEL,--model", options.models,
                  "models to serve: files, or NAME=FILE for another name than the file's")
      ->type_name("")
      ->allow_extra_args(true);
  describe_http(verb, options);
  describe_frigate(verb, options);
  verb.add_flag("--expose", options.expose,
                "let other machines reach what is served: without encryption, and without being "
                "asked who they are");
  for (const SessionOption& option : session_options)
    verb.add_option("--" + std::string(option.name), options.session[option.name], option.help)
        ->type_name(option.type);
  verb.add_flag("--keep-plan", options.keep_plan, "plan only once");
  verb.add_flag("--insecure", options.insecure,
                "join the cluster without keys; concerns its nodes alone, not who may ask");
  verb.add_option("--log-level", options.log_level,
                  "error, warning, info or debug (default: warning)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({"error", "warning", "info", "debug"}));
  verb.add_option("--config", options.config,
                  "settings file: options of this verb as keys (docs/use/serve.md); the command "
                  "line and SHINGLE_... variables go before it; 'none': neither file nor variables")
      ->type_name("FILE");
  verb.footer(
      "\nExamples:\n"
      "  shingle serve yolox_nano.onnx\n"
      "  shingle serve cars=models/vehicles.onnx --http 127.0.0.1:9000 --workers 2\n"
      "  shingle serve yolov9.onnx --http none --frigate ipc:///tmp/frigate\n"
      "  shingle serve --config /etc/shingle/serve/kitchen.toml\n"
      "\nIt stops on Ctrl-C or SIGTERM. On SIGHUP it reads its settings again: log level, models "
      "and HTTP change at once.");
}

}  // namespace shingle
