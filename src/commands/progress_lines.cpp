#include "commands/progress_lines.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/os.h"

namespace tintype {
namespace {

constexpr int kBarColumns = 30;

std::string steps_of(const Event& event) {
  return event.steps == 0 ? std::string()
                          : "  " + std::to_string(event.step) + "/" + std::to_string(event.steps);
}

int percent(const Event& event) {
  return static_cast<int>(std::clamp(event.fraction, 0.0, 1.0) * 100);
}

}  // namespace

ProgressStyle progress_style(bool quiet, bool json) {
  if (json) return ProgressStyle::kJson;
  if (quiet) return ProgressStyle::kNone;
  return error_is_terminal() ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string event_json(const Event& event) {
  nlohmann::ordered_json line;
  switch (event.kind) {
    case Event::Kind::kStage:
      line = {{"event", "stage"}, {"stage", event.stage}, {"text", event.text}};
      break;
    case Event::Kind::kNotice:
      line = {{"event", "notice"}, {"stage", event.stage}, {"text", event.text}};
      break;
    case Event::Kind::kProgress:
      line = {{"event", "progress"},
              {"stage", event.stage},
              {"step", event.step},
              {"steps", event.steps},
              {"fraction", event.fraction}};
      break;
  }
  return line.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

// Whether the stage has gone on by another part since something was shown.
bool ProgressLines::advanced(const Event& event, int parts) {
  const int part = percent(event) * parts / 100;
  if (event.stage == stage_ && part <= shown_) return false;
  const bool first = event.stage != stage_;
  stage_ = event.stage;
  shown_ = part;
  return !first || part > 0;
}

void ProgressLines::draw_bar(const Event& event) {
  const int filled = percent(event) * kBarColumns / 100;
  std::ostringstream bar;
  bar << std::left << std::setw(8) << event.stage << " [" << std::string(filled, '#')
      << std::string(kBarColumns - filled, '.') << "] " << std::right << std::setw(3)
      << percent(event) << " %" << steps_of(event);
  const std::string text = bar.str();
  out_ << "\r" << text
       << std::string(bar_columns_ > text.size() ? bar_columns_ - text.size() : 0, ' ')
       << std::flush;
  bar_columns_ = text.size();
}

void ProgressLines::show(const Event& event) {
  const bool progress = event.kind == Event::Kind::kProgress;
  if (style_ == ProgressStyle::kJson) {
    if (!progress || advanced(event, 100)) out_ << event_json(event) << std::endl;
  } else if (event.kind == Event::Kind::kNotice && style_ != ProgressStyle::kNone) {
    finish();
    out_ << "note: " << event.text << std::endl;
  } else if (progress && style_ == ProgressStyle::kBar) {
    if (advanced(event, 100)) draw_bar(event);
  } else if (progress && style_ == ProgressStyle::kLines) {
    if (advanced(event, 10))
      out_ << event.stage << " " << shown_ * 10 << " %" << steps_of(event) << std::endl;
  }
}

void ProgressLines::finish() {
  if (bar_columns_ > 0) out_ << "\r" << std::string(bar_columns_, ' ') << "\r" << std::flush;
  bar_columns_ = 0;
}

}  // namespace tintype
