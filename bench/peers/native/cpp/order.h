// What all native programs are: children that wait for orders.
//
//   program list FIB WORKERS        prints the names of its cases
//   program NAME FIB WORKERS        makes one ready, then for each line with a number
//                                   n does n operations and prints how many ns they
//                                   took, on the clock and of processor time
//
// The end of its input is the end of the program.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

struct Case {
	std::string name;
	std::function<void(long)> run;
};

inline long long processor_ns() {
	timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

inline int obey(const Case &c) {
	long n;
	while (std::scanf("%ld", &n) == 1) {
		auto cpu = processor_ns();
		auto began = std::chrono::steady_clock::now();
		c.run(n);
		auto took = std::chrono::steady_clock::now() - began;
		cpu = processor_ns() - cpu;
		std::printf("%lld %lld\n", (long long)std::chrono::nanoseconds(took).count(), cpu);
		std::fflush(stdout);
	}
	return 0;
}

// cases makes them for a problem size and a number of workers.
inline int serve(int argc, char **argv, std::function<std::vector<Case>(int, int)> cases) {
	if (argc != 4) {
		std::fprintf(stderr, "usage: %s list|NAME FIB WORKERS\n", argv[0]);
		return 2;
	}
	std::string asked = argv[1];
	for (auto &c : cases(std::atoi(argv[2]), std::atoi(argv[3]))) {
		if (asked == "list")
			std::printf("%s\n", c.name.c_str());
		else if (asked == c.name)
			return obey(c);
	}
	if (asked == "list")
		return 0;
	std::fprintf(stderr, "%s: no case %s\n", argv[0], argv[1]);
	return 2;
}

inline void want(bool ok, const char *what) {
	if (!ok) {
		std::fprintf(stderr, "wrong: %s\n", what);
		std::exit(1);
	}
}
