#!/usr/bin/env bash
# lint_catalogue.sh KGRADE    in the root of the checkout
set -euo pipefail
kgrade=$1
"$kgrade" lint --no-run
files=()
while read -r slug; do
  files+=("problems/$slug.md")
done < <(tools/drawn_problems.py)
[ ${#files[@]} -gt 0 ]
"$kgrade" lint --device emulated "${files[@]}"
