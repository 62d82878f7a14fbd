package hardening

var aboutExecutors = []report{
	{
		id: "E01", public: "tokio-rs/tokio#8372",
		what:  "a look at the workers wakes them past the books, the count of sleepers wraps, and nobody is ever woken again",
		tests: []string{"executor/TestStatsWhileAsleepX4", "executor/TestSleepWordX4"},
		kills: []kill{{subject: "miscounts-sleepers", law: "contract"}},
	}, {
		id: "E04", public: "surrealdb/affinitypool#45",
		what:  "a spawn from a worker wakes nobody, and the worker then blocks on what it spawned",
		tests: []string{"executor/TestSpawnWakesAPeerX3", "executor/TestMovedTasksWakeX4", "executor/TestDrainKeepsPeersForALateTaskX7"},
		kills: []kill{{subject: "wakes-no-peer", law: "stall"}},
	}, {
		id: "E06", public: "typelevel/cats-effect#4674",
		what:  "a searcher that failed stays counted as searching, so no sleeper is woken",
		tests: []string{"executor/TestBadEndsAfterStealsL10", "executor/TestSleepWordX4"},
		kills: []kill{{subject: "latched-search", law: "stall"}},
	}, {
		id: "E07", public: "uxlfoundation/oneTBB#2056, JDK-8274349",
		what:  "one processor less one is no worker at all",
		tests: []string{"executor/TestZeroConfigOnOneProcessorX1", "executor/TestConfigErrorsX1"},
		kills: []kill{{subject: "one-worker-short", law: "stall"}},
	}, {
		id: "E10", public: "JDK-8330017, JDK-8351933",
		what:  "a part of a packed word drifts by one a retirement, until the pool takes itself for full",
		tests: []string{"executor/TestSleepWordX4"},
		kills: []kill{{subject: "drifting-count", law: "stall"}},
	}, {
		id: "E11", public: "panjf2000/ants#202",
		what:  "a release wakes one of those who wait to submit",
		tests: []string{"executor/TestThousandsWaitForRoomX7X10", "executor/TestBlockedSubmittersAreReleasedX10", "executor/TestEndsTogetherX7"},
		kills: []kill{{subject: "close-tells-one", law: "stall"}},
	}, {
		id: "E13", public: "infiniflow/ragflow#18646, openziti/foundation#140",
		what:  "a submitter past the look at \"stopped\" sends while the pool closes",
		tests: []string{"executor/TestSubmitRacesEndX6"},
		kills: []kill{{subject: "looks-then-accepts", law: "stall"}, {subject: "drops-at-close", law: "lost"}, {subject: "runs-refused", law: "duplicated"}},
	}, {
		id: "E16", public: "panjf2000/gnet#175",
		what:  "one task that fails takes the rest of its batch along",
		tests: []string{"executor/TestBatchSurvivesBadEndsL10"},
		kills: []kill{{subject: "drops-the-rest", law: "stall"}},
	}, {
		id: "E17", public: "alitto/pond#135, alitto/pond#136",
		what:  "runtime.Goexit in a task takes its worker",
		tests: []string{"executor/TestGoexitIsAnOutcomeL10", "executor/TestGoexitIsTheLastL10", "executor/TestFaultsOfPolledTasksL10L11", "executor/scope/TestBadBodiesS1S2"},
		kills: []kill{
			{subject: "goexit-takes-worker", law: "stall"},
			{subject: "soak/subjects/TestVerdicts: pools", law: "stall", module: "github.com/gammazero/workerpool v1.3.0"},
			{subject: "soak/subjects/TestVerdicts: pools", law: "stall", module: "github.com/alitto/pond v1.9.2"},
		},
	}, {
		id: "E19", public: "TileDB-Inc/TileDB#1994, rayon-rs/rayon#592, rayon-rs/rayon#1174",
		what:  "who waits runs whatever there is, and meets the lock that it holds",
		tests: []string{"executor/TestLockAcrossWaitX8"},
		kills: []kill{{subject: "waiter-runs-any", law: "stall"}},
	}, {
		id: "E22", public: "golang/go#70284, neilotoole/errgroup#6, neilotoole/errgroup#11",
		what:  "tasks are added to a group that is being waited for and has none: the wait may be over, or never be",
		tests: []string{"executor/scope/TestWrongPhasesS2S12", "executor/TestGroupIsGivenWhileWaitedFor", "executor/TestGroupWait"},
		kills: []kill{{subject: "soak/TestScopeDrillKillsS1S3: a body never ran", law: "lost"}, {subject: "soak/TestScopeDrillKillsS1S3: a failure is swallowed", law: "contract"}},
		out:   "only a body gives its scope children, so none comes from outside; scopes and groups are of our executor: there is no interface for those of others, so the drill's checks are tried on what a faulty one leaves",
	}, {
		id: "E23", public: "tikv/yatp#36, mozilla/task.js#6",
		what:  "a task waits for itself, or in a cycle, or ends its own executor: it hangs without a word",
		tests: []string{"executor/TestCyclesX9", "executor/TestEndFromInsideX7", "executor/scope/TestSelfJoinS5", "executor/scope/TestMutualJoinS5", "executor/scope/TestImplicitCycleS5"},
		kills: []kill{{subject: "soak/subjects/TestHostile: hangclose", law: "stall"}},
		out:   "no drill waits in a cycle, since soak.Tasks does not ask that it be found; a subject that hangs is a stall and does not hang the run",
	}, {
		id: "E26", public: "golang/go#63615",
		what:  "a context that has ended is accepted where there happens to be room",
		tests: []string{"executor/TestEndedContextIsRefusedX10", "executor/TestNoSlotIsLostX10"},
		kills: []kill{{subject: "accepts-ended", law: "contract"}},
	}, {
		id: "E28", public: "true-async/php-async#250, noxdafox/pebble#33, vavr-io/vavr#2750",
		what:  "a task that was cancelled in its queue is run all the same",
		tests: []string{"executor/TestCancelAgainstStartL1L8", "executor/TestCancelWhileQueuedL8", "executor/TestCancelAgainstClaimL8"},
		kills: []kill{{subject: "runs-cancelled", law: "contract"}},
	}, {
		id: "E29", public: "SamSaffron/term-llm#790, SamSaffron/term-llm#918",
		what:  "the end overwrites the cancel, or the cancel the end",
		tests: []string{"executor/TestCancelRaceL1L2", "executor/TestOneCancelWinsL2", "executor/jobs/TestCancelAgainstCloseV6", "executor/jobs/TestRandomHistoryV1V2V3V6"},
		kills: []kill{{subject: "end-undoes-cancel", law: "contract"}, {subject: "two-cancels", law: "contract"}},
	}, {
		id: "E31", public: "rust-lang/futures-rs#1006",
		what:  "a wake that comes before the first poll is swallowed",
		tests: []string{"executor/TestWakeBeforeTheFirstPollL5", "executor/TestWakesAreNeverLostL5", "executor/poll/TestJoinPollsWhatWasWoken"},
		kills: []kill{{subject: "lost-wake", law: "stall"}},
	}, {
		id: "E33", public: "smol-rs/async-executor#163",
		what:  "who wakes a task uses the executor after the task was given away, when it may be over",
		tests: []string{"executor/TestWakesDuringTheEndX7L5"},
		kills: []kill{{subject: "touches-closed", law: "contract"}},
	}, {
		id: "E35", public: "alitto/pond#12, gogf/gf#4376",
		what:  "a count is taken back before it was made, and is below zero meanwhile",
		tests: []string{"executor/TestMillionsOfLooksL12", "executor/TestGaugesInAStormL12"},
		kills: []kill{
			{subject: "late-count", law: "contract"}, {subject: "gauge-out-of-range", law: "contract"},
			{subject: "soak/subjects/TestVerdicts: misused", law: "contract", module: "github.com/panjf2000/gnet/v2 v2.9.7"},
		},
	}, {
		id: "E37", public: "panjf2000/ants#358, panjf2000/ants#360",
		what:  "what was made beforehand is not made again after a release",
		tests: []string{"executor/TestStartAndEndAgainX1"},
		kills: []kill{{subject: "restarts-empty", law: "stall"}},
	}, {
		id: "E39", public: "taskflow/taskflow#681, Workiva/go-datastructures#150, puzpuzpuz/xsync#117, alphadose/ZenQ#12",
		what:  "workers with nothing to do use whole processors",
		tests: []string{"executor/TestIdleCostsNothingX11", "executor/TestBlockedSubmitSleepsX11"},
		kills: []kill{{subject: "busy-wait", law: "contract"}},
	},
}
