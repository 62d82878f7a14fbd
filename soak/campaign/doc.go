// Package campaign carries out a plan: every repetition in a process of its
// own, one after the other, each on the disk before it counts.
//
//	plan ──▶ build the runner, once ──▶ for each repetition not recorded yet
//	                                      child: process group, deadline,
//	                                      memory guard, log
//	                                      judge: exit, result, race reports
//	                                      record: appended and synced
//
// A campaign that was interrupted or killed at any moment goes on with the
// next repetition: what was recorded is never run again, what was not recorded
// never counts. The first failure ends it, unless the plan says to keep going.
//
// Not here: what a repetition does (soak), how a process is supervised
// (soak/child), how records are kept (reports/rundir).
package campaign
