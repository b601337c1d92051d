// A polite request to stop a job. Whoever starts the job owns the flag; the job looks at it often.
#pragma once

#include <atomic>

namespace tintype {

using CancelFlag = std::atomic<bool>;

// Throws kCancelled once `flag` is set; null means that nobody can ask.
void stop_if_cancelled(const CancelFlag* flag);

}  // namespace tintype
