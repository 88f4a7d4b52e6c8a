#!/usr/bin/env bats
# The build as a user meets it: install, clean, missing tools, nothing built twice.

bats_require_minimum_version 1.5.0
load common

@test "make install puts binary, ISO, man page and completion under DESTDIR and PREFIX" {
  local root=$BATS_TEST_TMPDIR/root
  make -s install DESTDIR="$root" PREFIX=/opt/tickvm
  [ -x "$root/opt/tickvm/bin/tickvm" ]
  cmp build/tickvm.iso "$root/opt/tickvm/share/tickvm/tickvm.iso"
  [ -s "$root/opt/tickvm/share/man/man1/tickvm.1" ]
  [ -s "$root/opt/tickvm/share/bash-completion/completions/tickvm" ]
  "$root/opt/tickvm/bin/tickvm" --version
}

@test "a second make builds nothing" {
  make -s all
  run make all
  echo "$output"
  ! grep -qE '^ +(CC|LD|ISO|AS|IASL) ' <<<"$output"
}

@test "one changed guest source rebuilds the guest and the ISO, not the VMM" {
  make -s all
  touch apps/hello.c
  run make all
  echo "$output"
  grep -q 'CC *apps/hello.c' <<<"$output"
  grep -q 'ISO' <<<"$output"
  ! grep -q 'CC *vmm/' <<<"$output"
  ! grep -q 'CC *apps/smoke.c' <<<"$output"
}

@test "without xorriso the ISO's build stops, names the package, and leaves no ISO" {
  local out=$BATS_TEST_TMPDIR/x.iso bin=$BATS_TEST_TMPDIR/bin tool
  mkdir "$bin"
  for tool in bash dirname realpath date test rm mktemp sed; do
    ln -s "$(command -v $tool)" "$bin/$tool"
  done
  ln -s "$(command -v grub-mkrescue)" "$bin/grub-mkrescue"
  : >"$out"
  run env PATH="$bin" bash scripts/iso bios build/tickvm.elf "$out"
  echo "$output"
  [ "$status" -eq 2 ]
  grep -q xorriso <<<"$output"
  [ ! -e "$out" ]
}

@test "deps names what is missing when it may not install" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
  local dir
  dir=$(mktemp -d /tmp/tickvm-test.XXXXXX)
  printf '#!/bin/sh\necho "ii  gcc"\n' >"$dir/dpkg-query"
  cp scripts/deps "$dir/deps"
  chmod -R a+rX,a+x "$dir"
  run setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$dir:$PATH" "$dir/deps"
  rm -r "$dir"
  echo "$output"
  [ "$status" -eq 2 ]
  [ "${#lines[@]}" -eq 1 ]
  grep -q newlib-source <<<"$output"
}

@test "make run without a usable /dev/kvm: the ISO under QEMU's emulator, and it says so" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to hide /dev/kvm"
  [ -e /dev/kvm ] || skip "there is no /dev/kvm to hide"
  run unshare --mount bash -c 'mount --bind /dev/null /dev/kvm && make -s run </dev/null'
  echo "$output"
  [ "$status" -eq 0 ]
  grep -q "no usable /dev/kvm" <<<"$output"
  tail -n 1 <<<"$output" | grep -q '^PASS.*serial text'
}
