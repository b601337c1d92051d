// A stored weight as one object: codes, scales and whatever else its format keeps, bound together
// while the file is parsed. Renaming moves the object, so nothing can lose a scale.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace tintype {

class File;
class Format;

// One stored tensor of a parameter. Which part means what is the format's business.
struct Part {
  std::span<const std::byte> bytes;
  Shape shape;  // as stored
};

struct Parameter {
  std::string name;                // as in the file: "img_in.weight"
  const Format* format = nullptr;  // never null once parsed
  Shape shape;                     // logical: what a plain float tensor would have
  std::vector<Part> parts;         // parts[0] holds the codes
  Dim rotation = 0;                // columns per ConvRot group; 0: not rotated
  bool weight_only = false;        // the file asks for plain float products with this weight
  std::shared_ptr<const File> file;

  Dim rows() const { return shape.rank() == 0 ? 1 : shape[0]; }
  Dim cols() const { return rows() == 0 ? 0 : shape.elements() / rows(); }
  size_t stored_bytes() const;
};

// What a product does to its input before it meets such a weight.
enum class ActivationCodes {
  kNone,      // plain float
  kInt8Rows,  // rotated by groups of Parameter::rotation, then int8 with one scale per row
};

// How a matrix [rows, cols] is stored, seen as rows; a tensor of higher rank counts as its first
// axis by all the others, a vector as rows of one element.
class Format {
 public:
  virtual ~Format() = default;
  virtual std::string_view name() const = 0;  // "q6_k", "int8"

  // Rows [first, first + count) as f32, un-scaled and un-rotated into out[count * cols].
  virtual void decode_rows(const Parameter& p, Dim first, Dim count, float* out) const = 0;
  virtual ActivationCodes activation(const Parameter&) const { return ActivationCodes::kNone; }
};

// Rows [first, first + rows) of a parameter: a logical weight is a list of these.
struct RowSlice {
  const Parameter* parameter = nullptr;
  Dim first = 0;
  Dim rows = 0;
  bool operator==(const RowSlice&) const = default;
};

// The whole of `p` as f32.
std::vector<float> decode(const Parameter& p);

}  // namespace tintype
