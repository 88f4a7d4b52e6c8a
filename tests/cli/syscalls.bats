#!/usr/bin/env bats
# tickvm run --syscalls: the VMM's system calls, by the kernel's own tracepoints.

bats_require_minimum_version 1.5.0
load common

setup() {
  need_kvm
  status=0
  build/tickvm run --quiet --syscalls --json="$BATS_TEST_TMPDIR/r.json" "$@" \
    build/tickvm.iso -- app=exits n=500 >"$BATS_TEST_TMPDIR/text" 2>&1 || status=$?
  [ "$status" -ne 77 ] || skip "$(tail -n 1 "$BATS_TEST_TMPDIR/text")"
  [ "$status" -eq 0 ]
}

calls_of() { jq "[.syscalls.calls[] | select(.name == \"$1\").calls] | add // 0" "$BATS_TEST_TMPDIR/r.json"; }

@test "syscalls: an ioctl for each exit to userspace, and few besides; none was lost" {
  exits=$(jq .exits.total "$BATS_TEST_TMPDIR/r.json")
  ioctls=$(calls_of ioctl)
  echo "exits $exits, ioctls $ioctls"
  [ "$exits" -gt 5000 ]
  [ "$ioctls" -ge "$exits" ]
  [ "$ioctls" -le $((exits + 200)) ]
  jq -e '.syscalls | .lost == 0 and .overhead_ns > 0 and (.method | length) > 0' "$BATS_TEST_TMPDIR/r.json"
}

@test "syscalls: most time first, the calibration's own calls are not shown" {
  jq -e '[.syscalls.calls[].ns] | . == (sort | reverse)' "$BATS_TEST_TMPDIR/r.json"
  [ "$(calls_of getppid)" -eq 0 ]
}

@test "syscalls: the table stands before the verdict, with a total; no process is left" {
  run build/tickvm run --syscalls build/tickvm.iso -- app=hello
  [ "$status" -eq 0 ]
  grep -q '^  system call  *% time  *seconds  *us/call  *calls  *errors' <<<"$output"
  grep -q '^  total  *100.00 ' <<<"$output"
  [[ ${lines[-1]} = PASS* ]]
  run pgrep --session 0 -f 'tickvm run --syscalls build/tickvm.iso -- app=hello'
  [ "$status" -eq 1 ]
}

@test "syscalls: by strace the counts are the same, and each call is slower" {
  command -v strace >/dev/null || skip "no strace"
  run timeout 60 build/tickvm run --quiet --syscalls=strace --json="$BATS_TEST_TMPDIR/s.json" \
    build/tickvm.iso -- app=exits n=500 only=null-port
  [ "$status" -ne 77 ] || skip "$output"
  [ "$status" -eq 0 ]
  jq -e '.exits.total as $exits | .syscalls |
    (.method | startswith("strace")) and .overhead_ns > 0 and
    (.calls[] | select(.name == "ioctl").calls | . >= $exits and . <= $exits + 200)' \
    "$BATS_TEST_TMPDIR/s.json"
}

@test "syscalls: without the option there is no table, and no process reads" {
  build/tickvm run --quiet --json="$BATS_TEST_TMPDIR/n.json" build/tickvm.iso -- app=hello
  jq -e '.syscalls == null' "$BATS_TEST_TMPDIR/n.json"
}
