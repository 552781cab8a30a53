// The properties of shingleinfer.
#include "apps/gstreamer/shingle_infer.hpp"

namespace {

using shingle::gst::InferCounts;
using shingle::gst::InferProperties;
using shingle::gst::InferSettings;

// Those of the session count when it opens, the others at once.
constexpr auto when_ready =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
constexpr auto at_once = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                  GST_PARAM_MUTABLE_PLAYING);
constexpr auto to_read = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

struct TextProperty {
  const char *name, *nick, *blurb;
  std::string InferSettings::*member;
};
constexpr TextProperty texts[] = {
    {"model", "Model", "Model file: ONNX, a compiled file or a Darknet .cfg",
     &InferSettings::model},
    {"weights", "Weights", "Weights of a .cfg (default: those beside it)", &InferSettings::weights},
    {"cluster", "Cluster", "Cluster file; needs id (default: local workers)",
     &InferSettings::cluster},
    {"keys", "Keys", "Folder of keys (default: $SHINGLE_KEYS, as nodes)", &InferSettings::keys},
    {"head", "Head", "How the model's outputs are read (default: as the model says)",
     &InferSettings::head},
    {"names", "Names", "File with the names of the classes (default: as the model says)",
     &InferSettings::names},
    {"node-program", "Node program",
     "Program of local workers (default: $SHINGLE_NODE, or what is installed)",
     &InferSettings::node_program},
    {"options", "Options",
     "Further options of shingle.h: \"name=value,name=value\", such as "
     "\"deadline=0.5,goal=throughput\"",
     &InferSettings::options}};

struct CountProperty {
  const char *name, *nick, *blurb;
  guint most;
  uint32_t InferSettings::*member;
};
constexpr CountProperty counts[] = {
    {"workers", "Workers", "Local workers, without a cluster", 64, &InferSettings::workers},
    {"threads", "Threads", "Threads of each local worker", 256, &InferSettings::threads},
    {"open", "Open", "Frames in flight", 16, &InferSettings::open}};

struct ShareProperty {
  const char *name, *nick, *blurb;
  double InferSettings::*member;
};
constexpr ShareProperty shares[] = {
    {"score", "Score", "Least score of what is found, 0 to 1 (-1: as the model says)",
     &InferSettings::score},
    {"nms", "NMS", "Overlap from which the weaker box goes, 0 to 1 (-1: as the model says)",
     &InferSettings::nms}};

struct FigureProperty {
  const char *name, *nick, *blurb;
  std::atomic<guint64> InferCounts::*member;
};
constexpr FigureProperty figures[] = {
    {"frames", "Frames", "Frames that left", &InferCounts::frames},
    {"dropped", "Dropped", "Frames that came too late or missed the deadline, and were left out",
     &InferCounts::dropped},
    {"errors", "Errors", "Frames that failed and ended the stream", &InferCounts::errors}};

// Numbers of the properties: each table has a range.
enum : guint {
  first_text = 1,
  first_count = 21,
  first_share = 31,
  first_figure = 41,
  id = 51,
  insecure,
  qos,
  attach,
  stats
};

template <class Property, size_t size>
const Property* entry(const Property (&table)[size], guint first, guint number) {
  return number >= first && number < first + size ? &table[number - first] : nullptr;
}

GType attached_type() {
  static const GFlagsValue values[] = {
      {shingle::gst::attach_boxes, "Regions with a detection (GstVideoRegionOfInterestMeta)",
       "boxes"},
      {shingle::gst::attach_findings, "All that was found, as JSON (GstShingleMeta)", "findings"},
      {shingle::gst::attach_masks, "Masks, a byte for each pixel (GstShingleMeta)", "masks"},
      {shingle::gst::attach_tensors, "The model's outputs (GstShingleMeta)", "tensors"},
      {0, nullptr, nullptr}};
  static const GType type = g_flags_register_static("GstShingleAttach", values);
  return type;
}

GstShingleInfer* infer(GObject* object) { return reinterpret_cast<GstShingleInfer*>(object); }

void set_text(std::string& text, const GValue* value) {
  const char* given = g_value_get_string(value);
  text = given == nullptr ? "" : given;
}

void set_property(GObject* object, guint number, const GValue* value, GParamSpec* spec) {
  InferProperties& properties = infer(object)->inference->properties();
  InferSettings& session = properties.session;
  GST_OBJECT_LOCK(object);
  if (const auto* text = entry(texts, first_text, number))
    set_text(session.*text->member, value);
  else if (const auto* count = entry(counts, first_count, number))
    session.*count->member = g_value_get_uint(value);
  else if (const auto* share = entry(shares, first_share, number))
    session.*share->member = g_value_get_double(value);
  else if (number == id)
    session.id = g_value_get_int(value);
  else if (number == insecure)
    session.insecure = g_value_get_boolean(value) != FALSE;
  else if (number == qos)
    properties.drops_late = g_value_get_boolean(value) != FALSE;
  else if (number == attach)
    properties.attached = g_value_get_flags(value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, number, spec);
  GST_OBJECT_UNLOCK(object);
}

void get_setting(GObject* object, guint number, GValue* value, GParamSpec* spec) {
  const InferProperties& properties = infer(object)->inference->properties();
  const InferSettings& session = properties.session;
  GST_OBJECT_LOCK(object);
  if (const auto* text = entry(texts, first_text, number)) {
    const std::string& set = session.*text->member;
    g_value_set_string(value, set.empty() ? nullptr : set.c_str());
  } else if (const auto* count = entry(counts, first_count, number))
    g_value_set_uint(value, session.*count->member);
  else if (const auto* share = entry(shares, first_share, number))
    g_value_set_double(value, session.*share->member);
  else if (number == id)
    g_value_set_int(value, session.id);
  else if (number == insecure)
    g_value_set_boolean(value, session.insecure);
  else if (number == qos)
    g_value_set_boolean(value, properties.drops_late);
  else if (number == attach)
    g_value_set_flags(value, properties.attached);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, number, spec);
  GST_OBJECT_UNLOCK(object);
}

void get_property(GObject* object, guint number, GValue* value, GParamSpec* spec) {
  const shingle::gst::Inference& inference = *infer(object)->inference;
  if (const auto* figure = entry(figures, first_figure, number))
    g_value_set_uint64(value, inference.counts().*figure->member);
  else if (number == stats)
    g_value_take_boxed(value, inference.stats());
  else
    get_setting(object, number, value, spec);
}

}  // namespace

void shingle::gst::install_properties(GObjectClass* object_class) {
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  const InferProperties usual;
  guint number = first_text;
  const auto install = [&](GParamSpec* spec) {
    g_object_class_install_property(object_class, number++, spec);
  };
  for (const TextProperty& each : texts)
    install(g_param_spec_string(each.name, each.nick, each.blurb, nullptr, when_ready));
  number = first_count;
  for (const CountProperty& each : counts)
    install(g_param_spec_uint(each.name, each.nick, each.blurb, 1, each.most,
                              usual.session.*each.member, when_ready));
  number = first_share;
  for (const ShareProperty& each : shares)
    install(g_param_spec_double(each.name, each.nick, each.blurb, -1.0, 1.0,
                                usual.session.*each.member, when_ready));
  number = first_figure;
  for (const FigureProperty& each : figures)
    install(g_param_spec_uint64(each.name, each.nick, each.blurb, 0, G_MAXUINT64, 0, to_read));
  number = id;
  install(g_param_spec_int("id", "Id", "Which node of the cluster this process is (-1: none)", -1,
                           65'535, usual.session.id, when_ready));
  install(g_param_spec_boolean("insecure", "Insecure", "Joins the cluster without keys",
                               usual.session.insecure, when_ready));
  install(g_param_spec_boolean("qos", "QoS",
                               "Drops frames that come too late, instead of computing them",
                               usual.drops_late, at_once));
  install(g_param_spec_flags("attach", "Attach", "What buffers get of what was found",
                             attached_type(), usual.attached, at_once));
  install(g_param_spec_boxed("stats", "Stats", "What the element and its session did so far",
                             GST_TYPE_STRUCTURE, to_read));
}
