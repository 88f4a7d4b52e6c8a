#!/usr/bin/env bats
# The series of vmm/kvm/: its own tests, in the labs, and what `git am` makes of it.

bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.."
  export PROGRAM=$BATS_FILE_TMPDIR/kvm_series
  scripts/kvm-series program "$PROGRAM"
}

setup() {
  cd "$BATS_TEST_DIRNAME/../.."
}

@test "the series' tests pass on a patched kernel, which warns of nothing" {
  run build/tickvm lab run --patched --exec "$PROGRAM"
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q '^1\.\.15' <<<"$output"
  ! grep -Eq '^not ok|# SKIP' <<<"$output"
}

@test "they are skipped on a stock kernel, each with its reason" {
  run build/tickvm lab run --stock --exec "$PROGRAM"
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(grep -Ec '^ok [0-9]+ .* # SKIP KVM_CAP_(PMTIMER|HALT_POLL_TIMER) is missing' <<<"$output")" -eq 15 ]
}

@test "new files are kept as the patches make them, for each kernel" {
  for target in vmm/kvm/series/*/; do
    made=$BATS_TEST_TMPDIR/$(basename "$target")
    mkdir "$made"
    cat "$target"/*.patch | (cd "$made" && GIT_CEILING_DIRECTORIES=$BATS_TEST_TMPDIR git apply --include='*/pmtimer.[ch]' -)
    for file in vmm/kvm/src/*; do
      cmp "$file" "$made/arch/x86/kvm/$(basename "$file")"
    done
  done
}

@test "apply says when no series fits, and changes nothing" {
  mkdir -p "$BATS_TEST_TMPDIR/kernel/virt/kvm"
  echo 'int nothing;' >"$BATS_TEST_TMPDIR/kernel/virt/kvm/kvm_main.c"
  run scripts/kvm-series apply "$BATS_TEST_TMPDIR/kernel"
  [ "$status" -eq 1 ]
  grep -q 'no series fits' <<<"$output"
  [ "$(find "$BATS_TEST_TMPDIR/kernel" -type f | wc -l)" -eq 1 ]
  run scripts/kvm-series apply "$BATS_TEST_TMPDIR"
  [ "$status" -eq 2 ]
}
