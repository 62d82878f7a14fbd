// moodycamel::ConcurrentQueue, alone: an item pushed and popped by one thread, 64 at a
// time, with tokens as its documentation advises and without.
#include "order.h"
#if __has_include(<concurrentqueue/moodycamel/concurrentqueue.h>)
#include <concurrentqueue/moodycamel/concurrentqueue.h>
#elif __has_include(<concurrentqueue/concurrentqueue.h>)
#include <concurrentqueue/concurrentqueue.h>
#else
#include <concurrentqueue.h>
#endif

using Queue = moodycamel::ConcurrentQueue<void *>;

template <class Push, class Pop> static void solo(long n, Push push, Pop pop) {
	static char items[64];
	long popped = 0;
	for (long left = n; left > 0; left -= 64) {
		long share = left < 64 ? left : 64;
		for (long i = 0; i < share; i++)
			push(items + i);
		void *item;
		for (long i = 0; i < share; i++)
			popped += pop(item);
	}
	want(popped == n, "solo");
}

static std::vector<Case> cases(int, int) {
	auto plain = [](long n) {
		static Queue q;
		solo(n, [](void *x) { q.enqueue(x); }, [](void *&x) { return q.try_dequeue(x); });
	};
	auto tokens = [](long n) {
		static Queue q;
		static moodycamel::ProducerToken producer(q);
		static moodycamel::ConsumerToken consumer(q);
		solo(n, [](void *x) { q.enqueue(producer, x); }, [](void *&x) { return q.try_dequeue(consumer, x); });
	};
	return {{"Solo/p=1/burst=64/pool=moodycamel/native=cpp", plain},
		{"Solo/p=1/burst=64/pool=moodycamel.tokens/native=cpp", tokens}};
}

int main(int argc, char **argv) { return serve(argc, argv, cases); }
