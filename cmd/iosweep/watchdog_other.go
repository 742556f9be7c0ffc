//go:build !unix

package main

import "syscall"

// ownSession does nothing: no kernel knob is changed on this system.
func ownSession() *syscall.SysProcAttr { return nil }

func spareFromOOM() {}
