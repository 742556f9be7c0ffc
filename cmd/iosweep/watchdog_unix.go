//go:build unix && !linux

package main

import "syscall"

// ownSession takes a child out of the terminal's reach.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func spareFromOOM() {}
