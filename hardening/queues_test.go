package hardening

var aboutQueues = []report{
	{
		id: "Q01", public: "crossbeam-rs/crossbeam#726, CVE-2021-32810",
		what:  "a thief that read its item from a ring which the owner has replaced since still wins the index",
		tests: []string{"queues/chaselev/TestStaleRing", "queues/chaselev/TestLaws", "soak/explore/scenario/TestOwnMutants"},
		kills: []kill{{subject: "stale-ring", law: "duplicated"}, {subject: "stale-ring", law: "lost"}},
	}, {
		id: "Q04", public: "boostorg/lockfree#59",
		what:  "a node that is used again begins with a tag it has had: items come out in another order, none is lost",
		tests: []string{"queues/msqueue/TestReuse", "queues/msqueue/TestLaws"},
		kills: []kill{{subject: "reset-tag", law: "reordered"}, {subject: "stack", law: "reordered"}},
	}, {
		id: "Q05", public: "crossbeam-rs/crossbeam#105",
		what:  "who was pinned and pins again moves its own epoch on, and what it reads is freed",
		tests: []string{"queues/epoch/TestScripts", "queues/epoch/TestReaders", "executor/TestNoPinWhileBusyOrAsleep"},
		kills: []kill{{subject: "shared-pin", law: "contract"}},
	}, {
		id: "Q08", public: "adrianbrad/queue#43, zealws/golang-ring#9",
		what:  "a slot keeps what was taken from it",
		tests: []string{"queues/chaselev/TestLaws", "queues/claim/TestLaws", "queues/scq/TestLaws", "queues/segment/TestLaws", "queues/sharded/TestLaws", "executor/TestNothingIsRetainedX12"},
		kills: []kill{{subject: "queues/queuetest/TestFaultyInjectors: keeps a reference", law: "retention"}, {subject: "keeps-tasks", law: "memory"}},
	}, {
		id: "Q09", public: "eclipse-iceoryx/iceoryx2#986",
		what:  "32-bit positions wrap where the capacity does not divide them, and live items are overwritten",
		tests: []string{"queues/scq/TestLaws", "queues/chaselev/TestJump", "queues/epoch/TestScripts"},
		kills: []kill{{subject: "modulo", law: "duplicated"}, {subject: "queues/queuetest/TestFaultyInjectors: 32-bit counters modulo 10", law: "wrap"}, {subject: "wrapped", law: "contract"}},
	}, {
		id: "Q11", public: "bruceshao/lockfree#20, jolestar/go-commons-pool#42, golang/go#23345",
		what:  "a 64-bit field that is used atomically is not aligned on 386 and arm",
		tests: []string{"queues/scq/TestTypes", "queues/segment/TestTypes", "queues/msqueue/TestTypes"},
		out:   "functions of sync/atomic on plain fields are banned in this module (tidy_test.go), and scripts/check.sh runs the tests for 386; of a subject's fields a run says \"not checked: other machines and platforms\"",
	}, {
		id: "Q13", public: "enriquebris/goconcurrentqueue#30, enriquebris/goconcurrentqueue#34",
		what:  "a producer forgets a waiter that it could not hand over to, which sleeps beside a queue that is not empty",
		tests: []string{"executor/TestNoLostWakeX4", "executor/TestBlockedSubmitSeesInjectorRoomX4X10", "executor/TestSleepModelX4"},
		kills: []kill{{subject: "looks-then-sleeps", law: "stall"}, {subject: "unchained-wake", law: "stall"}},
	}, {
		id: "Q15", public: "Workiva/go-datastructures#141",
		what:  "each wait that expires leaves an entry behind",
		tests: []string{"executor/TestWaitsThatEndLeaveNothingX10X12"},
		kills: []kill{{subject: "keeps-waiters", law: "memory"}},
	}, {
		id: "Q17", public: "LMAX-Exchange/disruptor#517, LMAX-Exchange/disruptor#481",
		what:  "a shutdown that comes before the consumers began throws away what was accepted",
		tests: []string{"executor/TestShutdownDrainsX6X7"},
		kills: []kill{{subject: "drops-at-close", law: "lost"}},
	}, {
		id: "Q19", public: "hedzr/go-ringbuf#1",
		what:  "a push fills its slot though it did not win it: the order breaks, and nothing is lost",
		tests: []string{"queues/catalog/TestCrowds", "queues/scq/TestLaws", "queues/msqueue/TestLaws", "queues/segment/TestLaws"},
		kills: []kill{{subject: "sidelined", law: "reordered"}, {subject: "swapped", law: "reordered"}, {subject: "queues/queuetest/TestFaultyInjectors: swaps neighbours while somebody pops", law: "sequence"}},
	},
}
