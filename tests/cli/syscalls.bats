#!/usr/bin/env bats
# tickvm run --syscalls: the VMM's system calls, by the kernel's own tracepoints, or by strace.

bats_require_minimum_version 1.5.0
load common

setup() {
  cd "$BATS_TEST_DIRNAME/../.." || return
  need_kvm
}

# A guest of known behaviour, metered.
meter() {
  status=0
  build/tickvm run --quiet --syscalls --json="$BATS_TEST_TMPDIR/r.json" \
    build/tickvm.iso -- app=exits n=500 >"$BATS_TEST_TMPDIR/text" 2>&1 || status=$?
  [ "$status" -ne 77 ] || skip "$(tail -n 1 "$BATS_TEST_TMPDIR/text")"
  [ "$status" -eq 0 ]
}

# Up to 20 s.
wait_for() { # WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 200); do
    "$@" && return 0
    sleep 0.1
  done
  echo "no sign of $what" >&2
  return 1
}

# A zombie whose parent has not looked yet has ended, too.
has_ended() { ! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null; }

has_begun() { grep -q '^# tickvm' "$BATS_TEST_TMPDIR/idle"; }
has_begun_or_ended() { has_begun || has_ended "$vmm"; }

# A guest that idles, in the background, as $vmm.
idle() { # OPTION
  build/tickvm run "$1" build/tickvm.iso -- app=rtcidle seconds=60 >"$BATS_TEST_TMPDIR/idle" 2>&1 3>&- &
  vmm=$!
  wait_for "its guest" has_begun_or_ended
  has_begun && return
  status=0
  wait $vmm || status=$?
  [ "$status" -ne 77 ] || skip "$(tail -n 1 "$BATS_TEST_TMPDIR/idle")"
  return 1
}

calls_of() { jq "[.syscalls.calls[] | select(.name == \"$1\").calls] | add // 0" "$BATS_TEST_TMPDIR/r.json"; }

@test "syscalls: an ioctl for each exit to userspace, and few besides; none was lost" {
  meter
  exits=$(jq .exits.total "$BATS_TEST_TMPDIR/r.json")
  ioctls=$(calls_of ioctl)
  echo "exits $exits, ioctls $ioctls"
  [ "$exits" -gt 5000 ]
  [ "$ioctls" -ge "$exits" ]
  [ "$ioctls" -le $((exits + 200)) ]
  jq -e '.syscalls | .lost == 0 and .overhead_ns > 0 and (.method | length) > 0' "$BATS_TEST_TMPDIR/r.json"
}

@test "syscalls: most time first, the calibration's own calls are not shown" {
  meter
  jq -e '[.syscalls.calls[].ns] | . == (sort | reverse)' "$BATS_TEST_TMPDIR/r.json"
  [ "$(calls_of getppid)" -eq 0 ]
}

@test "syscalls: the table stands before the verdict, with a total; no process is left" {
  run build/tickvm run --syscalls build/tickvm.iso -- app=hello
  [ "$status" -ne 77 ] || skip "$output"
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

@test "syscalls: an idle guest's time is that of the clock, by either method" {
  command -v strace >/dev/null || skip "no strace"
  for method in tracepoints strace; do
    run build/tickvm run --quiet --timeout=1 --syscalls=$method --json="$BATS_TEST_TMPDIR/$method.json" \
      build/tickvm.iso -- app=rtcidle seconds=60
    [ "$status" -ne 77 ] || skip "$output"
    [ "$status" -eq 124 ]
    grep -q 'time-out after 1000 ms' <<<"$output"
    # The main loop and the CPU each wait for most of the run, in one call after the other.
    jq -e '.times_ns.run as $run | [.syscalls.calls[] | select(.name == "poll" or .name == "ioctl").ns] |
      length == 2 and all(. > $run / 2)' "$BATS_TEST_TMPDIR/$method.json"
  done
}

@test "syscalls: a signal ends the run and what meters it; SIGKILL, too" {
  command -v strace >/dev/null || skip "no strace"
  for method in tracepoints strace; do
    for signal in INT TERM KILL; do
      idle --syscalls=$method
      reader=$(pgrep -P $vmm)
      [ -n "$reader" ]
      kill -$signal $vmm
      status=0
      wait $vmm || status=$?
      echo "$method, SIG$signal: exit $status"
      case $signal in KILL) [ "$status" -eq 137 ] ;; *) [ "$status" -eq 3 ] ;; esac
      wait_for "the end of process $reader" has_ended "$reader"
    done
  done
}

@test "syscalls: without the right to tracepoints, strace meters; without either, one line says why" {
  command -v strace >/dev/null || skip "no strace"
  unprivileged=(setpriv --bounding-set=-all --inh-caps=-all)
  "${unprivileged[@]}" true || skip "capabilities cannot be dropped"
  refuses 77 'perf_event_open: |tracefs' "${unprivileged[@]}" build/tickvm run --syscalls=tracepoints \
    build/tickvm.iso -- app=hello
  "${unprivileged[@]}" build/tickvm run --quiet --syscalls --json="$BATS_TEST_TMPDIR/u.json" \
    build/tickvm.iso -- app=hello
  jq -e '.syscalls | (.method | startswith("strace")) and (.calls | length) > 5' "$BATS_TEST_TMPDIR/u.json"
  refuses 77 'strace: No such file' "${unprivileged[@]}" env PATH=/nonexistent "$PWD/build/tickvm" run \
    --syscalls build/tickvm.iso -- app=hello
}

@test "syscalls: strace cannot meter what another one traces: no empty table" {
  command -v strace >/dev/null || skip "no strace"
  strace -o /dev/null true || skip "ptrace is not permitted"
  refuses 77 'traces this one already' strace -f -o /dev/null build/tickvm run --syscalls=strace \
    build/tickvm.iso -- app=hello
}

@test "syscalls: metering leaves the guest its huge pages" {
  grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled && skip "no huge pages on this host"
  for option in --quiet --syscalls; do
    idle $option
    pages=$(awk '$1 == "AnonHugePages:" { print $2 }' /proc/$vmm/smaps_rollup)
    kill $vmm
    wait $vmm || true
    echo "$option: $pages kB of huge pages"
    [ "$option" = --syscalls ] || [ "$pages" -gt 0 ] || skip "the host gave it none"
    [ "$pages" -gt 0 ]
  done
}

@test "syscalls: without the option there is no table, and no process reads" {
  build/tickvm run --quiet --json="$BATS_TEST_TMPDIR/n.json" build/tickvm.iso -- app=hello
  jq -e '.syscalls == null' "$BATS_TEST_TMPDIR/n.json"
}
