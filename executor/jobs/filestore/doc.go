// Package filestore keeps the records of a jobs.Supervisor in a directory, and
// survives being killed at any moment.
//
//	store, err := filestore.Open(dir)
//	s, recovered, err := jobs.New(e, jobs.Config{Store: store})
//	fmt.Println(recovered)
//
// The directory has one owner at a time, by a lock that ends with the process,
// and holds an append-only log, jobs.log:
//
//	"certify-jobs v1\n"
//	frame ...
//	frame = length of payload, CRC-32C of payload, CRC-32C of those 8 bytes
//	        (each 4 bytes, little endian), payload
//	payload = JSON lines, each a record or a deletion; never a zero byte
//
// What it promises:
//
//   - When Put or Delete returns nil, the record is on the disk (fsync).
//     Callers that come together share one frame and one fsync, and an error.
//   - After an error nothing of the record is in the log: a frame written in
//     part is cut off. When that fails too, or the disk does not say what it
//     kept, the store is ErrReadOnly from then on.
//   - Open drops what was written in part when the process or the machine
//     died, and Load reports how many bytes that were. Any other damage is a
//     *CorruptError with file and offset, and nothing is dropped.
//   - When more than half of the log is history, it is written anew beside,
//     synced, renamed over the old one, and the directory synced.
//
// The last frame counts as written in part when the file ends inside it, or
// when it has a hole of zeros where the file system had made room and then
// written nothing. A frame is synced before the next is written, so only the
// last can be so; the check of its length keeps a damaged one from swallowing
// those behind it.
//
// What it does not do: work on file systems without locks or a true fsync, or
// bring back records that decayed on the disk.
package filestore
