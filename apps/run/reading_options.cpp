// The options that say how a model is read, the same for every verb that takes pictures.
#include <CLI/CLI.hpp>

#include "apps/run/model_options.hpp"

namespace shingle {
namespace {

std::string known_heads() {
  std::string text = "auto";
  for (const Head* head : all_heads()) text.append(", ").append(head->name);
  return text;
}

}  // namespace

void describe(CLI::App& verb, ReadingOptions& options) {
  verb.add_option("--head", options.head, known_heads() + " (auto)")->type_name("NAME");
  verb.add_option("--names", options.names, "names of the classes, one a line")->type_name("FILE");
  verb.add_option("--anchors", options.anchors,
                  "of the head yolov5's three maps: yolov5, yolov7 or 18 sizes in pixels")
      ->type_name("W,H,..");
  verb.add_option("--dictionary", options.dictionary, "letters of a model of text, one a line")
      ->type_name("FILE");
  const std::map<std::string, Fit> fits{{"letterbox", Fit::letterbox},
                                        {"centred", Fit::centred},
                                        {"stretch", Fit::stretch},
                                        {"crop", Fit::crop}};
  verb.add_option_function<std::string>(
          "--fit", [&options, fits](const std::string& word) { options.fit = fits.at(word); },
          "letterbox (top left), centred (letterbox), stretch or crop (the head's)")
      ->type_name("HOW")
      ->check(CLI::IsMember(fits));
  verb.add_option_function<std::string>(
          "--colour",
          [&options](const std::string& word) {
            options.colour = word == "rgb" ? ColourOrder::rgb : ColourOrder::bgr;
          },
          "rgb or bgr: the order of the model's channels (the head's)")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"rgb", "bgr"}));
  verb.add_option("--mean", options.mean, "subtracted from pixels of 0 to 255 (the head's)")
      ->type_name("M[,M,M]")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--std", options.deviation, "what they are then divided by (the head's)")
      ->type_name("S[,S,S]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace shingle
