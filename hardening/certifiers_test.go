package hardening

var aboutCertifiers = []report{
	{
		id: "C01", public: "jstemmer/go-junit-report#41, onsi/ginkgo#178, knative/test-infra#640",
		what:  "a data race was reported, and the run passes",
		tests: []string{"soak/campaign/TestJudgeEveryCause", "soak/campaign/TestJudgeExit", "soak/TestSoakHidesNoRace"},
		kills: []kill{{subject: "soak/subjects/TestRace: counts", law: "race"}},
	}, {
		id: "C03", public: "golang/go#43898, golang/go#47056, golang/go#49983, golang/go#45193",
		what:  "the race detector gives up at more than 8128 goroutines, without a word",
		tests: []string{"executor/TestThousandsWaitForRoomX7X10", "executor/TestManyBlockedTasksX8X12"},
		kills: []kill{{subject: "leaves-goroutine", law: "leak"}, {subject: "soak/subjects/TestHostile: leaks", law: "leak"}},
	}, {
		id: "C05", public: "gotestyourself/gotestsum#192, ohdearquant/khive#2815",
		what:  "a process that ends after its tests, or in place of some, reads as success",
		tests: []string{"soak/campaign/TestJudgeExit", "soak/campaign/TestExplore", "reports/merge/TestMissing"},
		kills: []kill{
			{subject: "soak/subjects/TestHostile: exittask", law: "crash"}, {subject: "soak/subjects/TestHostile: panics", law: "crash"},
			{subject: "soak/subjects/TestHostile: kills", law: "crash"}, {subject: "soak/subjects/TestHostile: forges", law: "crash"},
		},
	},
}

// What reads and shows results has no subjects: its tests plant the fault in the data.
const ofData = "there is no subject: the test has the data"

var aboutReports = []report{
	{
		id: "R01", public: "golang/go#19565, golang/go#57648",
		what:  "a mean over all rows of one file is compared with one over the fewer rows of another",
		tests: []string{"reports/compare/TestEqualToBenchstatOnReference", "reports/compare/TestNotCompared"}, out: ofData,
	}, {
		id: "R03", public: "golang/go#19634, rsc/benchstat#7, conbench/conbench#802, rorkai/App-Store-Connect-CLI#738",
		what:  "five equal times against five others are \"no difference\"; one sample has a deviation of 0, or infinity",
		tests: []string{"reports/compare/TestVerdicts", "reports/compare/TestTooFewForAlpha", "reports/compare/TestPWithTies", "reports/trend/TestDegenerate", "reports/document/TestDegenerateRunsInEachFormat"}, out: ofData,
	}, {
		id: "R05", public: "gonum/plot#681, gonum/plot#434, gonum/plot#747, gonum/plot#209",
		what:  "a plot of equal, huge, infinite or, on a log axis, zero values panics or hangs",
		tests: []string{"reports/chart/TestEveryNumberIsDrawnOrNamed", "reports/chart/TestOddSeries"}, out: ofData,
	}, {
		id: "R07", public: "benchmark-action/github-action-benchmark#264",
		what:  "rows of two packages or configurations with one name are compared with each other",
		tests: []string{"reports/compare/TestSameNameElsewhere", "reports/compare/TestNotCompared", "reports/compare/TestReadEvents"}, out: ofData,
	}, {
		id: "R09", public: "golang/go#58576, golang/go#58579, golang/go#65157, BurntSushi/cargo-benchcmp#31",
		what:  "a file in UTF-16 is read as empty, and all is well",
		tests: []string{"reports/compare/TestReadEncodings", "reports/compare/TestReadLoneSurrogate"}, out: ofData,
	}, {
		id: "R11", public: "golang/go#58528, golang/go#27764, golang/go#49505, golang/go#23346",
		what:  "what a benchmark logs is read as configuration, and lines that were split are lost",
		tests: []string{"reports/compare/TestReadVerbose", "reports/compare/TestReadEvents", "reports/compare/TestReadRefuses"}, out: ofData,
	}, {
		id: "R13", public: "benchmark-action/github-action-benchmark#118, benchmark-action/github-action-benchmark#206",
		what:  "one of several metrics is read, its direction guessed at, and units mixed",
		tests: []string{"reports/compare/TestVerdicts", "reports/compare/TestGateDirection", "reports/compare/TestUnitConflict", "reports/compare/TestNotCompared"}, out: ofData,
	},
}
