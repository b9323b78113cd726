package daml

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/florinledger/florin/cmd/florin/console"
)

// reportFile is the name of a file that a report is written to; "" for no report.
type reportFile string

// UnmarshalText reads a name. An empty one was meant to be one: that of a variable that is not set, say.
func (r *reportFile) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("the name of a file is missing")
	}
	*r = reportFile(text)
	return nil
}

// checkReports refuses reports that would be written over a DAR file or over one another, or into no directory.
func (c *TestCommand) checkReports() error {
	taken := map[string]string{}
	for _, name := range c.DAR {
		taken[name] = "is a DAR file that is tested"
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
				return console.Fail(console.ExitUsage, "Give the report a file of its own.", "%s %s %s", report.flag, name, is)
			}
		}
		taken[name] = "is the file of " + report.flag + ", too"
		if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
			return console.Fail(console.ExitUsage, "Make it first.", "%s %s: there is no directory %s", report.flag, name,
				filepath.Dir(name))
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return console.Fail(console.ExitUsage, "Name a file in it.", "%s %s is a directory", report.flag, name)
		}
	}
	return nil
}

// sameFile reports whether two names are of one file, which need not be there yet.
func sameFile(a, b string) bool {
	if placeOfFile(a) == placeOfFile(b) {
		return true
	}
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	return errOne == nil && errOther == nil && one.Mode().IsRegular() && os.SameFile(one, other)
}

// placeOfFile is a name of a file that does not depend on the directory that is the current one, nor on links to
// directories.
func placeOfFile(name string) string {
	if directory, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(directory, filepath.Base(name))
	}
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}
