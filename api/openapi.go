package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
)

// document is a description of the API, written once.
type document struct{ yaml, json []byte }

func newDocument(version string, endpoints []endpoint.Endpoint) (*document, error) {
	examples, err := ledgerapi.Examples()
	if err != nil {
		return nil, err
	}
	described, err := endpoint.Describe(endpoint.DocumentInfo{
		Title:   "JSON Ledger API HTTP endpoints",
		Version: version,
		Description: "Errors have the body JsCantonError; requests that cannot be read are answered in plain text. " +
			"Absent values are null in answers, and may be null or left out in requests.",
		Failure:  ledgerapi.JsCantonError{},
		Examples: examples,
	}, endpoints)
	if err != nil {
		return nil, err
	}
	return writeDocument(described)
}

// newStreamsDocument is the AsyncAPI description of the streams.
func newStreamsDocument(version string, streams []endpoint.Stream) (*document, error) {
	examples, err := ledgerapi.Examples()
	if err != nil {
		return nil, err
	}
	described, err := endpoint.DescribeStreams(endpoint.DocumentInfo{
		Title:   "JSON Ledger API WebSocket endpoints",
		Version: version,
		Description: "Open a WebSocket with the subprotocol daml.ws.auth and send the request as one text message. Each " +
			"frame that comes is an element of the stream, or a JsCantonError, after which the connection is closed. A " +
			"message that is no request is answered with a close frame that says why.",
		Failure:  ledgerapi.JsCantonError{},
		Examples: examples,
	}, streams)
	if err != nil {
		return nil, err
	}
	return writeDocument(described)
}

func writeDocument(described any) (*document, error) {
	asJSON, err := json.Marshal(described)
	if err != nil {
		return nil, fmt.Errorf("writing a description of the API: %w", err)
	}
	asYAML, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		return nil, fmt.Errorf("writing a description of the API as YAML: %w", err)
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
