package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"
)

// requestTimeout ends a request to a node that no longer answers. It is longer than the node's own limit.
const requestTimeout = 60 * time.Second

// Client calls one node with one token. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	// header is sent with each request.
	header http.Header
	http   *http.Client
}

// New makes a client without a token for the node at the base URL, such as http://127.0.0.1:2975. It keeps up to
// connections idle connections open; more concurrent requests open more.
func New(base string, connections int) *Client {
	return &Client{base: strings.TrimRight(base, "/"), http: &http.Client{
		Timeout: requestTimeout,
		Transport: &http.Transport{
			MaxIdleConns: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
		},
	}}
}

// With returns the same client with a token; "" sends none. Both share the connections.
func (c *Client) With(token string) *Client {
	other := *c
	other.token = token
	return &other
}

// Over returns the same client with another transport.
func (c *Client) Over(way http.RoundTripper) *Client {
	other := *c
	other.http = &http.Client{Timeout: requestTimeout, Transport: way}
	return &other
}

// WithHeader returns the same client with one more header in each request.
func (c *Client) WithHeader(name, value string) *Client {
	other := *c
	if other.header = c.header.Clone(); other.header == nil {
		other.header = http.Header{}
	}
	other.header.Set(name, value)
	return &other
}

// Close closes the idle connections, also of clients that share them.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is an answer other than 2xx.
type Error struct {
	// Status is the HTTP status.
	Status int `json:"-"`
	// Code is the error code of a JSON body, such as CONTRACT_NOT_FOUND; "" if the body has none.
	Code string `json:"code"`
	// Cause is the error text of a JSON body, or the whole body if it is not JSON.
	Cause    string            `json:"cause"`
	Context  map[string]string `json:"context"`
	Category int               `json:"errorCategory"`
	// Hint is the next step, if the body has one.
	Hint string `json:"hint"`
	// Again is true if the answer has a Retry-After header.
	Again bool `json:"-"`
	// Body is the whole answer.
	Body []byte `json:"-"`
}

// Error returns the status, the code and the cause.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("HTTP %d: %s", e.Status, e.Cause)
	}
	return fmt.Sprintf("HTTP %d %s: %s", e.Status, e.Code, e.Cause)
}

// Code returns the error code of an [Error], and "" for other errors and for nil.
func Code(err error) string {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Code
	}
	return ""
}

// Get sends a GET request and decodes the JSON answer into out, which may be nil.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Call(ctx, http.MethodGet, path, nil, out)
}

// Post sends in as JSON and decodes the JSON answer into out, which may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	return c.Call(ctx, http.MethodPost, path, in, out)
}

// Call sends a request. It sends in as JSON unless nil, and decodes the JSON answer into out unless nil. An answer
// other than 2xx is an *[Error].
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("%s %s: encode the request: %w", method, path, err)
		}
		body = bytes.NewReader(encoded)
	}
	answer, err := c.send(ctx, method, path, body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
	}
	return nil
}

// Text sends a GET request and returns the answer as it is. An answer other than 2xx is an *[Error].
func (c *Client) Text(ctx context.Context, path string) (string, error) {
	answer, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return "", fmt.Errorf("GET %s: %w", path, err)
	}
	return string(answer), nil
}

func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (_ []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, c.header)
	if body != nil && request.Header.Get("Content-Type") == "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		refused := refusal(response.StatusCode, answer)
		refused.Again = response.Header.Get("Retry-After") != ""
		return nil, refused
	}
	return answer, nil
}

func refusal(status int, body []byte) *Error {
	refused := &Error{}
	if json.Unmarshal(body, refused) != nil || refused.Code == "" {
		refused = &Error{Cause: string(body)}
	}
	refused.Status, refused.Body = status, body
	return refused
}
