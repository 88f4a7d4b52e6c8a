#!/usr/bin/env bats
# How a run ends: one clear line, the right exit code, nothing left behind.

bats_require_minimum_version 1.5.0
load common

@test "multiboot1 guest, isa-debug-exit 0: QEMU's status is shown, pass" {
  need_kvm
  ends 0 '^PASS' build/tickvm run build/guests/pass.elf
  grep -q "status 1" <<<"$output"
}

@test "isa-debug-exit 5: fail, QEMU's status 11 is shown" {
  need_kvm
  ends 1 "^FAIL.*QEMU's status 11" build/tickvm run build/guests/code5.elf
}

@test "fw_cfg gives the number of CPUs" {
  need_kvm
  ends 3 'INCONCLUSIVE' build/tickvm run --cpus 3 build/guests/fw_cfg.elf
}

@test "triple fault" {
  need_kvm
  ends 1 '^FAIL.*triple fault' build/tickvm run build/guests/triple_fault.elf
}

@test "halted for ever: found at once, not by a time-out" {
  need_kvm
  local start=$SECONDS
  ends 1 '^FAIL.*halted' build/tickvm run --timeout 50 build/guests/halted.elf
  [ $((SECONDS - start)) -lt 20 ]
}

@test "time-out" {
  need_kvm
  ends 124 'TIMEOUT|time-out|timed out' build/tickvm run --timeout 300ms build/guests/spin.elf
}

@test "an instruction that KVM cannot execute: its bytes, address and name" {
  need_kvm
  ends 1 '^FAIL.*(addps)' build/tickvm run --timeout 20 build/guests/bad_instruction.elf
  grep -qE '0f 58' <<<"$output"
}

@test "colour on a terminal, none when NO_COLOR is set or it is no terminal" {
  need_kvm
  local escape=$'\033'
  command -v script >/dev/null || skip "no script(1)"
  run script -qec "env -u NO_COLOR build/tickvm run build/guests/pass.elf" /dev/null
  grep -q "$escape" <<<"$output"
  run script -qec "NO_COLOR=1 build/tickvm run build/guests/pass.elf" /dev/null
  ! grep -q "$escape" <<<"$output"
  run build/tickvm run build/guests/pass.elf
  ! grep -q "$escape" <<<"$output"
}

@test "SIGTERM: an orderly end within a second, inconclusive" {
  need_kvm
  build/tickvm run build/guests/spin.elf >"$BATS_TEST_TMPDIR/out" 2>&1 </dev/null &
  local pid=$!
  sleep 0.5
  kill -TERM $pid
  local start=$SECONDS status=0
  wait $pid || status=$?
  cat "$BATS_TEST_TMPDIR/out"
  [ "$status" -eq 3 ]
  [ $((SECONDS - start)) -le 2 ]
  tail -n 1 "$BATS_TEST_TMPDIR/out" | grep -q '^INCONCLUSIVE.*SIGTERM'
}

@test "what comes on stdin reaches the guest's UART, and comes back" {
  need_kvm
  run bash -c 'printf "tick tock." | build/tickvm run --quiet build/guests/echo.elf 2>/dev/null'
  [ "$status" -eq 0 ]
  [ "$output" = "tick tock." ]
}

@test "a terminal: Ctrl-A X ends the run, and the terminal is as it was" {
  need_kvm
  command -v script >/dev/null || skip "no script(1)"
  run bash -c '{ sleep 1; printf "\001x"; sleep 1; } | timeout 20 script -qec "stty -a | md5sum; build/tickvm run build/guests/spin.elf; echo code=\$?; stty -a | md5sum" /dev/null'
  echo "$output"
  grep -q 'code=3' <<<"$output"
  grep -qi 'Ctrl-A X' <<<"$output"
  [ "$(grep -cE '^[0-9a-f]{32}' <<<"$output")" -eq 2 ]
  [ "$(grep -E '^[0-9a-f]{32}' <<<"$output" | sort -u | wc -l)" -eq 1 ]
}

@test "a closed stdout ends the run in order" {
  need_kvm
  run bash -c 'build/tickvm run build/tickvm.elf | head -n 1 >/dev/null; exit ${PIPESTATUS[0]}'
  [ "$status" -lt 128 ]
}

@test "no permission on /dev/kvm is one line, exit 77" {
  need_kvm
  [ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
  command -v setpriv >/dev/null || skip "no setpriv(1)"
  [ $((0$(stat -c %a /dev/kvm) & 06)) -eq 0 ] || skip "/dev/kvm is open to all"
  local dir
  dir=$(mktemp -d /tmp/tickvm-test.XXXXXX)
  cp build/tickvm build/guests/pass.elf "$dir"
  chmod 755 "$dir" "$dir"/*
  refuses 77 "/dev/kvm" setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$dir/tickvm" run "$dir/pass.elf"
  rm -r "$dir"
}

@test "100 runs in a row leave nothing behind" {
  need_kvm
  local i
  export TMPDIR=$BATS_TEST_TMPDIR/empty
  mkdir "$TMPDIR"
  for i in $(seq 100); do
    build/tickvm run --quiet build/guests/pass.elf </dev/null 2>&1 || { echo "run $i"; return 1; }
  done
  [ -z "$(ls -A "$TMPDIR")" ]
  # A process that were left would have this test's TMPDIR in its environment.
  ! grep -slz "^TMPDIR=$TMPDIR\$" /proc/[0-9]*/environ | grep -v "^/proc/\($$\|$BASHPID\|self\)/" |
    xargs -r -I{} sh -c 'cat $(dirname {})/comm' 2>/dev/null | grep -x tickvm
}
