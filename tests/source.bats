#!/usr/bin/env bats
# The source itself: who may include whom, form, and what must not stand in it.


setup() {
  cd "$BATS_TEST_DIRNAME/.."
}

# Prints "FILE INCLUDED" for each quoted include of the files given, INCLUDED from
# the top; what is not in the tree (made by the build) keeps its bare name.
quoted_includes() {
  local file header path
  grep -H '^#include "' "$@" | sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/' |
    while read -r file header; do
      path=$(realpath -m --relative-to=. "$(dirname "$file")/$header")
      [ -e "$path" ] || path=$header
      echo "$file $path"
    done
}

# Fails and shows the includes of files that match none of the allowed patterns.
only_includes() { # PATTERN FILE...
  local allowed=$1 bad
  shift
  bad=$(quoted_includes "$@" | grep -vE "^[^ ]+ ($allowed)\$" || true)
  [ -z "$bad" ] || { echo "$bad"; return 1; }
}

sources() { # DIR...: tracked C and assembly sources below the directories
  git ls-files "$@" | grep -E '\.(c|h|S|def)$'
}

ours() { # all sources but what goes into the kernel's tree, in the kernel's own form
  sources apps drivers kernel vmm tests | grep -v '^vmm/kvm/src/'
}

@test "apps include only drivers' and the kernel's headers" {
  only_includes 'apps/[a-z_]+\.(h|def)|drivers/[a-z0-9_]+\.h|kernel/[a-z_]+\.h' $(sources apps)
}

@test "drivers include only the kernel's headers and one another's" {
  only_includes 'drivers/[a-z0-9_]+\.h|kernel/[a-z_]+\.h' $(sources drivers)
}

@test "the kernel includes nothing above it" {
  only_includes 'kernel/[a-z_]+\.(h|def)|revision\.h' $(sources kernel)
}

@test "the VMM includes nothing of the guest but kernel/abi.h" {
  only_includes 'vmm/.*|kernel/abi\.h|revision\.h|dsdt\.h|syscall_names\.h' $(sources vmm)
}

@test "device models know no KVM, no system call and no host clock" {
  run grep -nE '#include <(linux/|sys/|unistd|fcntl|time|signal|poll)' $(sources vmm/devices)
  [ "$status" -eq 1 ]
}

@test "only the machine, vCPU, irqchip, capabilities and statistics make KVM calls" {
  run bash -c "git grep -lE '\bioctl\([^)]*KVM_' vmm | grep -vE '^vmm/(machine|vcpu|irqchip|kvm_caps)[a-z_]*\.c\$|^vmm/measure/kvm_stats\.c\$'"
  echo "$output"
  [ -z "$output" ]
}

@test "the contract's header is self-contained, for both halves" {
  echo '#include "kernel/abi.h"' | gcc -std=gnu17 -Wall -Wextra -Werror -I. -fsyntax-only -x c -
  echo '#include "kernel/abi.h"' | gcc -std=gnu17 -Wall -Wextra -Werror -I. -fsyntax-only -mgeneral-regs-only -ffreestanding -x c -
}

@test "every source file begins with a comment that says what it is" {
  local file first bad=""
  for file in $(ours | grep -v '\.S$'); do
    first=$(head -c 2 "$file")
    [ "$first" = "/*" ] || bad+="$file "
  done
  echo "no first comment: $bad"
  [ -z "$bad" ]
}

@test "C sources are as clang-format leaves them" {
  clang-format --dry-run --Werror $(ours | grep -E '\.[ch]$')
}

@test "shell scripts pass shellcheck" {
  shellcheck $(git grep -lE '^#!.*(sh|bash)$' -- scripts tests .ci)
}

@test "nothing is left open, and no path of a build machine stands in the tree" {
  run git grep -nIE '\b(TODO|FIXME|XXX|HACK)\b' -- ':!tests/source.bats'
  echo "$output"
  [ "$status" -eq 1 ]
}

@test "scripts/deps lists every package that the README's table explains" {
  local package
  for package in $(scripts/deps --list); do
    grep -qE "\`$package\`" README.md || { echo "not in README: $package"; return 1; }
  done
}
