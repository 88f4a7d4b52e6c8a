#!/usr/bin/env bats
# Thread 003 in the lab: the exact path of an RTC access and of a periodic tick, lock-free.

bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || exit
  timeout 300 build/tickvm lab run --stock --json="$BATS_FILE_TMPDIR/cost.json" -- \
    run build/tickvm.elf -- app=rtc test=cost n=500
  timeout 300 build/tickvm lab run --stock --json="$BATS_FILE_TMPDIR/ticks.json" -- \
    run --timer-thread=own build/tickvm.elf -- app=rtc test=ticks seconds=1
}

path() { # PHASE FILE: instructions of one operation, all three halves
  jq ".phases[] | select(.name == \"$1\") | .per_operation.path_length.total" \
    "$BATS_FILE_TMPDIR/$2.json"
}

at_most() { # PERCENT A B: A is at most so much of B
  echo "$2 of $3"
  [ $(($2 * 100)) -le $(($3 * $1)) ]
}

@test "a time read is at most 110 % of a null port" {
  at_most 110 "$(path rtc.cost.data cost)" "$(path rtc.cost.null-port cost)"
}

@test "so is a read of register C" {
  at_most 110 "$(path rtc.cost.c cost)" "$(path rtc.cost.null-port cost)"
}

@test "1024 Hz: a tick a period, whose path is counted" {
  jq -e '.verdict.exit_code == 0 and (.rtc_ticks | .due == .delivered + .owed + .dropped)
    and .rtc_ticks.dropped == 0' "$BATS_FILE_TMPDIR/ticks.json"
  echo "instructions of a tick: $(path rtc.ticks ticks)"
  [ "$(path rtc.ticks ticks)" -gt 0 ]
}
