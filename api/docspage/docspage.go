// Package docspage is the page at /docs: it lists the operations of the OpenAPI document and lets a person try them. It
// is one self-contained file, so it works without a network, and its policy lets it talk to the node and nobody else.
package docspage

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
)

var (
	//go:embed page.html
	page string
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// Page is the page.
type Page struct {
	content []byte
	policy  string
}

// New makes the page.
func New() (*Page, error) {
	parsed, err := template.New("page").Parse(page)
	if err != nil {
		return nil, fmt.Errorf("reading the page of the API: %w", err)
	}
	var content bytes.Buffer
	err = parsed.Execute(&content, struct {
		Style  template.CSS
		Script template.JS
	}{template.CSS(style), template.JS(script)}) //nolint:gosec // both are files of this package
	if err != nil {
		return nil, fmt.Errorf("writing the page of the API: %w", err)
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; connect-src 'self'; base-uri 'none'; "+
		"form-action 'none'; frame-ancestors 'none'", hashOf(script), hashOf(style))
	return &Page{content: content.Bytes(), policy: policy}, nil
}

// hashOf returns the source of a text for a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Content returns the page.
func (p *Page) Content() []byte { return p.content }

// Policy is the value of the header Content-Security-Policy.
func (p *Page) Policy() string { return p.policy }

// Type is the Content-Type of the page.
const Type = "text/html; charset=UTF-8"
