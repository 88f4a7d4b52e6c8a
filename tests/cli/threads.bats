#!/usr/bin/env bats
# Whole runs under ThreadSanitizer: no data race, no lock taken in two orders.

bats_require_minimum_version 1.5.0
load common

# OPTION... IMAGE [-- GUEST COMMAND LINE]
is_clean() {
  TSAN_OPTIONS=exitcode=66 run timeout 120 build/tickvm-tsan run --quiet "$@" </dev/null
  echo "$*: exit $status: $output"
  [ "$status" -eq 0 ]
}

@test "two CPUs, every chip" {
  need_kvm
  is_clean --cpus=2 --timer-thread=own build/tickvm.elf -- app=smoke
  is_clean --cpus=2 --virtual-time build/tickvm.elf -- app=smoke
}

@test "the RTC's ports, timer and interrupt, under each lock and in each thread" {
  local lock raise thread
  need_kvm
  for lock in free device big; do
    for raise in none big; do
      for thread in main own; do
        is_clean --lock=$lock --raise-lock=$raise --timer-thread=$thread \
          build/guests/rtc_storm.elf
      done
    done
  done
}
