#pragma once
/// A receipt and what came with it as the result of a call: made to fit, then signed.

#include <cstddef>
#include <optional>
#include <string>

#include "mcp/operator.hpp"
#include "receipt/receipt.hpp"

namespace pybox::mcp {

/// Sizes are those of the JSON on the wire.
constexpr std::size_t kMaxReceiptBytes = std::size_t{64} * 1024;
constexpr std::size_t kMaxResponseBytes = std::size_t{256} * 1024;
/// Contents of returned files in all, before encoding.
constexpr std::size_t kMaxReturnedContent = std::size_t{48} * 1024;
constexpr std::size_t kMaxOmittedNames = 16;

struct Delivered {
  std::string body;     ///< members of a CallToolResult: content, structuredContent, isError
  std::string receipt;  ///< the signed receipt as it is kept
};

/// What does not fit is left out in the order file content, stderr, stdout, series, seal, and said
/// in `delivery`; the receipt is signed afterwards (a missing key: signature null). `budget` is the
/// most `body` may have. The tool decides the form: run_python's text block is the structured
/// content itself, execute_python's the readable result.
Delivered deliver(Receipt receipt, const SigningKey* key, Tool tool, std::size_t budget);

/// A result of nothing but a text, for the tools that run no program.
std::string text_result(const std::string& text, bool is_error);

}  // namespace pybox::mcp
