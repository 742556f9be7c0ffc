package main

import (
	"os"
	"syscall"
)

// ownSession takes a child out of the terminal's reach.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// spareFromOOM asks the kernel to take others first when memory is short. Only
// root may ask for that; without it the journal still has everything.
func spareFromOOM() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("-1000"), 0) }
