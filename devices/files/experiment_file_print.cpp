#include <sstream>

#include "devices/files/experiment_file.hpp"
#include "devices/files/toml_text.hpp"

namespace shingle {

namespace {

const char* text_of(Arrivals::Kind kind) {
  switch (kind) {
    case Arrivals::Kind::periodic:
      return "periodic";
    case Arrivals::Kind::poisson:
      return "poisson";
    case Arrivals::Kind::trace:
      return "trace";
    case Arrivals::Kind::back_to_back:
      break;
  }
  return "back_to_back";
}

const char* text_of(bool value) { return value ? "true" : "false"; }

void print(std::ostringstream& text, const ExperimentModel& model) {
  text << "\n[[model]]\nname = \"" << model.name << "\"\n";
  if (!model.file.empty()) text << "file = \"" << model.file << "\"\n";
  if (!model.input.empty()) text << "input = \"" << model.input << "\"\nlayers = [";
  for (size_t i = 0; i < model.layers.size(); ++i)
    text << (i == 0 ? "\"" : ", \"") << model.layers[i] << "\"";
  if (!model.input.empty()) text << "]\n";
  if (!model.plan.empty()) text << "plan = \"" << model.plan << "\"\n";
  if (model.head != "auto") text << "head = \"" << model.head << "\"\n";
}

void print(std::ostringstream& text, const ExperimentSource& source) {
  const Arrivals& arrivals = source.arrivals;
  text << "\n[[source]]\nowner = " << source.owner.value << "\nmodel = \"" << source.model
       << "\"\narrivals = \"" << text_of(arrivals.kind) << "\"\n";
  if (arrivals.kind == Arrivals::Kind::periodic || arrivals.kind == Arrivals::Kind::poisson)
    text << "rate = \"" << exact_decimal(arrivals.per_second) << " /s\"\n";
  if (arrivals.kind == Arrivals::Kind::trace) text << "times = \"" << arrivals.file << "\"\n";
  text << "goal = \"" << name_of(source.goal) << "\"\nopen_frames = " << source.open_frames
       << "\nwaiting_frames = " << source.waiting_frames << "\ndrop = \""
       << (source.drops_oldest ? "oldest" : "newest") << "\"\n";
  if (source.deadline) text << "deadline = " << duration_text(*source.deadline) << "\n";
  text << "computes = " << text_of(source.computes) << "\n";
}

void print(std::ostringstream& text, const ExperimentFault& fault) {
  text << "\n[[fault]]\nat = " << duration_text(fault.at) << "\nkind = \""
       << fault_kinds()[static_cast<size_t>(fault.kind)] << "\"\nnode = " << fault.node.value
       << "\n";
  if (is_of_two_nodes(fault.kind)) text << "other = " << fault.other.value << "\n";
  if (fault.kind == FaultKind::slow || fault.kind == FaultKind::spoil)
    text << "factor = " << exact_decimal(fault.factor) << "\n";
}

void print(std::ostringstream& text, const ExperimentFlow& flow) {
  text << "\n[[flow]]\nfrom = " << flow.from.value << "\nto = " << flow.to.value << "\nbytes = \""
       << flow.bytes << " B\"\nat = " << duration_text(flow.at) << "\n";
}

}  // namespace

std::string print(const ExperimentFile& file) {
  std::ostringstream text;
  if (!file.title.empty()) text << "title = \"" << file.title << "\"\n";
  if (!file.cluster_file.empty()) text << "cluster = \"" << file.cluster_file << "\"\n";
  text << "duration = " << duration_text(file.duration)
       << "\nwarm_up = " << duration_text(file.warm_up) << "\nseeds = " << file.seeds
       << "\nseed = " << file.first_seed << "\n\n[policy]\nsteal = " << text_of(file.policy.steals)
       << "\nreplan = " << text_of(file.policy.replans)
       << "\naudit = " << exact_decimal(file.policy.audit_share)
       << "\nplanning = " << duration_text(file.policy.planning) << "\n";
  if (file.cluster_file.empty()) text << "\n" << print(file.cluster);
  for (const ExperimentModel& model : file.models) print(text, model);
  for (const ExperimentSource& source : file.sources) print(text, source);
  for (const ExperimentFault& fault : file.faults) print(text, fault);
  for (const ExperimentFlow& flow : file.flows) print(text, flow);
  return text.str();
}

}  // namespace shingle
