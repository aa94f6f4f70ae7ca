#pragma once
/// What every page of ours begins and ends with: the style sheet inside, a policy that lets nothing
/// else in, light and dark by the reader's own setting.

#include <string>
#include <string_view>

namespace pybox::reports {

/// "'sha256-…'": names a style sheet or script in a Content-Security-Policy.
std::string policy_source(std::string_view text);

/// A page without a script. `title` is text, `body` HTML.
std::string still_page(std::string_view title, std::string_view body);

/// The same with one script, behind the body; the policy lets no other run.
std::string scripted_page(std::string_view title, std::string_view body, std::string_view script);

/// The same that takes the reader on to `address`, a relative path, at once; `body` holds the link
/// for who is not taken.
std::string forwarding_page(std::string_view title, std::string_view address,
                            std::string_view body);

}  // namespace pybox::reports
