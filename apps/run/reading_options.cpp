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
  verb.add_option("--head", options.head, known_heads() + " (default: auto)")->type_name("NAME");
  verb.add_option("--anchors", options.anchors,
                  "of the three maps of the head yolov5: yolov5, yolov7 or 18 sizes in pixels")
      ->type_name("W,H,..");
  verb.add_option("--dictionary", options.dictionary,
                  "file with the letters of a model that reads text, one per line")
      ->type_name("FILE");
  verb.add_option("--names", options.names, "file with the names of the classes, one per line")
      ->type_name("FILE");
  const std::map<std::string, Fit> fits{{"letterbox", Fit::letterbox},
                                        {"centred", Fit::centred},
                                        {"stretch", Fit::stretch},
                                        {"crop", Fit::crop}};
  verb.add_option_function<std::string>(
          "--fit", [&options, fits](const std::string& word) { options.fit = fits.at(word); },
          "how pictures are fitted to the input: letterbox (top left), centred (letterbox), "
          "stretch or crop (default: the head's)")
      ->type_name("HOW")
      ->check(CLI::IsMember(fits));
  verb.add_option_function<std::string>(
          "--colour",
          [&options](const std::string& word) {
            options.colour = word == "rgb" ? ColourOrder::rgb : ColourOrder::bgr;
          },
          "order of the model's channels: rgb or bgr (default: the head's)")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"rgb", "bgr"}));
  verb.add_option("--mean", options.mean,
                  "value to subtract from pixels of 0 to 255 (default: the head's)")
      ->type_name("M[,M,M]")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--std", options.deviation,
                  "value to divide them by afterwards (default: the head's)")
      ->type_name("S[,S,S]")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace shingle
