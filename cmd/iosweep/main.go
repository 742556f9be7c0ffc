// Command iosweep finds out which value of an I/O tunable is best on this
// hardware, and how sure that is.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := stepDown(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "iosweep: %v\n", err)
		os.Exit(exitFailed)
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
