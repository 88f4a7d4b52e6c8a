#!/usr/bin/env bats
# Thread 000 in the lab: the exact path of one PM timer read, by the place that serves it.

bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || exit
  for place in user kernel; do
    timeout 300 build/tickvm lab run --patched --json="$BATS_FILE_TMPDIR/$place.json" -- \
      run --pmtimer=$place build/tickvm.elf -- app=pmtimer test=cost n=500
  done
}

path() { # KIND PLACE: instructions of one reading, all three halves
  jq ".phases[] | select(.name == \"pmtimer.cost.$1\") | .per_operation.path_length.total" \
    "$BATS_FILE_TMPDIR/$2.json"
}

exits() { # KIND PLACE FILTER
  jq -e ".phases[] | select(.name == \"pmtimer.cost.$1\") | $3" "$BATS_FILE_TMPDIR/$2.json"
}

at_most() { # PERCENT A B: A is at most so much of B
  echo "$2 of $3"
  [ $(($2 * 100)) -le $(($3 * $1)) ]
}

@test "a read leaves the guest once: to userspace and KVM, or to KVM alone" {
  exits port user '.exits.total == 501 and (.kvm_exits - 501 | fabs) <= 10'
  exits port kernel '.exits.total == 1 and (.kvm_exits - 501 | fabs) <= 10'
}

@test "a read in KVM is at most 45 % of one in userspace" {
  at_most 45 "$(path port kernel)" "$(path port user)"
}

@test "a read in KVM is at most 105 % of a port that KVM serves already" {
  at_most 105 "$(path port kernel)" "$(path kernel-port kernel)"
}

@test "a read in userspace, lock-free, is at most 105 % of a null port" {
  at_most 105 "$(path port user)" "$(path null-port user)"
}
