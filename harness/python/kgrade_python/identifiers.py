"""Makes names for parameters. Each is a unique identifier, valid in C++ and Python."""

import keyword
import re

CPP_KEYWORDS = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq
""".split())
# Names of types and entry points in a candidate's file, and keys of a case.
TAKEN = {"size_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "half",
         "bfloat16", "float16", "float32", "float64", "name", "role", "module", "by_set", "solution", "main", "self", "VAR"}
LONGEST = 60


class Names:
    """The names that have been given. No name is given twice."""

    def __init__(self):
        self.given = set()

    def give(self, wanted):
        """A name as close to `wanted` as possible: "conv.weight" becomes conv_weight, and a second one
        conv_weight_2."""
        name = re.sub(r"[^A-Za-z0-9]+", "_", wanted).strip("_")[:LONGEST].rstrip("_")
        if not name or not name[0].isalpha():
            name = f"p{name}"
        if name in CPP_KEYWORDS or keyword.iskeyword(name) or name in TAKEN:
            name = f"{name}_value"
        unique, number = name, 2
        while unique in self.given:
            unique, number = f"{name}_{number}", number + 1
        self.given.add(unique)
        return unique
