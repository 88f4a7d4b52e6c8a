#!/usr/bin/env bats
# tickvm repro: the table of an old argument, its counts, and what it refuses.

bats_require_minimum_version 1.5.0
load common

setup_file() { # one short run for the tests of its tables and report
  cd "$BATS_TEST_DIRNAME/../.."
  status_of_run=0
  build/tickvm repro pmtimer --calls=64 --repeat=2 --json="$BATS_FILE_TMPDIR/r.json" \
    >"$BATS_FILE_TMPDIR/text" </dev/null || status_of_run=$?
  export status_of_run
}

report() { # FILTER...: true of the report
  need_kvm
  jq -e "$1" "$BATS_FILE_TMPDIR/r.json"
}

@test "repro pmtimer: every place is a row of both tables, and the verdict is last" {
  need_kvm
  cat "$BATS_FILE_TMPDIR/text"
  [ "$status_of_run" -eq 0 ]
  for place in 'user, big lock' 'user, lock-free' kernel exitless; do
    [ "$(grep -c "^  $place  " "$BATS_FILE_TMPDIR/text")" -eq 2 ]
  done
  tail -n 1 "$BATS_FILE_TMPDIR/text" |
    grep -q '^PASS  exits to userspace per call 1\.[0-9]* / 1\.[0-9]* / '
}

@test "repro pmtimer: a row is run, or says why it is not" {
  report '[.gtod[], .iotick[]] | length == 8 and
    all(.status == "ok" or (.status == "skipped" and (.reason | length) > 0))'
}

@test "repro pmtimer: userspace sees each call, or none; the timer is read during I/O" {
  report '.gtod[0].calls.median == 64 and
    (.gtod[0].exits_to_userspace | .min >= 64 and .max <= 74)'
  report '.gtod[3] | .status == "skipped" or .exits_to_userspace.max <= 10'
  report '.iotick[0] | .status == "skipped" or .timer_reads_per_s.median > 1000'
}

@test "repro pmtimer: the first row's ratio is 1, and a median lies between its ends" {
  report '.gtod[0].ratio | .min == 1 and .max == 1'
  report '.gtod[0].ns_per_call | .min <= .median and .median <= .max'
}

@test "repro --json=- gives the report alone" {
  need_kvm
  run --separate-stderr build/tickvm repro pmtimer --calls=16 --repeat=1 --json=-
  [ "$status" -eq 0 ]
  jq -e '.schema == "tickvm-repro/1" and .verdict.exit_code == 0' <<<"$output"
}

@test "repro: a timer that is served elsewhere than it says is a fail" {
  need_kvm
  run build/tickvm-mutants repro pmtimer --mutant=exitless_falls_back --calls=64 --repeat=1
  echo "$output"
  [ "$status" -eq 1 ]
  tail -n 1 <<<"$output" | grep -q '^FAIL .* not as promised: exitless'
}

@test "repro refuses what it does not know, in one line" {
  refuses 2 'no scenario' build/tickvm repro
  refuses 2 'nosuch' build/tickvm repro nosuch
  refuses 2 'one scenario' build/tickvm repro pmtimer pmtimer
  refuses 2 'repeat' build/tickvm repro pmtimer --repeat=65
  refuses 2 'calls' build/tickvm repro pmtimer --calls=0
  refuses 2 'nosuch.iso' build/tickvm repro pmtimer --image=/nosuch.iso
  refuses 2 'unrecognized' build/tickvm repro --nosuch
}

@test "repro finds its image beside the binary, else where it was installed" {
  need_kvm
  cp build/tickvm "$BATS_TEST_TMPDIR/tickvm"
  if [ ! -e /usr/local/share/tickvm/tickvm.iso ]; then
    refuses 2 'no tickvm.iso beside the binary' "$BATS_TEST_TMPDIR/tickvm" repro pmtimer
  fi
  cp build/tickvm.iso "$BATS_TEST_TMPDIR/tickvm.iso"
  cd /
  run "$BATS_TEST_TMPDIR/tickvm" repro pmtimer --calls=16 --repeat=1 --json="$BATS_TEST_TMPDIR/r.json"
  [ "$status" -eq 0 ]
  [ "$(jq -r .image "$BATS_TEST_TMPDIR/r.json")" = "$BATS_TEST_TMPDIR/tickvm.iso" ]
}

@test "repro --help lists its scenarios and fits a screen" {
  run build/tickvm repro --help
  [ "$status" -eq 0 ]
  grep -q '^  pmtimer ' <<<"$output"
  [ "$(wc -l <<<"$output")" -le 24 ]
}

@test "repro rtc-lock: four ways, each counted; lock-free the storm calls the kernel for no lock" {
  need_kvm
  status=0
  build/tickvm repro rtc-lock --calls=5000 --seconds=1 --repeat=1 \
    --json="$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/text" || status=$?
  cat "$BATS_TEST_TMPDIR/text"
  [ "$status" -ne 77 ] || skip "$(tail -n 1 "$BATS_TEST_TMPDIR/text")"
  [ "$status" -eq 0 ]
  jq -e '[.rtcidle[], .rtcstorm[]] | length == 8 and all(.status == "ok")' "$BATS_TEST_TMPDIR/r.json"
  jq -e '.rtcidle[0].accesses.median > 500 and .rtcstorm[0].accesses.median > 25000' \
    "$BATS_TEST_TMPDIR/r.json"
  jq -e '.rtcstorm | .[3].futex_calls.median <= .[0].futex_calls.median' "$BATS_TEST_TMPDIR/r.json"
}
