// Package uring issues I/O through Linux's io_uring.
//
// Each queue is one ring and one operating system thread. The ring, the file
// and the buffers are registered, each slot has one prefilled submission entry
// and one buffer, and nothing is allocated per operation. Completions are
// collected and stamped in batches.
//
// The thread enters the kernel without telling Go's scheduler, whose
// bookkeeping would cost a tenth of the rate and more. While it waits there, it
// keeps one of the scheduler's processors, so each queue adds one to GOMAXPROCS
// when it is opened and takes it back when it is closed.
package uring

// Engine is the io_uring engine. It works on Linux 5.11 and later, and uses
// what newer kernels have where they have it.
type Engine struct{}

// Name returns "uring".
func (Engine) Name() string { return "uring" }
