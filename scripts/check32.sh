#!/usr/bin/env bash
# The tests of queues, executor and soak as 32-bit arm, under qemu's emulation, where the
# kernel runs no 386 programs: the alignment of 64-bit atomics, and sizes and indexes of
# an int that ends at 2^31. Needs qemu-arm-static (Debian: qemu-user-static). It is ten
# times as slow as the tests are; scripts/check.sh leaves it out.
set -euo pipefail
cd "$(dirname "$0")/.."
emulator=$(command -v qemu-arm-static || command -v qemu-arm)

# Left to the native runs is what is about the tests themselves, the memory of a million
# items, crowds of goroutines, and looks by the million.
native='TestMillionsOfLooks|TestNoPin|TestOneGoroutineAWorker|TestControls|TestFaulty|TestLaws/.*/burst|TestOneProcessor|TestStalledPin|TestThousand'
GOARCH=arm CGO_ENABLED=0 go test -count=1 -timeout 30m -exec "$emulator" -short -skip "$native" ./queues/... ./executor/... ./soak
