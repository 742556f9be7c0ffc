package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// manifest is what pkg(8) reads first: of the package in short, and once more
// with its files and their sums.
type manifest struct {
	Name         string            `json:"name"`
	Origin       string            `json:"origin"`
	Version      string            `json:"version"`
	Comment      string            `json:"comment"`
	Maintainer   string            `json:"maintainer"`
	WWW          string            `json:"www"`
	ABI          string            `json:"abi"`
	Arch         string            `json:"arch"`
	Prefix       string            `json:"prefix"`
	FlatSize     int64             `json:"flatsize"`
	LicenseLogic string            `json:"licenselogic"`
	Licenses     []string          `json:"licenses"`
	Desc         string            `json:"desc"`
	Categories   []string          `json:"categories"`
	Files        map[string]string `json:"files,omitempty"`
}

// writePkg makes a package of a folder laid out as the root of a FreeBSD. It
// needs no library of the system, so it is for every release.
func writePkg(w io.Writer, dir, version, goarch string, at time.Time) error {
	arch, ok := map[string][2]string{"amd64": {"amd64", "x86:64"}, "arm64": {"aarch64", "aarch64:64"}}[goarch]
	if !ok {
		return fmt.Errorf("no FreeBSD of architecture %s is known: amd64 and arm64 are", goarch)
	}
	files, err := filesOf(dir)
	if err != nil {
		return err
	}
	m := manifest{
		Name: "iosweep", Origin: "benchmarks/iosweep", Version: strings.ReplaceAll(version, "-", "."),
		Comment: "Find out which value of an I/O tunable is best", Maintainer: "iosweep@localhost",
		WWW: "https://github.com/iosweep/iosweep", ABI: "FreeBSD:*:" + arch[0], Arch: "freebsd:*:" + arch[1],
		Prefix: "/usr/local", LicenseLogic: "single", Licenses: []string{"BSD2CLAUSE"}, Categories: []string{"benchmarks"},
		Desc: "Which value of an I/O tunable is best on this hardware, and how sure that is.\n\nAfter a crash, settings are put back at boot: service iosweep_restore enable",
	}
	sums := map[string]string{}
	for _, f := range files {
		m.FlatSize += int64(len(f.data))
		sum := sha256.Sum256(f.data)
		sums["/"+f.path] = "1$" + hex.EncodeToString(sum[:])
	}
	compact, err := json.Marshal(m)
	if err != nil {
		return err
	}
	m.Files = sums
	full, err := json.Marshal(m)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	head := []file{{"+COMPACT_MANIFEST", 0o644, compact}, {"+MANIFEST", 0o644, full}}
	for i, f := range append(head, files...) {
		if i >= len(head) {
			f.path = "/" + f.path
		}
		if err := writeTar(t, f, at); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), z.Close())
}

func writeTar(t *tar.Writer, f file, at time.Time) error {
	h := &tar.Header{
		Name: f.path, Mode: int64(f.mode & fs.ModePerm), Size: int64(len(f.data)), ModTime: at,
		Uname: "root", Gname: "wheel", Format: tar.FormatPAX,
	}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err := t.Write(f.data)
	return err
}
