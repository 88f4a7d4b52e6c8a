#!/usr/bin/env bats
# The PM timer inside KVM as tickvm uses it: --pmtimer=kernel, in the labs.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || exit
}

lab() { # stock|patched ARGUMENT...
  local which=$1
  shift
  timeout 180 build/tickvm lab run "--$which" --no-count "$@"
}

# What the guest read of the timer, in ticks.
first_count() { # RESULT
  printf '%d\n' "$(jq -r .verdict.reason "$1" | sed -n 's/.*debug exit: \(0x[0-9a-f]*\) .*/\1/p')"
}

@test "host tells a patched KVM from a stock one" {
  lab patched --exec build/tickvm host --json - |
    jq -e '.kvm.patched and ([.lacks[] | select(test("KVM_CAP_PMTIMER"))] == [])'
  lab stock --exec build/tickvm host --json - |
    jq -e '(.kvm.patched | not) and ([.lacks[] | select(test("KVM_CAP_PMTIMER"))] | length == 1)'
}

@test "a stock KVM skips --pmtimer=kernel" {
  run --separate-stderr lab stock -- run --pmtimer=kernel build/guests/pass.elf
  [ "$status" -eq 77 ]
  grep -q "no KVM_CAP_PMTIMER: --pmtimer=kernel is skipped" <<<"$stderr$output"
}

@test "inside KVM: the checks pass, and no read exits to userspace; else each does" {
  local result=$BATS_TEST_TMPDIR/result.json
  local in='[.exits.ports[] | select(.name == "pmtimer") | .in] | add // 0'
  lab patched --json="$result" -- run --pmtimer=kernel build/tickvm.elf -- app=smoke
  jq -e "($in) == 0 and .kvm_stats.vcpu.pmtimer_reads > 0" "$result"
  lab patched --json="$result" -- run --pmtimer=user build/tickvm.elf -- app=smoke
  jq -e "($in) > 0 and .kvm_stats.vcpu.pmtimer_reads == 0" "$result"
}

# Each counts from the start of the machine; what lies between start and first read is
# a few ms in the lab's own time, L1's age many seconds.
@test "inside KVM or not, the timer shows the same time" {
  local place result=$BATS_TEST_TMPDIR/result.json counts=()
  for place in user kernel; do
    lab patched --json="$result" -- run --pmtimer=$place build/guests/pmtimer.elf || [ $? -eq 1 ]
    counts+=("$(first_count "$result")")
  done
  echo "user ${counts[0]}, kernel ${counts[1]} ticks"
  [ "${counts[0]}" -gt 0 ]
  [ "${counts[1]}" -gt $((counts[0] / 2)) ]
  [ "${counts[1]}" -lt $((counts[0] * 2)) ]
}
