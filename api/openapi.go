package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/docspage"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi"
	v0 "github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger/fault"
)

type documentText struct{ yaml, json []byte }

// document is a description of the API. It is written once, on the first request, because writing takes longer than the
// rest of a node's start.
type document struct{ content func() (documentText, error) }

func newDocument(describe func() (any, error)) *document {
	return &document{sync.OnceValues(func() (documentText, error) {
		described, err := describe()
		if err != nil {
			return documentText{}, err
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
		Description: "Errors have the body JsCantonError; unreadable requests get a plain text answer. Missing values " +
			"are null in answers; in requests they may be null or left out.",
		Failure:  v2.JsCantonError{},
		DryRun:   ledgerapi.JsDryRunResponse{},
		Examples: examples,
	}, endpoints)
}

// describeValidator describes everything outside /v2. It is a separate document, as on the public network, so that
// programs generated from the JSON Ledger API do not change with it.
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
			"ErrorResponse; requests that are unreadable or have no valid token get a plain text answer.",
		Failure:   v0.ErrorResponse{},
		KeyHeader: changes.KeyHeader, KeyDescription: changes.KeyDescription, DryRun: changes.DryRun{},
		Examples: examples,
	}, endpoints)
}

func describeStreams(version string, streams []endpoint.Stream) (any, error) {
	examples, err := ledgerapi.Examples()
	if err != nil {
		return nil, err
	}
	return endpoint.DescribeStreams(endpoint.DocumentInfo{
		Title:   "JSON Ledger API WebSocket endpoints",
		Version: version,
		Description: "Open a WebSocket with the subprotocol daml.ws.auth and send the request as one text message. Each " +
			"frame from the node is an element of the stream or a JsCantonError; after an error the node closes the " +
			"connection. If the message is not a request, the node sends a close frame with the reason.",
		Failure:  v2.JsCantonError{},
		Examples: examples,
	}, streams)
}

func write(described any) (documentText, error) {
	asJSON, err := json.Marshal(described)
	if err != nil {
		return documentText{}, fmt.Errorf("writing a description of the API: %w", err)
	}
	asYAML, err := yaml.JSONToYAML(asJSON)
	if err != nil {
		return documentText{}, fmt.Errorf("writing a description of the API as YAML: %w", err)
	}
	return documentText{yaml: asYAML, json: asJSON}, nil
}

// serve sends YAML, or JSON if the client prefers it.
func (d *document) serve(ctx context.Context, _ endpoint.NoRequest) (endpoint.Content, error) {
	document, err := d.content()
	if err != nil {
		return endpoint.Content{}, fault.Internal(err)
	}
	if endpoint.Prefers(ctx, "application/json", "text/plain") {
		return endpoint.Content{Type: "application/json", Body: document.json}, nil
	}
	return endpoint.Content{Type: "text/plain; charset=UTF-8", Body: document.yaml}, nil
}

// docsEndpoints serve the page about the API and its documents.
func docsEndpoints(documents map[string]func() (any, error)) ([]endpoint.Endpoint, error) {
	page, err := docspage.New()
	if err != nil {
		return nil, err
	}
	info := func(path, operation, summary string) endpoint.Info {
		return endpoint.Info{
			Method: http.MethodGet, Path: path, OperationID: operation, Summary: summary, Tag: "Documentation",
			Access: endpoint.Open, Undocumented: true,
		}
	}
	show := func(context.Context, endpoint.NoRequest) (endpoint.Content, error) {
		return endpoint.Content{
			Type: docspage.Type, Body: page.Content(), Header: http.Header{"Content-Security-Policy": {page.Policy()}},
		}, nil
	}
	endpoints := []endpoint.Endpoint{
		endpoint.New(info("/docs", "getDocs", "Get the page about the API."), show),
		endpoint.New(info("/docs/", "getDocsPage", "Get the page about the API."), show),
	}
	for path, describe := range documents {
		endpoints = append(endpoints, endpoint.New(
			info(path, "get"+path, "Get a description of the API."), newDocument(describe).serve))
	}
	return endpoints, nil
}
