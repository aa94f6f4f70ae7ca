#include "campaign/run/journal.hpp"

#include <fcntl.h>

#include <cerrno>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr Bytes kLargest = 256_MiB;

}  // namespace

Result<Journal> Journal::create(const std::filesystem::path& folder) {
  auto lines = ChainedLines::create(folder / "events.jsonl");
  if (!lines && lines.error().errno_code() == EEXIST) {
    return Error(ErrorKind::Refused, "`" + folder.string() + "` holds a campaign already")
        .hint("`--resume` continues it; `--out` chooses another folder");
  }
  if (!lines) return std::move(lines).error();
  return Journal(std::move(lines).value());
}

Result<Journal> Journal::resume(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "events.jsonl";
  sys::Fd file = PYBOX_TRY(sys::open_path(path, O_RDWR | O_APPEND | O_NOFOLLOW));
  const std::string text = PYBOX_TRY(sys::read_file(path, kLargest));
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  std::vector<Event> before = PYBOX_TRY(read_events(std::string_view(text).substr(0, whole)));
  if (before.empty()) {
    return Error(ErrorKind::Refused, "the campaign in `" + folder.string() + "` never began")
        .hint("remove the folder and run it again");
  }
  const std::string_view lines = std::string_view(text).substr(0, whole - 1);
  const std::size_t last = lines.rfind('\n');
  Journal journal(
      ChainedLines(std::move(file), before.size(),
                   sha256_hex(last == std::string_view::npos ? lines : lines.substr(last + 1)),
                   monotonic_now() - before.back().at));
  journal.whole_ = whole;
  journal.before_ = std::move(before);
  journal.torn_bytes_ = text.size() - whole;
  return journal;
}

Result<void> Journal::append(Event event) {
  PYBOX_TRY(cut_torn_line());
  return lines_.append([&](const LineHead& head) {
    static_cast<LineHead&>(event) = head;
    return event_to_json(event);
  });
}

/// Only now: who is killed between reading and telling of it leaves it for the next to tell.
Result<void> Journal::cut_torn_line() {
  if (!whole_) return {};
  if (torn_bytes_ > 0) PYBOX_TRY(lines_.cut_to(*whole_));
  whole_.reset();
  return {};
}

}  // namespace pybox::campaign
