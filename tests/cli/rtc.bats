#!/usr/bin/env bats
# The RTC on the board: its interrupt, its locks, its timer, the wall clock, virtual time.

bats_require_minimum_version 1.5.0
load common

day_ns=86400000000000

# Runs a guest of build/guests to its good end, the result in $json.
passes() { # GUEST OPTION...
  local guest=build/guests/$1.elf
  shift
  json=$BATS_TEST_TMPDIR/result.json
  run timeout -k 1 60 build/tickvm run --quiet --timeout=40 --json="$json" "$@" "$guest" </dev/null
  echo "$*: exit $status: $output"
  [ "$status" -eq 0 ]
}

# The result holds it.
holds() { # JQ-EXPRESSION
  jq -c '[.rtc_ticks, .timers, .times_ns]' "$json"
  jq -e "$1" "$json" >/dev/null
}

ticks_add_up='(.rtc_ticks | .due > 0 and .due == .delivered + .owed + .dropped)'
rtc_wakeups='[.timers[] | select(.name == "rtc")][0].wakeups'

@test "IRQ 8 comes through the I/O APIC in KVM and the one here, and every tick is accounted for" {
  local irqchip
  need_kvm
  for irqchip in kernel split; do
    passes rtc_ticks --irqchip=$irqchip
    holds "$ticks_add_up and (.rtc_ticks.delivered == 2048)"
  done
}

@test "--rtc-driftfix=slew drops no tick" {
  need_kvm
  passes rtc_ticks --rtc-driftfix=slew
  holds "$ticks_add_up and .rtc_ticks.delivered == 2048 and .rtc_ticks.dropped == 0"
}

@test "ports, timer and interrupt at once, under each lock and in each thread: none stands still" {
  local lock raise thread
  need_kvm
  for lock in free device big; do
    for raise in none big; do
      for thread in main own; do
        passes rtc_storm --lock=$lock --raise-lock=$raise --timer-thread=$thread
        holds "$ticks_add_up and .rtc_ticks.delivered > 0 and ($rtc_wakeups > 0)"
        holds ".options.raise_lock == \"$raise\" and .options.timer_thread == \"$thread\""
      done
    done
  done
}

@test "no interrupt enabled: the RTC's timer never wakes the VMM, though its time is read" {
  need_kvm
  passes rtc_watch
  holds "$rtc_wakeups == 0 and .rtc_ticks.due == 0"
}

@test "virtual time: 1024 Hz is exact, and a run is like the other, with either I/O APIC" {
  local irqchip clock=
  need_kvm
  for irqchip in kernel split kernel; do
    passes rtc_ticks --virtual-time --rtc-base=2024-01-01 --irqchip=$irqchip
    holds '.rtc_ticks == {due: 2048, delivered: 2048, owed: 0, dropped: 0}'
    holds "$rtc_wakeups == 2048 and .timers[1].late_ns_max == 0"
    : "${clock:=$(jq .times_ns.clock "$json")}"
    holds ".times_ns.clock == $clock"
  done
  # The first tick is 1/1024 s after the divider's start; each exit is a microsecond.
  [ $((clock / 1000000000)) -eq 2 ]
}

@test "virtual time: a year of alarms, on the second, in every lock mode" {
  local lock clock=
  need_kvm
  for lock in free device big; do
    passes rtc_year --virtual-time --rtc-base=2023-12-31 --lock=$lock
    holds "$rtc_wakeups == 365"
    holds ".times_ns.clock - 365 * $day_ns | . >= 0 and . < 100000"
    : "${clock:=$(jq .times_ns.clock "$json")}"
    holds ".times_ns.clock == $clock"
  done
}

@test "--host-clock-step moves the date, and with it the alarm; --rtc-clock=vm does not see it" {
  local base=(--virtual-time --rtc-base=2024-01-01)
  need_kvm
  passes rtc_midnight "${base[@]}" --host-clock-step=3600@10s
  holds ".times_ns.clock - 23 * $day_ns / 24 | . >= 0 and . < 100000"
  # Back past midnight, which comes once more.
  passes rtc_midnight "${base[@]}" --host-clock-step=3600@10s --host-clock-step=-7200@20s
  holds ".times_ns.clock - $day_ns / 24 | . >= 0 and . < 100000"
  passes rtc_midnight "${base[@]}" --host-clock-step=3600@10s --rtc-clock=vm
  holds ".times_ns.clock - $day_ns | . >= 0 and . < 100000"
}

@test "virtual time stands for a guest that has halted for ever, which ends the run" {
  need_kvm
  ends 1 "halted for ever" build/tickvm run --virtual-time build/guests/halted.elf
}

@test "a signal ends a run whose output nobody reads, in each lock mode" {
  local lock vmm reader code
  need_kvm
  mkfifo "$BATS_TEST_TMPDIR/pipe"
  for lock in free big; do
    sleep 60 3<"$BATS_TEST_TMPDIR/pipe" &
    reader=$!
    timeout -k 5 30 build/tickvm run --quiet --lock=$lock build/guests/print.elf \
      >"$BATS_TEST_TMPDIR/pipe" </dev/null 3>&- &
    vmm=$!
    sleep 1 # until the pipe is full
    kill -TERM $vmm
    code=0
    wait $vmm || code=$?
    kill $reader
    echo "--lock=$lock: $code"
    [ "$code" -eq 3 ]
  done
}

@test "rtc: as the guest's clock source it never steps back, and owes no tick at last" {
  need_kvm
  run build/tickvm run --quiet --rtc-driftfix=slew --json="$BATS_TEST_TMPDIR/g.json" \
    build/tickvm.iso -- app=gtod clock=rtc ring=0 n=2000
  echo "$output"
  grep -q '^ok 1 time of day never steps back' <<<"$output"
  jq -e '.rtc_ticks | .delivered > 50 and .dropped == 0 and .due == .delivered + .owed' \
    "$BATS_TEST_TMPDIR/g.json"
}

@test "rtc: an idle guest with no interrupt enabled wakes the VMM for no timer of the RTC" {
  need_kvm
  build/tickvm run --quiet --json="$BATS_TEST_TMPDIR/i.json" build/tickvm.iso -- app=smoke >/dev/null
  jq -e '[.timers[] | select(.name == "rtc").wakeups] == [0]' "$BATS_TEST_TMPDIR/i.json"
}
