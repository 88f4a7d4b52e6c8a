#!/usr/bin/env bats
# What this host offers, and that a skip says the same.

bats_require_minimum_version 1.5.0
load common

# A lack as `tickvm host` states it; fails where KVM has the capability.
lack_of() { # CAPABILITY
  build/tickvm host --json - | jq -er --arg name "$1" '.lacks[] | select(startswith("no \($name):"))'
}

@test "host: one object, whole, with and without a file" {
  local file=$BATS_TEST_TMPDIR/host.json
  build/tickvm host --json "$file" | grep -q '^host '
  jq -e '.schema == "tickvm-host/1" and (.capabilities | length) > 10' "$file"
  build/tickvm host --json - | jq -e '.host.kind and (.lacks | type) == "array"'
}

@test "host: what is lacking is what has the value 0" {
  need_kvm
  build/tickvm host --json - | jq -e '
    [.capabilities[] | select(.value == 0) | .name] ==
    [.lacks[] | capture("^no (?<name>[^:]+): .").name]'
}

@test "host: the text is the object's" {
  need_kvm
  run build/tickvm host
  [ "$status" -eq 0 ]
  local line
  while read -r line; do
    grep -qxF -- "$line" <<<"$output"
  done < <(build/tickvm host --json - | jq -r '.lacks[]')
  [ "$(awk '{ if (length > m) m = length } END { print m }' <<<"$output")" -le 100 ]
}

@test "host: the kind is confirmed by what KVM emulates" {
  need_kvm
  build/tickvm host --json - | jq -e '
    .kvm.probe_instructions > 0 and
    (.host.kind == "interpreting KVM") == (.kvm.probe_emulated >= .kvm.probe_instructions)'
}

@test "host: without a usable /dev/kvm it says why, and all that it knows" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
  [ ! -e /dev/kvm ] || [ $((0$(stat -c %a /dev/kvm) & 2)) -eq 0 ] || skip "/dev/kvm is anybody's"
  local copy
  copy=$(mktemp /tmp/tickvm-test.XXXXXX)
  cp build/tickvm "$copy"
  chmod 755 "$copy"
  run setpriv --reuid=65534 --regid=65534 --clear-groups "$copy" host
  rm "$copy"
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q '^host  *no KVM' <<<"$output"
  grep -q '^KVM  *not usable: /dev/kvm: ' <<<"$output"
  grep -q '^/dev/kvm: .*: tickvm run is skipped (77)$' <<<"$output"
}

@test "host: bad arguments, a file that cannot be written" {
  refuses 2 "--nosuch" build/tickvm host --nosuch
  refuses 2 "argument" build/tickvm host extra
  run --separate-stderr build/tickvm host --json=/nonexistent/x.json
  [ "$status" -eq 1 ]
  grep -q "^tickvm: .*/nonexistent/x.json" <<<"$stderr"
}

@test "--pmtimer=kernel: skipped in the words of host where KVM lacks it" {
  need_kvm
  local lack
  lack=$(lack_of KVM_CAP_PMTIMER) || skip "this KVM has KVM_CAP_PMTIMER"
  refuses 77 "KVM_CAP_PMTIMER" build/tickvm run --pmtimer=kernel build/tickvm.elf
  [ "$stderr" = "tickvm: $lack" ]
}

@test "--pmtimer=kernel: no read of the timer exits to userspace; user: each does" {
  need_kvm
  ! lack_of KVM_CAP_PMTIMER || skip "$(lack_of KVM_CAP_PMTIMER)"
  local reads='[.exits.ports[] | select(.name == "pmtimer") | .in] | add // 0'
  build/tickvm run --pmtimer=kernel --json=- build/tickvm.elf -- app=smoke 2>/dev/null |
    jq -e ".verdict.exit_code == 0 and .options.pmtimer == \"kernel\" and ($reads) == 0 and
      .kvm_stats.vcpu.pmtimer_reads > 0"
  build/tickvm run --pmtimer=user --json=- build/tickvm.elf -- app=smoke 2>/dev/null |
    jq -e ".options.pmtimer == \"user\" and ($reads) > 0 and .kvm_stats.vcpu.pmtimer_reads == 0"
}
