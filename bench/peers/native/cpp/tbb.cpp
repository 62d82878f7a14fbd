// oneTBB: task_group, in an arena of as many threads as there are workers. The thread
// that waits is one of them, as in the library's own examples.
#include "order.h"
#include <atomic>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using oneapi::tbb::global_control;
using oneapi::tbb::task_arena;
using oneapi::tbb::task_group;

static int serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

static int fib(int n) {
	if (n < 2)
		return n;
	int a, b;
	task_group g;
	g.run([&b, n] { b = fib(n - 2); });
	a = fib(n - 1);
	g.wait();
	return a + b;
}

// submit gives tasks from a thread that is in no task.
static void submit(long n) {
	task_group g;
	for (long i = 0; i < n; i++)
		g.run([] {});
	g.wait();
}

// inside gives tasks from inside others, as many at a time as the Go arms.
static void inside(long n) {
	task_group g;
	for (; n > 0; n -= 4096) {
		long share = n < 4096 ? n : 4096;
		g.run([&g, share] {
			for (long i = 0; i < share; i++)
				g.run([] {});
		});
		g.wait();
	}
}

static void link(task_group &g, long &left) {
	if (--left > 0)
		g.run([&g, &left] { link(g, left); });
}

static void chain(long n) {
	task_group g;
	long left = n;
	g.run([&g, &left] { link(g, left); });
	g.wait();
	want(left == 0, "chain");
}

static std::vector<Case> cases(int n, int workers) {
	auto in = [](int threads, std::function<void(long)> work) {
		return [=](long ops) {
			static global_control limit(global_control::max_allowed_parallelism, threads);
			static task_arena arena(threads);
			arena.execute([&] { work(ops); });
		};
	};
	std::vector<Case> all;
	auto add = [&](std::string work, int threads, std::function<void(long)> f) {
		all.push_back({work + "/workers=" + std::to_string(threads) + "/pool=tbb/native=cpp", in(threads, f)});
	};
	auto fibs = [n](long ops) {
		static int right = serial(n); // by the first order, which is for warming up
		for (long i = 0; i < ops; i++)
			want(fib(n) == right, "fib");
	};
	std::string size = "Fib/n=" + std::to_string(n);
	add(size, 1, fibs);
	if (workers > 1)
		add(size, workers, fibs);
	add("Submit/submitters=1", workers, submit);
	add("Inside", workers, inside);
	add("Chain", workers, chain);
	return all;
}

int main(int argc, char **argv) { return serve(argc, argv, cases); }
