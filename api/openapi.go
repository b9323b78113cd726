package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/api/v0"
)

// written is a description of the API in either form.
type written struct{ yaml, json []byte }

// document is a description of the API. It is written when somebody first asks for it, and then once: writing takes
// longer than all else that a node does to start.
type document struct{ content func() (written, error) }

func newDocument(describe func() (any, error)) *document {
	return &document{sync.OnceValues(func() (written, error) {
		described, err := describe()
		if err != nil {
			return written{}, err
		}
		return write(described)
	})}
}

func describeLedger(version string, endpoints []endpoint.Endpoint) (any, error) {
	examples, err := ledgerapi.Examples()
	if err != nil {
		return nil, err
	}
	return endpoint.Describe(endpoint.DocumentInfo{
		Title:   "JSON Ledger API HTTP endpoints",
		Version: version,
		Description: "Errors have the body JsCantonError; requests that cannot be read are answered in plain text. " +
			"Absent values are null in answers, and may be null or left out in requests.",
		Failure:  ledgerapi.JsCantonError{},
		Examples: examples,
	}, endpoints)
}

// describeValidator describes what is not under /v2. It is a document of its own, as it is on the public network:
// programs that are generated from the one of the JSON Ledger API do not change with it.
func describeValidator(families []family) (any, error) {
	examples, err := v0.Examples()
	if err != nil {
		return nil, err
	}
	var endpoints []endpoint.Endpoint
	for _, family := range families {
		endpoints = append(endpoints, family.endpoints...)
	}
	return endpoint.Describe(endpoint.DocumentInfo{
		Title:   "Validator, scan and token standard registry HTTP endpoints",
		Version: "0",
		Description: "Everything under /v0 and /v1 is also served below /api/validator. Errors have the body " +
			"ErrorResponse; requests that cannot be read, or that carry no usable token, are answered in plain text.",
		Failure:   v0.ErrorResponse{},
		KeyHeader: changes.KeyHeader, KeyDescription: changes.KeyDescription, DryRun: changes.DryRun{},
		Examples: examples,
	}, endpoints)
}

// describeStreams is the AsyncAPI description of the streams.
func describeStreams(version string, streams []endpoint.Stream) (any, error) {
	examples, err := ledgerapi.Examples()
	if err != nil {
		return nil, err
	}
	return endpoint.DescribeStreams(endpoint.DocumentInfo{
		Title:   "JSON Ledger API WebSocket endpoints",
		Version: version,
		Description: "Open a WebSocket with the subprotocol daml.ws.auth and send the request as one text message. Each " +
			"frame that comes is an element of the stream, or a JsCantonError, after which the connection is closed. A " +
			"message that is no request is answered with a close frame that says why.",
		Failure:  ledgerapi.JsCantonError{},
		Examples: examples,
	}, streams)
}

func write(described any) (written, error) {
	asJSON, err := json.Marshal(described)
	if err != nil {
		return written{}, fmt.Errorf("writing a description of the API: %w", err)
	}
	asYAML, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		return written{}, fmt.Errorf("writing a description of the API as YAML: %w", err)
	}
	return written{yaml: asYAML, json: asJSON}, nil
}

// ServeHTTP sends YAML, or JSON to those who ask for it.
func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	document, err := d.content()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	content, contentType := document.yaml, "text/plain; charset=UTF-8"
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		content, contentType = document.json, "application/json"
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	// The client is all that can fail here, and it is told nothing by an error.
	_, _ = w.Write(content)
}
