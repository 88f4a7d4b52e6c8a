#!/usr/bin/env bats
# Every option's bad values: one line that names the option, exit code 2.

bats_require_minimum_version 1.5.0
load common

elf=build/tickvm.elf

@test "no sub-command, an unknown one: help or one line" {
  refuses 2 "" build/tickvm
  refuses 2 "nosuch" build/tickvm nosuch
}

@test "--help fits a screen, for all and for each sub-command; --version names itself" {
  local command
  for command in "" run parse host; do
    run build/tickvm $command --help
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -le 40 ]
    [ "$(awk '{ if (length > m) m = length } END { print m }' <<<"$output")" -le 100 ]
  done
  run build/tickvm --version
  [ "$status" -eq 0 ]
  grep -q '^tickvm ' <<<"$output"
}

@test "--cpus" {
  local value
  for value in 0 65 -1 x 1x "" 99999999999999999999; do
    refuses 2 "--cpus" build/tickvm run --cpus="$value" $elf
  done
}

@test "--mem" {
  local value
  for value in 0 1M 1 x 64Q -64M "" 99999999999999999999G; do
    refuses 2 "--mem" build/tickvm run --mem="$value" $elf
  done
}

@test "--pin" {
  local value
  for value in x 0,x 99999 -1 1-0 "" 0,,1; do
    refuses 2 "--pin" build/tickvm run --pin="$value" $elf
  done
}

@test "--irqchip" {
  refuses 2 "--irqchip" build/tickvm run --irqchip=none $elf
  refuses 2 "--irqchip" build/tickvm run --irqchip= $elf
}

@test "--timeout" {
  local value
  for value in x -1 0 1h "" 10x; do
    refuses 2 "--timeout" build/tickvm run --timeout="$value" $elf
  done
}

@test "--pmtimer" {
  refuses 2 "--pmtimer" build/tickvm run --pmtimer=none $elf
  refuses 2 "--pmtimer" build/tickvm run --pmtimer= $elf
}

@test "--pmtimer-width" {
  local value
  for value in 0 16 31 x ""; do
    refuses 2 "--pmtimer-width" build/tickvm run --pmtimer-width="$value" $elf
  done
}

@test "--pmtimer-start, and its width" {
  local value
  for value in -1 x 7f 0x 4294967296 0x100000000 ""; do
    refuses 2 "--pmtimer-start" build/tickvm run --pmtimer-start="$value" $elf
  done
  refuses 2 "24 bits" build/tickvm run --pmtimer-start=0x1000000 $elf
}

@test "--lock, --sci" {
  refuses 2 "--lock" build/tickvm run --lock=none $elf
  refuses 2 "--lock" build/tickvm run --lock= $elf
  refuses 2 "--sci" build/tickvm run --sci=edge $elf
  refuses 2 "--sci" build/tickvm run --sci= $elf
}

@test "--sci=irqfd needs the I/O APIC in KVM" {
  need_kvm
  refuses 2 "--irqchip=split" build/tickvm run --quiet --sci=irqfd --irqchip=split $elf
}

@test "--rtc-base" {
  local value
  for value in x 2024-13-01 2024-02-30 1600-01-01 @x "" 2300-01-01; do
    refuses 2 "--rtc-base" build/tickvm run --rtc-base="$value" $elf
  done
}

@test "--rtc-clock, --rtc-driftfix, --timer-thread, --raise-lock" {
  local option
  for option in --rtc-clock --rtc-driftfix --timer-thread --raise-lock; do
    refuses 2 "$option" build/tickvm run $option=none-such $elf
    refuses 2 "$option" build/tickvm run $option= $elf
  done
}

@test "--host-clock-step" {
  local value
  for value in 1 @1 1@ x@1 1@x 1@0 1@-1 1.5@1 " 1@1" 1@1@1 1000000001@1 ""; do
    refuses 2 "--host-clock-step" build/tickvm run --host-clock-step="$value" $elf
  done
  refuses 2 "--host-clock-step" \
    build/tickvm run --host-clock-step=1@2s --host-clock-step=1@1s $elf
  refuses 2 "no more than 16" build/tickvm run --host-clock-step=1@{1..17}s $elf
}

@test "--virtual-time takes no clock of the host's, and no interrupt in its own time" {
  refuses 2 "--virtual-time" build/tickvm run --virtual-time --pmtimer=kernel $elf
  refuses 2 "--virtual-time" build/tickvm run --virtual-time --pmtimer=exitless $elf
  refuses 2 "--virtual-time" build/tickvm run --virtual-time --sci=irqfd $elf
}

@test "--entry" {
  refuses 2 "99" build/tickvm run --entry=99 build/tickvm.iso
  refuses 2 "no such title" build/tickvm run --entry="no such title" build/tickvm.iso
}

@test "--json into a directory that is not there" {
  need_kvm
  run --separate-stderr build/tickvm run --quiet --json=/nonexistent/x.json build/guests/pass.elf
  [ "$status" -ne 0 ]
  grep -q "/nonexistent/x.json" <<<"$stderr"
}

@test "unknown option, missing image, a second image" {
  refuses 2 "--nosuch" build/tickvm run --nosuch $elf
  refuses 2 "IMAGE" build/tickvm run
  refuses 2 "" build/tickvm run $elf build/tickvm.iso
}

@test "an option of tickvm-mutants is none of tickvm's; an unknown mutant" {
  refuses 2 "--mutant" build/tickvm run --mutant=elf_bounds_add $elf
  refuses 2 "nosuch" build/tickvm-mutants run --mutant=nosuch $elf
}

@test "images that are none: absent, empty, a directory, text, a device" {
  refuses 2 "/nonexistent" build/tickvm run /nonexistent
  : >"$BATS_TEST_TMPDIR/empty"
  refuses 2 "empty" build/tickvm run "$BATS_TEST_TMPDIR/empty"
  refuses 2 "" build/tickvm run /
  refuses 2 "" build/tickvm run README.md
  refuses 2 "" build/tickvm run /dev/zero
}

@test "parse: a file that is not there, two files, a bad option" {
  refuses 2 "/nonexistent" build/tickvm parse /nonexistent
  refuses 2 "" build/tickvm parse README.md README.md
  refuses 2 "--nosuch" build/tickvm parse --nosuch
}
