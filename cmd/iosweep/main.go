// Command iosweep finds out which value of an I/O tunable is best on this
// hardware, and how sure that is.
package main

import "os"

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
