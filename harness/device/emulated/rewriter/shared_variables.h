// Rewrites __shared__ variables. Each becomes a reference into memory that the running block owns:
//
//   __shared__ float tile[16][17], sum;
//   float (&tile)[16][17] = kgrade_emulated::shared_variable<float [16][17]>(<slot>); float (&sum) = ...
//
// So every variable is a heap block of its own, also in templates. <slot> is a static variable in a lambda,
// so that a macro may declare several variables. `extern __shared__ T name[]` becomes a pointer to the
// block's dynamic shared memory. At namespace scope, where no block runs yet, the name becomes a pointer that
// is set whenever a block begins (an array) or an object that converts to the variable (a scalar).
//
// If a lambda names such a variable, a capture is added to the lambda. In CUDA, the variable is static and
// needs no capture.
#pragma once

#include <string>
#include <vector>

#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

struct Declarator {
  std::string before;  // "*", "(*"
  std::string name;
  std::string after;  // "[16][17]", ")[4]"
};

struct SharedDeclaration {
  std::size_t begin = 0;  // tokens: [begin, end), the semicolon included
  std::size_t end = 0;
  bool has_semicolon = true;  // the body of a macro may leave it to the macro's user
  bool is_extern = false;
  std::string alignment;  // expression in bytes; empty when the declaration asks for none
  std::string type;       // with const and volatile, without the declarators
  std::vector<Declarator> declarators;
};

// Finds the declarations that hold __shared__. The last declaration may end with the last token instead of a
// semicolon. A declaration of an unknown form is left out: the header's __shared__ macro then makes it static
// thread_local, which also shares it between the threads of a block.
std::vector<SharedDeclaration> find_shared_declarations(Tokens tokens);

// `scopes` has one entry per token.
void rewrite_shared_variables(Tokens tokens, const std::vector<Scope>& scopes, Edits& edits);

}  // namespace kgrade::emulated
