#!/usr/bin/env bats
# The series under a kernel that looks for faults: lockdep, KASAN, UBSAN. A word of
# theirs in L1's log fails the run.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../../.." || exit
}

debug_lab() { # ARGUMENT…
  timeout 900 build/tickvm lab run --patched --debug --no-count --timeout 900 "$@" </dev/null
}

@test "the kernel does look: lockdep and KASAN are in it" {
  gcc -O2 -Wall -static -o "$BATS_TEST_TMPDIR/disturb" tests/lab/programs/disturb.c
  debug_lab --exec "$BATS_TEST_TMPDIR/disturb" print /proc/lockdep_stats | grep -q 'lock-classes'
  grep -q ' T __asan_load8' "${TICKVM_LAB_DIR:-build/lab}/labs/patched-debug/kallsyms"
}

@test "the series' own tests pass" {
  local program=$BATS_TEST_TMPDIR/kvm_series
  scripts/kvm-series program "$program"
  run debug_lab --exec "$program"
  echo "$output"
  [ "$status" -eq 0 ]
  run ! grep -qE '^not ok|# SKIP' <<<"$output"
}

@test "smoke and exits pass, with the PM timer inside KVM" {
  debug_lab -- run --quiet --pmtimer=kernel build/tickvm.iso
  debug_lab -- run --quiet --pmtimer=kernel build/tickvm.iso -- app=exits
}
