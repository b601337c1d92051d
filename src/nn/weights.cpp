#include "nn/weights.h"

#include "base/error.h"

namespace tintype {
namespace {

std::string joined(const std::string& a, std::string_view b) {
  return a.empty() ? std::string(b) : concat_text(a, ".", b);
}

}  // namespace

Binding::Binding(std::shared_ptr<const WeightIndex> index, std::string label, std::string prefix,
                 const NameLayout& layout)
    : index_(std::move(index)),
      label_(std::move(label)),
      prefix_(std::move(prefix)),
      layout_(layout) {}

std::vector<RowSlice> Binding::find(const std::string& module, std::string_view leaf) {
  std::vector<RowSlice> out;
  std::string missing;
  for (const StoredRows& s : stored_rows(layout_.rules, module)) {
    const std::string name = prefix_ + joined(s.module, leaf);
    const Parameter* p = index_->find(name);
    if (!p) {
      missing = name;
      continue;
    }
    const Dim rows = p->rows() / s.parts, first = rows * s.part;
    check(p->rows() % s.parts == 0 && first % p->format->row_multiple() == 0, ErrorCode::kBadFile,
          index_->path(), ": ", name, " has ", p->rows(), " rows of ", p->format->name(),
          ", which cannot be cut into ", s.parts);
    used_.insert(p);
    out.push_back({p, first, rows});
  }
  check(out.empty() || missing.empty(), ErrorCode::kBadFile, index_->path(), ": ", missing,
        " is missing, though other parts of ", module, " are there");
  return out;
}

Weights Weights::at(const std::string& child) const {
  return Weights(*binding_, joined(module_, child));
}

Weights Weights::at(const std::string& list, int index) const {
  return at(concat_text(list, ".", index));
}

bool Weights::has(std::string_view leaf) const { return !find(leaf).empty(); }

std::vector<RowSlice> Weights::rows(std::string_view leaf) const {
  std::vector<RowSlice> out = find(leaf);
  if (!out.empty()) return out;
  const auto stored = stored_rows(binding_->layout().rules, module_);
  fail(ErrorCode::kBadFile, binding_->index().path(), ": ", binding_->prefix(),
       joined(stored[0].module, leaf), " is missing, ", component(), " needs it");
}

Shape Weights::shape(std::string_view leaf) const {
  const std::vector<RowSlice> slices = rows(leaf);
  const Parameter& first = *slices[0].parameter;
  Shape shape = first.shape;
  if (shape.rank() == 0) return shape;
  shape[0] = 0;
  for (const RowSlice& s : slices) {
    check(s.parameter->cols() == first.cols(), ErrorCode::kBadFile, binding_->index().path(),
          ": the parts of ", module_, ".", leaf, " have ", first.cols(), " and ",
          s.parameter->cols(), " columns, needs equal ones");
    shape[0] += s.rows;
  }
  return shape;
}

int Weights::count(const std::string& list, const std::string& module,
                   std::string_view leaf) const {
  int n = 0;
  while (at(list, n).at(module).has(leaf)) ++n;
  return n;
}

}  // namespace tintype
