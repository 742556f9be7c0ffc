//go:build !linux

// Package winetest runs Windows binaries under Wine, on Linux only.
package winetest
