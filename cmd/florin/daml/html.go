package daml

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/florinledger/florin/daml/script"
)

//go:embed coverage.html
var coverageHTML string

// writeHTML writes the coverage as one page without other files.
func writeHTML(to io.Writer, all []coverage) error {
	page, err := template.New("coverage").Funcs(template.FuncMap{
		"share": share, "times": times,
		"by": func(used script.Used) string { return byText(used) },
	}).Parse(coverageHTML)
	if err != nil {
		return err
	}
	return page.Execute(to, all)
}
