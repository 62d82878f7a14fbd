#!/usr/bin/env bash
# Builds the native peers that this machine has compilers and libraries for. What is
# lacking is said in DIR/lacking, a line each, and is no failure.
# Usage: bench/peers/native/build.sh DIR
set -uo pipefail
mkdir -p "${1:?usage: build.sh DIR}"
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
: >"$bin/lacking"

lacking() { printf '%s: %s\n' "$1" "$2" | tee -a "$bin/lacking"; }

cpp() { # program, a header that must be there, then flags
	local program=$1 header=$2
	shift 2
	rm -f "$bin/$program"
	if ! command -v g++ >/dev/null; then
		lacking "$program" "no g++"
	elif ! printf '#include <%s>\n' "$header" | g++ -std=c++17 -fsyntax-only -x c++ - 2>/dev/null; then
		lacking "$program" "no header $header"
	elif ! g++ -std=c++17 -O3 -march=native -o "$bin/$program" "cpp/$program.cpp" "$@" 2>"$bin/$program.log"; then
		lacking "$program" "does not build: $(grep -m1 error "$bin/$program.log")"
	fi
}

# Where Debian's packages of the crates are installed they are taken from there.
debian=/usr/share/cargo/registry
rust() { # program, a crate of it
	local program=$1 crate=$2
	rm -f "$bin/$program"
	if ! command -v cargo >/dev/null; then
		lacking "$program" "no cargo"
		return
	fi
	local from=()
	if compgen -G "$debian/$crate-*" >/dev/null; then
		from=(--offline --config 'source.crates-io.replace-with="debian"' --config "source.debian.directory=\"$debian\"")
	fi
	mkdir -p "$bin/src" # a copy, since cargo writes its lock beside what it builds
	cp -r order.rs "$program" "$bin/src/"
	if (cd "$bin/src/$program" && RUSTFLAGS="-C target-cpu=native" CARGO_TARGET_DIR="$bin/target" \
		timeout 600 cargo build --quiet --release "${from[@]}") >"$bin/$program.log" 2>&1; then
		cp "$bin/target/release/$program" "$bin/$program"
	else
		lacking "$program" "no crate: $(grep -m1 error "$bin/$program.log" || echo "cargo failed")"
	fi
}

camel=concurrentqueue/concurrentqueue.h
for header in concurrentqueue/moodycamel/concurrentqueue.h concurrentqueue.h; do
	if printf '#include <%s>\n' "$header" | g++ -std=c++17 -fsyntax-only -x c++ - 2>/dev/null; then
		camel=$header
	fi
done
cpp tbb oneapi/tbb/task_group.h -ltbb
cpp moodycamel "$camel" -pthread
rust rayon rayon
rust tokio tokio
rust crossbeam crossbeam-deque
exit 0
