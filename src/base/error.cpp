#include "base/error.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace tintype {

void MessagePart::write(std::ostream& out) const {
  if (write_) {
    write_(out, value_);
  } else {
    out << text_;
  }
}

template <class T>
void MessagePart::write_number(std::ostream& out, T value) {
  out << value;
}
template void MessagePart::write_number(std::ostream&, bool);
template void MessagePart::write_number(std::ostream&, int);
template void MessagePart::write_number(std::ostream&, unsigned);
template void MessagePart::write_number(std::ostream&, long);
template void MessagePart::write_number(std::ostream&, unsigned long);
template void MessagePart::write_number(std::ostream&, long long);
template void MessagePart::write_number(std::ostream&, unsigned long long);
template void MessagePart::write_number(std::ostream&, float);
template void MessagePart::write_number(std::ostream&, double);

std::string join_text(std::initializer_list<MessagePart> parts) {
  std::ostringstream text;
  for (const MessagePart& part : parts) part.write(text);
  return text.str();
}

void fail_with(ErrorCode code, std::initializer_list<MessagePart> parts) {
  throw Error(code, join_text(parts));
}

void assertion_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
  std::abort();
}

}  // namespace tintype
