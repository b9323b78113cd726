package api

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
)

// document is the OpenAPI description of the API, written once.
type document struct{ yaml, json []byte }

func newDocument(version string, endpoints []endpoint.Endpoint) (*document, error) {
	described, err := endpoint.Describe(endpoint.DocumentInfo{
		Title:   "JSON Ledger API HTTP endpoints",
		Version: version,
		Description: "Errors have the body JsCantonError; requests that cannot be read are answered in plain text. " +
			"Absent values are null in answers, and may be null or left out in requests.",
		Failure: ledgerapi.JsCantonError{},
	}, endpoints)
	if err != nil {
		return nil, err
	}
	asJSON, err := described.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document: %w", err)
	}
	asYAML, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		return nil, fmt.Errorf("writing the OpenAPI document as YAML: %w", err)
	}
	return &document{yaml: asYAML, json: asJSON}, nil
}

// ServeHTTP sends YAML, or JSON to those who ask for it.
func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, contentType := d.yaml, "text/plain; charset=UTF-8"
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		content, contentType = d.json, "application/json"
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	// The client is all that can fail here, and it is told nothing by an error.
	_, _ = w.Write(content)
}
