#!/usr/bin/env bats
# The same ISO under QEMU's emulator: firmware, GRUB, every instruction; and
# `tickvm parse` as the judge of what comes out of its serial port.

setup() {
  cd "$BATS_TEST_DIRNAME/.."
  command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
}

boots() { # IMAGE [QEMU OPTION...]: smoke passes there, with at least 20 checks
  run scripts/qemu build/tickvm "$@"
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q '^KTAP version 1' <<<"$output"
  [ "$(grep -cE '^ok [0-9]+' <<<"$output")" -ge 20 ]
  ! grep -qE '^not ok' <<<"$output"
  tail -n 1 <<<"$output" | grep -q '^PASS'
}

@test "ISO, machine pc, CD" {
  boots build/tickvm.iso -machine pc
}

@test "ISO, machine q35, CD, 4 CPUs" {
  boots build/tickvm.iso -machine q35 -smp 4
}

@test "ISO as a disk" {
  run bash -c 'set -o pipefail; timeout 60 qemu-system-x86_64 -accel tcg -nodefaults -display none \
    -no-reboot -m 128 -serial stdio -device isa-debug-exit,iobase=0xf4,iosize=4 \
    -drive file=build/tickvm.iso,format=raw,snapshot=on </dev/null | build/tickvm parse'
  echo "$output"
  [ "$(tail -n 1 <<<"$output" | cut -c 1-4)" = PASS ]
}

@test "ELF by PVH, without firmware's help, 2 CPUs" {
  boots build/tickvm.elf -machine q35 -smp 2 -append app=smoke
}

@test "hybrid ISO on UEFI firmware" {
  [ -r /usr/share/ovmf/OVMF.fd ] || skip "no OVMF firmware (package ovmf)"
  make -s iso UEFI=1
  boots build/tickvm-uefi.iso -machine q35 -bios /usr/share/ovmf/OVMF.fd
}

@test "the ISO is the same to the byte when made again, and under 1 MB" {
  make -s build/tickvm.iso
  scripts/iso bios build/tickvm.elf "$BATS_TEST_TMPDIR/again.iso"
  cmp build/tickvm.iso "$BATS_TEST_TMPDIR/again.iso"
  [ "$(stat -c %s build/tickvm.iso)" -lt 1000000 ]
}

@test "an app that fails under QEMU fails in parse, with its exit code" {
  run scripts/qemu build/tickvm build/tickvm.elf -append app=nosuch
  echo "$output"
  [ "$status" -eq 2 ]
  grep -q nosuch <<<"$output"
}

# The oracle that nobody here wrote: tests/cases/README.md says of each difference who is right.
rtc_under_qemu() { # TEST [QEMU OPTION...]: its output
  local test=$1
  shift
  run scripts/qemu build/tickvm build/tickvm.elf "$@" -append "app=rtc test=$test seconds=2"
  echo "$output"
}

@test "RTC: QEMU's chip passes what the data sheet leaves no doubt about" {
  for test in uip hammer ticks; do
    rtc_under_qemu $test
    [ "$status" -eq 0 ]
  done
  rtc_under_qemu retarget -smp 2
  [ "$status" -eq 0 ]
}

@test "RTC: QEMU's PF sets only while PIE is set; tickvm's, as the data sheet has it, always" {
  rtc_under_qemu flags
  [ "$status" -eq 1 ]
  grep -q '^# flags: in .* PF 0 at 8 Hz, AF [2-4], UF [2-4],' <<<"$output"
}

@test "RTC: QEMU's UF sets once more under SET" {
  rtc_under_qemu set
  [ "$status" -eq 1 ]
  grep -q '^ok .* set: all ten bytes stay as written' <<<"$output"
  grep -q '^# set: .* UIP set in 0, flags 0x10' <<<"$output"
  grep -q '^not ok .* set: no update, and ticks go on' <<<"$output"
}

@test "RTC: a change of rate loses ticks under QEMU, unless it makes up for them" {
  rtc_under_qemu rate
  [ "$status" -eq 1 ]
  grep -q "^not ok .* rate: the ticks' periods add up" <<<"$output"
  grep -q '^ok .* rate: a late read of register C' <<<"$output"
  rtc_under_qemu rate -rtc driftfix=slew
  [ "$status" -eq 0 ]
}

@test "RTC: QEMU's alarm in 12-hour mode takes noon for midnight; tickvm's does not" {
  rtc_under_qemu format
  [ "$status" -eq 1 ]
  grep -q '^# format: B 0000, hour 0: shows 0x12; flags 0x90, with the alarm 12 hours off 0xb0' <<<"$output"
  grep -q '^# format: B 0x04, hour 0: shows 0x0c; flags 0x90, with the alarm 12 hours off 0xb0' <<<"$output"
}

@test "RTC: QEMU's alarm sets no RTC_STS" {
  rtc_under_qemu fixed
  [ "$status" -eq 1 ]
  grep -q '^not ok 1 fixed: the alarm sets RTC_STS' <<<"$output"
}
