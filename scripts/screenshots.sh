#!/usr/bin/env bash
# Makes the pictures of a report, light and dark, wide and narrow, with a real
# browser (chromium or google-chrome on the PATH). Usage: scripts/screenshots.sh DIR
set -euo pipefail
dir=$(mkdir -p "${1:?the directory to write to}" && cd "$1" && pwd)
cd "$(dirname "$0")/../reports/html/browsertest"
CERTIFY_SCREENSHOTS=$dir go test -count=1 ./...
ls "$dir"
