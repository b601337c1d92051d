#include "commands/options.h"

#include <algorithm>
#include <iostream>
#include <type_traits>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/nearest_name.h"
#include "commands/numbers.h"

namespace tintype {
namespace {

// A default as --help shows it; nothing where it is empty or zero, which the help explains.
template <class T>
std::string shown(const T& value) {
  return value == T{} ? std::string() : concat_text(value);
}
std::string shown(const std::vector<std::string>&) { return {}; }

std::string last_name(const std::string& flags) {
  return flags.substr(flags.find_last_of(',') + 1);
}

}  // namespace

void parse_value(std::string_view what, const std::string& text, int& value) {
  check(parse_number(text, value), ErrorCode::kUsage, what, ": \"", text,
        "\" is not a whole number");
}

void parse_value(std::string_view what, const std::string& text, uint64_t& value) {
  check(parse_number(text, value), ErrorCode::kUsage, what, ": \"", text,
        "\" is not a whole number from 0 up");
}

void parse_value(std::string_view what, const std::string& text, double& value) {
  check(parse_number(text, value), ErrorCode::kUsage, what, ": \"", text, "\" is not a number");
}

void parse_value(std::string_view, const std::string& text, std::string& value) { value = text; }

struct Options::Parser {
  CLI::App app;
};

Options::Options(const std::string& command, const std::string& summary,
                 const std::string& examples)
    : parser_(new Parser), command_(command) {
  CLI::App& app = parser_->app;
  app.description(summary);
  app.name("tintype " + command);
  app.footer("\nExamples:\n" + examples);
  app.set_help_flag("-h,--help", "print this and stop")->group("Everywhere");
  app.get_formatter()->column_width(34);
  app.get_formatter()->label("Positionals", "Arguments");
}

Options::~Options() = default;

template <class T>
void Options::add(const std::string& flags, T& value, const std::string& placeholder,
                  const std::string& help) {
  constexpr bool kList = std::is_same_v<T, std::vector<std::string>>;
  CLI::Option* option;
  if constexpr (kList) {
    option = parser_->app.add_option(flags, value, help);
    if (flags.starts_with('-')) option->allow_extra_args(false);  // one value each time
  } else {
    const auto store = [name = last_name(flags), &value](const std::string& text) {
      parse_value(name, text, value);
    };
    option = parser_->app.add_option_function<std::string>(flags, store, help);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  option->type_name(placeholder)->group(group_);
  if (const std::string text = shown(value); !text.empty()) option->default_str(text);
}

template void Options::add(const std::string&, std::string&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, std::vector<std::string>&, const std::string&,
                           const std::string&);
template void Options::add(const std::string&, int&, const std::string&, const std::string&);
template void Options::add(const std::string&, uint64_t&, const std::string&, const std::string&);
template void Options::add(const std::string&, double&, const std::string&, const std::string&);

void Options::add(const std::string& flags, bool& value, const std::string& help) {
  parser_->app.add_flag(flags, value, help)->group(group_);
}

bool Options::parse(int count, const char* const* arguments) {
  const std::string hint = "tintype " + command_ + " --help lists what there is";
  CLI::App& app = parser_->app;
  try {
    std::vector<std::string> reversed(arguments, arguments + count);
    std::reverse(reversed.begin(), reversed.end());
    app.parse(std::move(reversed));
    return true;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ExtrasError&) {
    const std::string unknown = app.remaining().front();
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view near = nearest_name(unknown, candidates);
    throw Error(ErrorCode::kUsage, concat_text(command_, ": ", unknown, " is unknown"),
                near.empty() ? hint : concat_text("did you mean ", near, "?"));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::kUsage, concat_text(command_, ": ", error.what()), hint);
  }
}

bool Options::given(const std::string& flag) const { return parser_->app.count(flag) > 0; }

}  // namespace tintype
