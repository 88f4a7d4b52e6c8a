#!/usr/bin/env bats
# The virtio block device in whole runs: what the guest read is what the file holds.

bats_require_minimum_version 1.5.0
load common

elf=build/tickvm.elf

# 16 KiB that no two sectors of which are alike, and their FNV-1a over 32-bit words, as
# iotick sums what it reads.
make_disk() {
  local word
  disk=$BATS_TEST_TMPDIR/disk
  seq 1 20000 | head -c 16384 >"$disk"
  disk_sum=2166136261
  for word in $(od -An -v -tu4 -w4 "$disk"); do
    disk_sum=$((((disk_sum ^ word) * 16777619) & 0xffffffff))
  done
  disk_sum=$(printf '%08x' $disk_sum)
}

# Runs iotick over the whole disk, once, in requests of SIZE.
reads_all() { # SIZE 'GUEST WORDS' [TICKVM OPTION...]
  local size=$1 words=$2
  shift 2
  run timeout 60 build/tickvm run --quiet --json="$BATS_TEST_TMPDIR/r.json" --timeout 30 \
    --disk "$disk" "$@" $elf -- app=iotick sum=1 size="$size" n=$((16384 / size)) $words </dev/null
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q "^# iotick: sum $disk_sum\$" <<<"$output"
}

@test "what is read is the file: both irqchips, 1 and 4 CPUs" {
  need_kvm
  make_disk
  local irqchip cpus
  for irqchip in kernel split; do
    for cpus in 1 4; do
      reads_all 4096 "" --irqchip=$irqchip --cpus=$cpus
    done
  done
}

@test "what is read is the file: small and large requests, several at once, polled" {
  need_kvm
  make_disk
  reads_all 512 depth=4
  reads_all 16384 rate=0
  reads_all 1024 "depth=16 completion=poll"
  reads_all 1024 "depth=16 completion=poll" --irqchip=split
}

# A request may be done before the CPU has come to its HLT, and then takes no interrupt:
# some run must have met one that was not. The handler reads the interrupt's causes.
halts_for_a_request() { # IRQCHIP
  local try
  for try in $(seq 20); do
    reads_all 512 rate=0 --irqchip="$1" >/dev/null
    jq -e '.kvm_stats.vcpu.halt_exits > 0 and ([.phases[] | select(.name == "iotick") |
      .exits.mmio[] | select(.name == "virtio-blk") | .read] | add > 0)' \
      "$BATS_TEST_TMPDIR/r.json" && return
  done
  echo "$1: no HLT with its interrupt in $try runs"
  return 1
}

@test "the completion interrupt wakes a halted CPU, on both irqchips" {
  need_kvm
  make_disk
  halts_for_a_request kernel
  halts_for_a_request split
}

@test "a notification is no exit to userspace" {
  need_kvm
  make_disk
  reads_all 512 "rate=0 completion=poll"
    jq -e '.phases[] | select(.name == "iotick") | .exits.mmio == []' "$BATS_TEST_TMPDIR/r.json"
}

@test "the PM timer is read as often as was asked, or what was late is said" {
  need_kvm
  make_disk
  reads_all 4096 rate=500
  jq -e '[.metrics[] | select(.name == "iotick.timer-reads" or .name == "iotick.timer-reads-late") | .max]
    | length == 2 and .[0] > 0' "$BATS_TEST_TMPDIR/r.json"
  jq -e '(.phases[] | select(.name == "iotick") | .wall_ns) as $ns |
    ([.metrics[] | select(.name == "iotick.timer-reads" or .name == "iotick.timer-reads-late") | .max]
    | add) as $reads | $reads >= $ns * 500 / 1e9 * 0.5 - 8 and $reads <= $ns * 500 / 1e9 + 2' \
    "$BATS_TEST_TMPDIR/r.json"
}

@test "the disk's thread has its CPU time in the phase" {
  need_kvm
  make_disk
  reads_all 4096 rate=0
  jq -e '.phases[] | select(.name == "iotick") | .io_cpu_ns > 0' "$BATS_TEST_TMPDIR/r.json"
}

@test "smoke reads a sector, and skips without a disk" {
  need_kvm
  make_disk
  ends 0 '^PASS' build/tickvm run --disk "$disk" $elf
  grep -qE '^ok [0-9]+ virtio-blk reads a sector$' <<<"$output"
  ends 0 '^PASS' build/tickvm run $elf
  grep -qE '^ok [0-9]+ virtio-blk reads a sector # SKIP' <<<"$output"
}

@test "the ISO itself is a disk, and --pin-io binds the thread" {
  need_kvm
  ends 0 '^PASS' build/tickvm run --disk build/tickvm.iso --pin-io 0 build/tickvm.iso
  grep -qE '^ok [0-9]+ virtio-blk reads a sector$' <<<"$output"
}

@test "rw opens for writing; without it the file may be read-only" {
  need_kvm
  make_disk
  chmod 400 "$disk"
  reads_all 4096 ""
  chmod 600 "$disk"
  ends 0 '^PASS' build/tickvm run --disk "$disk,rw" $elf -- app=iotick n=4
}

@test "iotick without a disk is a skip; bad keys are refused" {
  need_kvm
  run build/tickvm run --quiet $elf -- app=iotick
  [ "$status" -eq 77 ]
  make_disk
  local word
  for word in size=100 size=513 size=131072 depth=0 depth=17 order=up completion=never rate=x; do
    run build/tickvm run --quiet --disk "$disk" $elf -- app=iotick $word
    [ "$status" -eq 2 ] || { echo "$word: $status"; return 1; }
  done
}

@test "--disk: bad files" {
  refuses 2 "--disk" build/tickvm run --disk= $elf
  refuses 2 "--disk" build/tickvm run --disk=,rw $elf
  need_kvm
  refuses 2 "--disk: /nonexistent" build/tickvm run --disk=/nonexistent $elf
  refuses 2 "--disk" build/tickvm run --disk=/ $elf
  refuses 2 "--disk" build/tickvm run --disk=/dev/zero $elf
  : >"$BATS_TEST_TMPDIR/empty"
  refuses 2 "--disk.*whole sectors" build/tickvm run --disk="$BATS_TEST_TMPDIR/empty" $elf
  head -c 1000 /dev/zero >"$BATS_TEST_TMPDIR/odd"
  refuses 2 "--disk.*1000 bytes" build/tickvm run --disk="$BATS_TEST_TMPDIR/odd" $elf
}

@test "--pin-io: bad values, and a CPU that is not there" {
  local value
  for value in x -1 99999 0,1 ""; do
    refuses 2 "--pin-io" build/tickvm run --pin-io="$value" $elf
  done
  need_kvm
  make_disk
  refuses 77 "--pin-io" build/tickvm run --disk "$disk" --pin-io=1023 $elf
}

@test "QEMU's microvm has the same device, found by the same word" {
  command -v qemu-system-x86_64 >/dev/null || skip "no qemu-system-x86_64"
  make_disk
  run bash -c "set -o pipefail; timeout 60 qemu-system-x86_64 -accel tcg -nodefaults -display none \
    -no-reboot -machine microvm,acpi=off,isa-serial=on -m 128 -serial stdio \
    -global virtio-mmio.force-legacy=false -device isa-debug-exit,iobase=0xf4,iosize=4 \
    -drive id=disk,file=$disk,format=raw,if=none,readonly=on -device virtio-blk-device,drive=disk \
    -kernel $elf -append 'app=iotick sum=1 size=4096 n=4 rate=0' </dev/null | build/tickvm parse --echo"
  echo "$output"
  grep -q "^# iotick: sum $disk_sum" <<<"$output"
}
