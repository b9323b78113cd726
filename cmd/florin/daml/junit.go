package daml

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// junitSuites is a report in JUnit's XML, which CI systems read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// writeJUnit writes the results of scripts and files. It includes the scripts and files that an interruption left out,
// so that the report does not look like that of a complete run.
func writeJUnit(to io.Writer, suites []*suite, results []result, more omissions) error {
	out := junitSuites{}
	for _, one := range suites {
		shown := junitSuite{Name: filepath.Base(one.path)}
		total := 0.0
		for _, r := range results {
			if r.suite == one {
				total += r.took.Seconds()
				shown.add(junitCaseOf(r))
			}
		}
		for _, j := range more.scripts {
			if j.suite == one {
				shown.add(junitCase{
					Class: j.script.Name.Module, Name: j.script.Name.Name, Seconds: seconds(0),
					Skipped: &junitSkipped{"The run was interrupted before the end of this script."},
				})
			}
		}
		shown.Seconds = seconds(total)
		out.add(shown)
	}
	for _, file := range more.files {
		out.add(junitFile(file.path, "refused", file.err.Error()))
	}
	for _, path := range more.unread {
		out.add(junitFile(path, "interrupted", "The run was interrupted before this file was read."))
	}
	if _, err := io.WriteString(to, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(to)
	encoder.Indent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(to, "\n")
	return err
}

func (s *junitSuites) add(one junitSuite) {
	s.Tests += one.Tests
	s.Failures += one.Failures
	s.Errors += one.Errors
	s.Skipped += one.Skipped
	s.Suites = append(s.Suites, one)
}

func (s *junitSuite) add(one junitCase) {
	s.Tests++
	switch {
	case one.Failure != nil:
		s.Failures++
	case one.Error != nil:
		s.Errors++
	case one.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, one)
}

func junitCaseOf(r result) junitCase {
	out := junitCase{Class: r.script.Name.Module, Name: r.script.Name.Name, Seconds: seconds(r.took.Seconds())}
	var messages strings.Builder
	writeMessages(&messages, r.report)
	out.Output = messages.String()
	if failure := r.report.Failure; failure != nil {
		var text strings.Builder
		writeFailure(&text, r)
		out.Failure = &junitFailure{
			Type: cmp.Or(failure.Code, "failed"), Message: fault.ShortenTo(maxLine, failure.Message), Text: text.String(),
		}
	}
	return out
}

// junitFile is a suite for a file with unknown scripts.
func junitFile(path, kind, text string) junitSuite {
	name := filepath.Base(path)
	out := junitSuite{Name: name, Seconds: seconds(0)}
	out.add(junitCase{
		Class: name, Name: name, Seconds: seconds(0),
		Error: &junitFailure{Type: kind, Message: fault.ShortenTo(maxLine, text), Text: text},
	})
	return out
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
