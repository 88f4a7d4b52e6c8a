#!/usr/bin/env bats
# Whole guests on /dev/kvm: 1, 2 and 4 CPUs, both irqchips, ISO and ELF.

bats_require_minimum_version 1.5.0
load common

smoke_passes() { # tickvm options
  need_kvm
  ends 0 '^PASS' build/tickvm run --json="$BATS_TEST_TMPDIR/r.json" "$@"
  jq -e '.verdict.status == "pass" and (.checks | length) >= 20' "$BATS_TEST_TMPDIR/r.json"
}

@test "smoke from the ISO, 1 CPU" {
  smoke_passes build/tickvm.iso
}

@test "smoke from the ELF, 1 CPU" {
  smoke_passes build/tickvm.elf
}

@test "smoke, 2 CPUs" {
  smoke_passes --cpus 2 build/tickvm.iso
}

@test "smoke, 4 CPUs" {
  smoke_passes --cpus 4 build/tickvm.iso
}

@test "smoke, split irqchip, 2 CPUs" {
  smoke_passes --irqchip split --cpus 2 build/tickvm.iso
}

@test "smoke, xAPIC rather than x2APIC" {
  smoke_passes build/tickvm.elf -- app=smoke apic=xapic
}

@test "smoke, 32-bit PM timer" {
  smoke_passes --pmtimer-width 32 build/tickvm.elf
}

@test "smoke in 2 MiB" {
  smoke_passes --mem 2M build/tickvm.elf
}

@test "smoke with memory above 4 GiB" {
  smoke_passes --mem 6G build/tickvm.elf
}

@test "64 CPUs start" {
  need_kvm
  ends 0 '^PASS' build/tickvm run --cpus 64 --timeout 60 build/tickvm.elf
}

@test "hello says its line, on stdout, before the summary" {
  need_kvm
  run --separate-stderr build/tickvm run --quiet build/tickvm.iso -- app=hello
  [ "$status" -eq 0 ]
  grep -qi hello <<<"$output"
  [ -z "$stderr" ]
}

@test "the menu entry can be chosen by number and by title; words after -- replace its arguments" {
  need_kvm
  run build/tickvm run --quiet --entry 1 build/tickvm.iso
  grep -qi hello <<<"$output"
  run build/tickvm run --quiet --entry "hello: one line and an exit" build/tickvm.iso
  grep -qi hello <<<"$output"
}

@test "an unknown app, and an unknown key, are one line that lists what there is, exit 2" {
  need_kvm
  run build/tickvm run --quiet build/tickvm.elf -- app=nosuch
  [ "$status" -eq 2 ]
  grep -q nosuch <<<"$output"
  grep -q smoke <<<"$output"
  run build/tickvm run --quiet build/tickvm.elf -- app=exits nosuch=1
  [ "$status" -eq 2 ]
  grep -q nosuch <<<"$output"
  run build/tickvm run --quiet build/tickvm.elf -- app=exits n=x
  [ "$status" -eq 2 ]
}

@test "exits: each kind reaches userspace exactly as often as it should" {
  need_kvm
  run build/tickvm run --quiet --json="$BATS_TEST_TMPDIR/x.json" build/tickvm.elf -- app=exits
  [ "$status" -eq 0 ]
  cd "$BATS_TEST_TMPDIR"
  per_op() { jq "[.phases[] | select(.name == \"$1\") | .per_operation.exits_to_userspace] | max" x.json; }
  [ "$(per_op exits.empty | cut -c 1)" = 0 ]
  jq -e '[.phases[] | select(.name == "exits.null-port")] | length > 0 and
    all(.per_operation.exits_to_userspace >= 1 and .per_operation.exits_to_userspace < 1.05)' x.json
  jq -e '[.phases[] | select(.name == "exits.pmtimer")] | length > 0 and
    all(.per_operation.exits_to_userspace >= 1 and .per_operation.exits_to_userspace < 1.05)' x.json
  jq -e '[.phases[] | select(.name == "exits.empty")] | length > 0 and
    all(.per_operation.exits_to_userspace < 0.05)' x.json
}

@test "--rtc-base: the guest's wall clock starts there" {
  need_kvm
  run build/tickvm run --rtc-base 2031-05-06T07:08:09 build/tickvm.elf
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "--json - gives the object alone on stdout, and it is whole" {
  need_kvm
  run --separate-stderr build/tickvm run --json=- build/guests/pass.elf
  [ "$status" -eq 0 ]
  jq -e '.schema == "tickvm-result/1" and .verdict.exit_code == 0' <<<"$output"
}

@test "--pin: the vCPU runs there, and a CPU that is not there is refused" {
  need_kvm
  ends 0 '^PASS' build/tickvm run --pin 0 build/tickvm.elf -- app=hello
}
