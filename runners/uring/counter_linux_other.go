//go:build linux && !amd64

package uring

const haveCounter = false

// readCounter is not used here.
func readCounter() uint64 { return 0 }
