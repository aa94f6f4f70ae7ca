/// JSON on the link: orders, reports and the small heads. What is accepted, written and read again
/// is written the same: neither side can be told two things by one message. The first byte says
/// which reader is meant.

#include "link/control.hpp"
#include "link/order.hpp"
#include "oracle.hpp"
#include "receipt/report.hpp"

namespace pybox::fuzz {
namespace {

/// `write(read(text))` must be a fixed point of itself.
template <class Reader, class Writer>
void check(std::string_view text, Reader read, Writer write) {
  const auto first = read(text);
  if (!first) {
    require_showable(first.error());
    return;
  }
  std::string written = write(*first);
  const auto second = read(written);
  require(second.has_value(), "what was written cannot be read");
  if (has_seeded_defect()) written += ' ';
  require(write(*second) == written, "written again, another message");
}

void check_order(std::string_view text) {
  check(text, link::order_head_from, [](const link::OrderHead& head) {
    // A writer counts the bytes it has; here only their number is known.
    link::RunOrder order = head.order;
    order.request.program.assign(head.program_bytes, 'x');
    for (const auto& file : head.inputs) {
      order.request.inputs.push_back({file.name, std::string(file.bytes, 'x'), file.kind});
    }
    return link::order_head(order);
  });
}

void check_report(std::string_view text) {
  check(
      text, [](std::string_view json) { return report_from_json(json); },
      [](const RunReport& report) { return report_to_json(report); });
}

void check_head(unsigned which, std::string_view text) {
  switch (which) {
    case 0: return check(text, link::hello_from, link::hello_head);
    case 1: return check(text, link::ready_from, link::ready_head);
    case 2: return check(text, link::failed_from, link::failed_head);
    case 3: return check(text, link::attach_from, link::attach_head);
    case 4: return check(text, link::image_ready_from, link::image_ready_head);
    case 5: return check(text, link::stop_from, link::stop_head);
    case 6: return check(text, link::stream_from, link::stream_head);
    case 7: return check(text, link::stdin_taken_from, link::stdin_taken_head);
    case 8: return check(text, link::guest_from, link::guest_head);
    default: return check(text, link::ask_status_from, link::ask_status_head);
  }
}

}  // namespace
}  // namespace pybox::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace fuzz = pybox::fuzz;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  switch (data[0]) {
    case 'o': fuzz::check_order(text); break;
    case 'r': fuzz::check_report(text); break;
    case 's': fuzz::check(text, pybox::seal_from_json, pybox::seal_to_json); break;
    default: fuzz::check_head(data[0] % 10U, text);
  }
  return 0;
}
