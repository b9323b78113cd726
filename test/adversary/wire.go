package adversary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// requestTimeout is longer than all limits of the node.
	requestTimeout = 90 * time.Second
	// maxShown limits the printed bytes of a body.
	maxShown = 2000
)

type request struct {
	method, url string
	// host replaces the host of the URL, unless it is empty.
	host   string
	token  string
	header map[string]string
	body   []byte
}

// answer is the answer to a request. Without an answer its status is 0.
type answer struct {
	status int
	body   []byte
	took   time.Duration
}

// ok reports whether the node accepted the request.
func (a answer) ok() bool { return a.status/100 == 2 }

// curl writes a request as a shell line. It shortens long bodies.
func (r request) curl() string {
	var line strings.Builder
	fmt.Fprintf(&line, "curl -s -X %s %s", r.method, quote(r.url))
	if r.host != "" {
		line.WriteString(" -H " + quote("Host: "+r.host))
	}
	if r.token != "" {
		line.WriteString(" -H " + quote("Authorization: Bearer "+r.token))
	}
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		line.WriteString(" -H " + quote(name+": "+r.header[name]))
	}
	if r.body != nil {
		line.WriteString(" -d " + quote(cut(string(r.body), maxShown)))
	}
	return line.String()
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// cut is the beginning of a text with the total length.
func cut(text string, length int) string {
	if len(text) <= length {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:length], ""), len(text))
}

// send sends a request. Without an answer it returns an answer with status 0, not an error.
func send(ctx context.Context, client *http.Client, r request) (answer, error) {
	outgoing, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return answer{}, nil //nolint:nilerr // nobody can send an invalid request
	}
	outgoing.Host = r.host
	if r.body != nil {
		outgoing.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		outgoing.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		outgoing.Header.Set(name, value)
	}
	began := time.Now()
	response, err := client.Do(outgoing)
	if err != nil {
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		return answer{took: time.Since(began)}, nil
	}
	body, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if ctx.Err() != nil {
		return answer{}, errors.Join(err, ctx.Err())
	}
	return answer{response.StatusCode, body, time.Since(began)}, nil
}
