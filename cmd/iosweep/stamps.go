package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// stampJournals keeps the journals of the newest trial that stamped its writes,
// in a folder of the run's.
type stampJournals struct {
	dir  string
	made int
}

// journalsOf is where a run folder keeps them.
func journalsOf(run string) string { return filepath.Join(run, "stamps") }

// Clear implements campaign.Journals.
func (j *stampJournals) Clear() error {
	j.made = 0
	return os.RemoveAll(j.dir)
}

// Create implements campaign.Journals. What is written is on stable storage when
// the call returns, or a power cut would make sound data look wrong.
func (j *stampJournals) Create() (io.WriteCloser, error) {
	if err := os.MkdirAll(j.dir, 0o777); err != nil {
		return nil, err
	}
	name := filepath.Join(j.dir, fmt.Sprintf("%d.journal", j.made))
	j.made++
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND|os.O_SYNC, 0o666)
}
