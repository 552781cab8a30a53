#include "apps/cli/manual.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "apps/cli/command_line.hpp"

namespace shingle {
namespace {

// roff takes a backslash for an escape, a hyphen for a place to break, and a dot or a quote at the
// start of a line for a command.
std::string roff(const std::string& text) {
  std::string safe;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else {
      safe += letter;
    }
    at_start = letter == '\n';
  }
  return safe;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// "--memory CAP" as the help shows it, without what CLI11 adds about types.
std::string shown_type(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string name = option.get_type_name();
  for (const char* check : {":INT", ":FLOAT", ":POSITIVE", ":{"})
    name = name.substr(0, name.find(check));
  return name;
}

void write_options(const CLI::App& verb, std::ostream& page) {
  for (const CLI::Option* option : verb.get_options()) {
    page << ".TP\n\\fB" << roff(option->get_name(option->get_positional(), true)) << "\\fR";
    if (const std::string type = shown_type(*option);
        !type.empty() && !option->get_lnames().empty())
      page << " \\fI" << roff(type) << "\\fR";
    page << "\n" << roff(option->get_description()) << "\n";
  }
}

void write_verb(const CLI::App& verb, std::ostream& page) {
  page << ".SS " << roff(verb.get_name()) << "\n" << roff(verb.get_description()) << "\n";
  write_options(verb, page);
  for (const CLI::App* action : verbs_of(verb)) {
    page << ".TP\n\\fB" << roff(verb.get_name() + " " + action->get_name()) << "\\fR\n"
         << roff(action->get_description()) << "\n.RS\n";
    write_options(*action, page);
    page << ".RE\n";
  }
  if (!verb.get_footer().empty()) page << ".PP\n.nf\n" << roff(verb.get_footer()) << "\n.fi\n";
}

std::string upper(std::string text) {
  for (char& letter : text)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return text;
}

std::string options_of(const CLI::App& verb) {
  std::string words;
  for (const CLI::App* action : verbs_of(verb)) {
    words += (words.empty() ? "" : " ") + action->get_name();
    if (const std::string more = options_of(*action); !more.empty()) words += " " + more;
  }
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames())
      words += (words.empty() ? "--" : " --") + name;
  return words;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& program) {
  std::ostringstream page;
  page << ".TH " << upper(program) << " 1 \"\" \"" << program_version << "\" \"User Commands\"\n"
       << ".SH NAME\n"
       << roff(program) << " \\- " << roff(app.get_description()) << "\n"
       << ".SH SYNOPSIS\n.B " << roff(program) << "\n.I VERB\n.RI [ options ]\n"
       << ".SH VERBS\n";
  for (const CLI::App* verb : verbs_of(app)) write_verb(*verb, page);
  if (!app.get_footer().empty())
    page << ".SH EXAMPLES\n.nf\n" << roff(app.get_footer()) << "\n.fi\n";
  page << ".SH EXIT STATUS\n"
       << "0: success. 1: failure while running. 2: wrong usage. 3: bad input. One sentence on "
          "standard "
          "error says what is wrong.\n";
  return page.str();
}

std::string bash_completion(const CLI::App& app, const std::string& program) {
  std::string function = "_" + program;
  std::replace(function.begin(), function.end(), '-', '_');
  std::ostringstream script;
  std::string verbs;
  for (const CLI::App* verb : verbs_of(app)) verbs += (verbs.empty() ? "" : " ") + verb->get_name();
  script << "# Completions of " << program << " for bash.\n"
         << function << "() {\n"
         << "  local word=${COMP_WORDS[COMP_CWORD]} words=\n"
         << "  if [ \"$COMP_CWORD\" -eq 1 ]; then words='" << verbs << " --help --version'; else\n"
         << "    case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* verb : verbs_of(app))
    script << "      " << verb->get_name() << ") words='" << options_of(*verb) << "' ;;\n";
  script << "    esac\n"
         << "    [[ $word == -* || $COMP_CWORD -eq 2 ]] || words=\n"
         << "  fi\n"
         << "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         << "}\n"
         << "complete -o default -F " << function << " " << program << "\n";
  return script.str();
}

}  // namespace shingle
