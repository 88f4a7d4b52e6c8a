#!/usr/bin/env bats
# tickvm compare: counts settle at once, faults of a run are said, specs are checked.

bats_require_minimum_version 1.5.0
load common

WORK='app=gtod clock=pmtimer n=400 batches=1 ring=0'

compare() { # OPTION...: runs it on the work, its report in $report
  need_kvm
  report=$BATS_TEST_TMPDIR/c.json
  # shellcheck disable=SC2086 # the guest's words
  run build/tickvm compare --json="$report" "$@" -- $WORK
  echo "$output"
}

@test "compare: a side that exits per read is worse than one that does not, by two pairs" {
  compare --a=--pmtimer=exitless --b=--pmtimer=user
  [ "$status" -eq 1 ]
  [[ ${lines[-1]} =~ ^'FAIL  worse: exits to userspace of gtod.pmtimer.ring0 '.*' 2 pairs' ]]
  jq -e '.pairs == 2 and .rows[1].exits_to_userspace.finding == "worse"' "$report"
}

@test "compare: the other way round it is better, and a pass" {
  compare --a=--pmtimer=user --b=--pmtimer=exitless
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} = 'PASS  better: '* ]]
}

@test "compare: the same twice is never a difference of counts, and never a failure" {
  compare --max-seconds=2
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ]
  jq -e '.rows[1].exits_to_userspace.finding == "no difference"' "$report"
  jq -e '.order == "ABBA" and .pairs >= 2 and (.pairs % 2) == 0' "$report"
}

@test "compare: a mutant of another build is found by its name" {
  compare --b='tickvm:build/tickvm-mutants --mutant=exitless_falls_back --pmtimer=exitless' \
    --a=--pmtimer=exitless
  [ "$status" -eq 1 ]
  jq -e '.verdict.reason | startswith("worse: exits to userspace")' "$report"
}

@test "compare: QEMU's emulator as the other side, judged by the guest's own lines" {
  need_kvm
  command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
  run build/tickvm compare --max-seconds=1 --json="$BATS_TEST_TMPDIR/c.json" \
    --b=qemu:,accel=tcg build/tickvm.elf -- app=hello
  echo "$output"
  [ "$status" -ne 2 ]
  jq -e '.rows[0].name == "run" and .rows[0].cpu_ns.b > 0' "$BATS_TEST_TMPDIR/c.json"
}

@test "compare: any command is a side; the image and the guest's words are its arguments" {
  need_kvm
  command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
  run build/tickvm compare --max-seconds=1 --json="$BATS_TEST_TMPDIR/c.json" \
    --b='exec:scripts/qemu build/tickvm %i -append %c' build/tickvm.elf -- app=hello
  echo "$output"
  [ "$status" -ne 2 ]
  jq -e '.rows[0].time_ns.b > 0' "$BATS_TEST_TMPDIR/c.json"
}

@test "compare: a side that fails ends it, and says which and why" {
  need_kvm
  run build/tickvm compare --a= --b='tickvm:build/tickvm-mutants --mutant=pmtimer_rounded_period' \
    -- app=pmtimer test=rate
  echo "$output"
  [ "$status" -eq 1 ]
  [[ ${lines[-1]} = 'FAIL  B ends with 1'* ]]
}

@test "compare refuses what it does not know, in one line" {
  refuses 2 'neither options' build/tickvm compare --a=nosuch
  refuses 2 'cannot run /nosuch' build/tickvm compare --a=tickvm:/nosuch
  refuses 2 'A ends with 2: .*lock' build/tickvm compare --a=--lock=nosuch
  refuses 2 'no %i' build/tickvm compare --a=exec:true
  refuses 2 'keys are' build/tickvm compare --a=qemu:,nosuch=1 build/tickvm.elf
  refuses 2 'ELF image' build/tickvm compare --a=qemu: build/tickvm.iso -- app=hello
  refuses 2 'threshold' build/tickvm compare --threshold=0
  refuses 2 'max-seconds' build/tickvm compare --max-seconds=0
  refuses 2 'one IMAGE' build/tickvm compare a.iso b.iso
}

@test "compare --help fits a screen" {
  run build/tickvm compare --help
  [ "$status" -eq 0 ]
  [ "$(wc -l <<<"$output")" -le 24 ]
}
