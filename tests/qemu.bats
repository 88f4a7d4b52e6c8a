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
