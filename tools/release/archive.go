package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	// Source is its path on the disk, Name its path in the archive.
	Source, Name string
	Mode         int64
}

// archive writes florin_VERSION_OS_ARCH.tar.gz: one directory with the program, the README and the licences.
func (r release) archive(b binary) error {
	name := fmt.Sprintf("florin_%s_%s_%s", r.number(), b.OS, b.Arch)
	out, err := os.Create(filepath.Join(r.Dist, name+".tar.gz"))
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	err = writeTar(packed, r.Date, []file{
		{Source: filepath.Join(r.Root, "LICENSE"), Name: name + "/LICENSE", Mode: 0o644},
		{Source: filepath.Join(r.Root, "README.md"), Name: name + "/README.md", Mode: 0o644},
		{Source: b.Path, Name: name + "/florin", Mode: 0o755},
		{Source: filepath.Join(r.Root, "docs", "licences.md"), Name: name + "/licences.md", Mode: 0o644},
	})
	return errors.Join(err, packed.Close(), out.Close())
}

// writeTar writes files of root with the time of the commit.
func writeTar(out io.Writer, at time.Time, files []file) error {
	archive := tar.NewWriter(out)
	for _, f := range files {
		if err := addFile(archive, at, f); err != nil {
			return err
		}
	}
	return archive.Close()
}

func addFile(archive *tar.Writer, at time.Time, f file) error {
	in, err := os.Open(f.Source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: f.Name, Size: info.Size(), Mode: f.Mode, ModTime: at, Format: tar.FormatPAX,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, in)
	return err
}

// copyFiles copies the file for Docker Compose.
func (r release) copyFiles() error {
	text, err := os.ReadFile(filepath.Join(r.Root, "deploy", "compose.yaml"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.Dist, "compose.yaml"), text, 0o644)
}

// checksums writes SHA256SUMS for sha256sum --check.
func (r release) checksums() error {
	var lines []string
	err := filepath.WalkDir(r.Dist, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = in.Close() }()
		hash := sha256.New()
		if _, err := io.Copy(hash, in); err != nil {
			return err
		}
		name, err := filepath.Rel(r.Dist, path)
		lines = append(lines, fmt.Sprintf("%x  %s\n", hash.Sum(nil), filepath.ToSlash(name)))
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(r.Dist, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}
