package daml

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/florinledger/florin/fault"
)

// junitSuites is a report in the XML that programs for continuous integration read, after JUnit's.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Seconds  string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func writeJUnit(to io.Writer, suites []*suite, results []result, refused []refusedFile) error {
	out := junitSuites{}
	for _, one := range suites {
		shown := junitSuite{Name: filepath.Base(one.path)}
		total := 0.0
		for _, r := range results {
			if r.suite != one {
				continue
			}
			shown.Tests++
			total += r.took.Seconds()
			made := junitCase{Class: r.script.Name.Module, Name: r.script.Name.Name, Seconds: seconds(r.took.Seconds())}
			var messages strings.Builder
			writeMessages(&messages, r.report)
			made.Output = messages.String()
			if failure := r.report.Failure; failure != nil {
				shown.Failures++
				var text strings.Builder
				writeFailure(&text, r)
				made.Failure = &junitFailure{
					Type: cmp.Or(failure.Code, "failed"), Message: fault.ShortenTo(maxLine, failure.Message), Text: text.String(),
				}
			}
			shown.Cases = append(shown.Cases, made)
		}
		shown.Seconds = seconds(total)
		out.Tests += shown.Tests
		out.Failures += shown.Failures
		out.Suites = append(out.Suites, shown)
	}
	for _, file := range refused {
		name := filepath.Base(file.path)
		out.Tests++
		out.Errors++
		out.Suites = append(out.Suites, junitSuite{Name: name, Tests: 1, Errors: 1, Seconds: seconds(0), Cases: []junitCase{{
			Class: name, Name: name, Seconds: seconds(0),
			Error: &junitFailure{
				Type: "refused", Message: fault.ShortenTo(maxLine, file.err.Error()), Text: file.err.Error(),
			},
		}}})
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

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
