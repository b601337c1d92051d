// The options of one command: what may be typed, where it goes, and what --help says about it.
// CLI11 works behind this header and appears nowhere else.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tintype {

class Options {
 public:
  // `command` is its name, "plan".
  Options(const std::string& command, const std::string& summary, const std::string& examples);
  ~Options();

  // Title under which --help lists the options that follow.
  void group(std::string title) { group_ = std::move(title); }

  // `flags` are as people type them, "-o,--out"; a name without dashes is a positional argument.
  // `value` must outlive parse(); what it holds now is the default, which --help shows.
  // `placeholder` stands for the value in --help. Texts and lists, numbers:
  template <class T>
  void add(const std::string& flags, T& value, const std::string& placeholder,
           const std::string& help);
  // Flags without a value.
  void add(const std::string& flags, bool& value, const std::string& help);

  // The arguments after the command's name. Throws kUsage, with a hint, for what cannot be
  // understood; false if --help was asked for, and printed.
  bool parse(int count, const char* const* arguments);
  // Whether `flag`, one of those added, was typed.
  bool given(const std::string& flag) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string command_, group_ = "Options";
};

extern template void Options::add(const std::string&, std::string&, const std::string&,
                                  const std::string&);
extern template void Options::add(const std::string&, std::vector<std::string>&, const std::string&,
                                  const std::string&);
extern template void Options::add(const std::string&, int&, const std::string&, const std::string&);
extern template void Options::add(const std::string&, uint64_t&, const std::string&,
                                  const std::string&);
extern template void Options::add(const std::string&, double&, const std::string&,
                                  const std::string&);

// Whole texts as values; throw kUsage: `--width: "abc" is not a whole number`.
void parse_value(std::string_view what, const std::string& text, int& value);
void parse_value(std::string_view what, const std::string& text, uint64_t& value);
void parse_value(std::string_view what, const std::string& text, double& value);
void parse_value(std::string_view what, const std::string& text, std::string& value);

}  // namespace tintype
