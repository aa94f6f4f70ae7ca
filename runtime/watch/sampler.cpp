#include "watch/sampler.hpp"

#include <algorithm>

namespace pybox::watch {

Nanos Sampler::due_time(std::size_t index) const {
  if (index < kEarlySamples) return kFirstGap * (index + 1);
  const Nanos early = kFirstGap * kEarlySamples;
  const Nanos gap = std::max<Nanos>(kFirstGap, (limit_ - early) / kLateSamples);
  return early + gap * (index - kEarlySamples + 1);
}

std::optional<Nanos> Sampler::due() const {
  if (next_ >= kEarlySamples + kLateSamples) return std::nullopt;
  Nanos due = due_time(next_);
  // Never closer than the first gap, also after a late reading.
  if (!series_.empty()) due = std::max<Nanos>(due, series_.back().at + kFirstGap);
  return due;
}

void Sampler::take(Nanos at, Sample reading) {
  reading.at = at;
  series_.push_back(std::move(reading));
  ++next_;
  // The one just taken stands for the latest due time that has passed; those before it are lost.
  while (next_ < kEarlySamples + kLateSamples && due_time(next_) <= at) {
    ++next_;
    ++lost_;
  }
}

}  // namespace pybox::watch
