// Ways to raise tintype::Error, and the assertion for broken invariants.
#pragma once

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "tintype/error.h"

namespace tintype {

// One part of a text: anything with an operator<<. It borrows the value, which must outlive it, and
// keeps the streams out of whoever only wants a message.
class MessagePart {
 public:
  template <class T>
  MessagePart(const T& value) : value_(&value), write_(&write_as<T>) {}
  template <std::convertible_to<std::string_view> T>
  MessagePart(const T& text) : text_(text) {}
  MessagePart(char letter) : letter_(letter), text_(&letter_, 1) {}
  MessagePart(const MessagePart&) = delete;
  MessagePart& operator=(const MessagePart&) = delete;

  void write(std::ostream& out) const;

 private:
  template <class T>
  static void write_as(std::ostream& out, const void* value) {
    if constexpr (std::is_arithmetic_v<T>) {
      write_number(out, *static_cast<const T*>(value));
    } else {
      out << *static_cast<const T*>(value);
    }
  }
  template <class T>
  static void write_number(std::ostream& out, T value);  // in error.cpp, for every number type

  char letter_ = 0;
  const void* value_ = nullptr;
  void (*write_)(std::ostream&, const void*) = nullptr;  // null: text_ is meant
  std::string_view text_;
};

std::string join_text(std::initializer_list<MessagePart> parts);
[[noreturn]] void fail_with(ErrorCode code, std::initializer_list<MessagePart> parts);

// "img_in: has ", 3, " rows" -> one string.
template <class... Parts>
std::string concat_text(const Parts&... parts) {
  return join_text({MessagePart(parts)...});
}

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  fail_with(code, {MessagePart(parts)...});
}

// The parts are evaluated even if all is well: they must be there, and cheap.
template <class... Parts>
void check(bool ok, ErrorCode code, const Parts&... parts) {
  if (!ok) fail(code, parts...);
}

// Prints the broken invariant and aborts; never used on anything that comes from outside.
[[noreturn]] void assertion_failed(const char* what, const char* file, int line);

}  // namespace tintype

#define TINTYPE_ASSERT(ok) \
  ((ok) ? static_cast<void>(0) : ::tintype::assertion_failed(#ok, __FILE__, __LINE__))
