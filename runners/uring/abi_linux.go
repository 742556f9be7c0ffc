package uring

import "unsafe"

// What follows is the kernel's interface, include/uapi/linux/io_uring.h.

const (
	sysSetup    = 425
	sysEnter    = 426
	sysRegister = 427

	offRing = 0
	offSQEs = 0x10000000

	opFsync      = 3
	opReadFixed  = 4
	opWriteFixed = 5
	opTimeout    = 11
	opFallocate  = 17
	opRead       = 22
	opWrite      = 23
	opCommand    = 46

	sqeFixedFile = 1 << 0
	sqeAsync     = 1 << 4

	setupCQSize       = 1 << 3
	setupSubmitAll    = 1 << 7
	setupCoopTaskrun  = 1 << 8
	setupTaskrunFlag  = 1 << 9
	setupSingleIssuer = 1 << 12
	setupDeferTaskrun = 1 << 13

	featSingleMmap = 1 << 0
	featExtArg     = 1 << 8
	featNoIowait   = 1 << 17

	enterGetEvents      = 1 << 0
	enterExtArg         = 1 << 3
	enterRegisteredRing = 1 << 4
	enterNoIowait       = 1 << 7

	sqTaskrun = 1 << 2

	registerBuffers   = 0
	unregisterBuffers = 1
	registerFiles     = 2
	unregisterFiles   = 3
	registerRingFDs   = 20
	unregisterRingFDs = 21

	// maxEntries and maxBuffers bound a ring; a registered buffer may be 1 GiB.
	maxEntries = 32768
	maxBuffers = 16384
	maxBuffer  = 1 << 30

	// discardCommand is BLOCK_URING_CMD_DISCARD, from Linux 6.12 on.
	discardCommand = 0x1200
	// blkDiscard is the ioctl BLKDISCARD.
	blkDiscard = 0x1277
	// punchHole is FALLOC_FL_PUNCH_HOLE with FALLOC_FL_KEEP_SIZE.
	punchHole = 0x03
)

// entry is a submission queue entry.
type entry struct {
	opcode      uint8
	flags       uint8
	ioprio      uint16
	fd          int32
	off         uint64
	addr        uint64
	len         uint32
	opFlags     uint32
	userData    uint64
	bufIndex    uint16
	personality uint16
	fileIndex   uint32
	addr3       uint64
	_           uint64
}

// result is a completion queue entry.
type result struct {
	userData uint64
	res      int32
	flags    uint32
}

type sqOffsets struct {
	head, tail, mask, entries, flags, dropped, array, _ uint32
	_                                                   uint64
}

type cqOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags, _ uint32
	_                                                   uint64
}

type params struct {
	sqEntries, cqEntries, flags, cpu, idle, features, wqFD uint32
	_                                                      [3]uint32
	sq                                                     sqOffsets
	cq                                                     cqOffsets
}

// waitArg is struct io_uring_getevents_arg.
type waitArg struct {
	sigmask     uint64
	sigmaskSize uint32
	minWaitUsec uint32
	timeout     uint64 // address of a timespec
}

type timespec struct{ sec, nsec int64 }

// fdUpdate is struct io_uring_rsrc_update, as the ring's own registration uses
// it.
type fdUpdate struct {
	offset uint32
	_      uint32
	data   uint64
}

// The sizes are part of the interface; a wrong one does not compile.
var (
	_ [64]byte  = [unsafe.Sizeof(entry{})]byte{}
	_ [16]byte  = [unsafe.Sizeof(result{})]byte{}
	_ [120]byte = [unsafe.Sizeof(params{})]byte{}
)
