package daml

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/florinledger/florin/cmd/florin/console"
)

// reportFile is the file name of a report; "" for no report.
type reportFile string

// UnmarshalText reads a name. It refuses an empty one, which probably comes from an unset variable.
func (r *reportFile) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the name of a file is missing")
	}
	*r = reportFile(text)
	return nil
}

// checkReports refuses reports that would overwrite a DAR file or another report, or whose directory is missing.
func (c *TestCommand) checkReports() error {
	taken := map[string]string{}
	for _, name := range c.DAR {
		taken[name] = "is one of the tested DAR files"
	}
	for _, report := range []struct {
		flag string
		file reportFile
	}{{"--junit", c.JUnit}, {"--coverage-html", c.HTML}} {
		if report.file == "" {
			continue
		}
		name := string(report.file)
		for other, is := range taken {
			if sameFile(name, other) {
				return console.Fail(console.ExitUsage, "Choose another file for the report.", "%s %s %s", report.flag, name, is)
			}
		}
		taken[name] = "is also the file of " + report.flag
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return console.Fail(console.ExitUsage, "Create it first.", "%s %s: there is no directory %s", report.flag, name,
				filepath.Dir(name))
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return console.Fail(console.ExitUsage, "Name a file in it.", "%s %s is a directory", report.flag, name)
		}
	}
	return nil
}

// sameFile reports whether two names mean the same file, which need not exist.
func sameFile(a, b string) bool {
	if placeOfFile(a) == placeOfFile(b) {
		return true
	}
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	return errOne == nil && errOther == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// placeOfFile is an absolute file name without links to directories.
func placeOfFile(name string) string {
	if directory, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(directory, filepath.Base(name))
	}
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}
