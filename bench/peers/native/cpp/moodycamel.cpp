// moodycamel::ConcurrentQueue, alone: an item pushed and popped by one thread, 64 at a
// time, or handed from one to another, as package bench does it; with tokens as its
// documentation advises and without.
#include "order.h"
#include <thread>
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

// pair hands n items from a thread to another, of which some 1024 wait at most.
template <class Push, class Pop, class Len> static void pair(long n, Push push, Pop pop, Len len) {
	static char item;
	std::thread producer([&] {
		for (long i = 1; i <= n; i++) {
			push(&item);
			while (i % 64 == 0 && len() >= 1024)
				std::this_thread::yield();
		}
	});
	void *got;
	for (long left = n; left > 0;) {
		if (pop(got))
			left--;
		else
			std::this_thread::yield();
	}
	producer.join();
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
	auto pairPlain = [](long n) {
		static Queue q;
		pair(n, [](void *x) { q.enqueue(x); }, [](void *&x) { return q.try_dequeue(x); }, [] { return q.size_approx(); });
	};
	auto pairTokens = [](long n) {
		static Queue q;
		static moodycamel::ProducerToken producer(q);
		static moodycamel::ConsumerToken consumer(q);
		pair(n, [](void *x) { q.enqueue(producer, x); }, [](void *&x) { return q.try_dequeue(consumer, x); }, [] { return q.size_approx(); });
	};
	return {{"Solo/p=1/burst=64/pool=moodycamel/native=cpp", plain},
		{"Solo/p=1/burst=64/pool=moodycamel.tokens/native=cpp", tokens},
		{"Pair/p=1/c=1/pool=moodycamel/native=cpp", pairPlain},
		{"Pair/p=1/c=1/pool=moodycamel.tokens/native=cpp", pairTokens}};
}

int main(int argc, char **argv) { return serve(argc, argv, cases); }
