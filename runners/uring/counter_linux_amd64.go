package uring

const haveCounter = true

// readCounter reads the processor's time stamp counter.
func readCounter() uint64
