package instruments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

const (
	// registryTimeout is for a whole answer of a registry.
	registryTimeout = 5 * time.Second
	// maxRegistryBytes is the maximum size of an answer: contexts of published registries have a few kilobytes.
	maxRegistryBytes = 1 << 20
	// registryCalls is the maximum number of calls at the same time, registryCallsOfOne that to one registry.
	registryCalls, registryCallsOfOne = 32, 8
	// maxRegistryText limits the text of a registry's refusal.
	maxRegistryText = 300
)

// Registries are the registries of tokens, by administrator. The node calls no other addresses: contracts and requests
// name administrators, never addresses. Nil has none.
type Registries struct {
	places map[ledger.Party]string
	client *http.Client
	turns  *turns.Turns
}

// ParseRegistries reads settings such as acme::1220…=https://registry.acme.example.
func ParseRegistries(settings []string) (*Registries, error) {
	r := &Registries{
		places: map[ledger.Party]string{},
		client: &http.Client{
			Timeout:       registryTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		turns: turns.New(turns.Limits{All: registryCalls, Each: registryCallsOfOne}),
	}
	for _, setting := range settings {
		admin, place, _ := strings.Cut(setting, "=")
		if err := ledger.CheckParty(admin); err != nil {
			return nil, fmt.Errorf("%q is not PARTY=URL: %w", setting, err)
		}
		if err := checkPlace(place); err != nil {
			return nil, fmt.Errorf("%q is not PARTY=URL: %w", setting, err)
		}
		if _, twice := r.places[ledger.Party(admin)]; twice {
			return nil, fmt.Errorf("%s has two registries: leave one out", admin)
		}
		r.places[ledger.Party(admin)] = strings.TrimRight(place, "/")
	}
	return r, nil
}

// checkPlace refuses addresses that are neither https nor on this machine.
func checkPlace(text string) error {
	place, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("the URL cannot be read: %w", err)
	}
	if place.Host == "" || place.User != nil || place.RawQuery != "" || place.Fragment != "" {
		return fmt.Errorf("%q is not a URL such as https://registry.example", text)
	}
	address := net.ParseIP(place.Hostname())
	local := place.Hostname() == "localhost" || address != nil && address.IsLoopback()
	if place.Scheme == "https" || place.Scheme == "http" && local {
		return nil
	}
	return fmt.Errorf("%s is neither https nor on this machine: use an https URL", text)
}

func (r *Registries) has(admin ledger.Party) bool { return r != nil && r.places[admin] != "" }

// ask posts to the registry of an administrator.
func (r *Registries) ask(ctx context.Context, admin ledger.Party, path string, body, answer any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return fault.Internal(err)
	}
	leave, err := r.turns.Take(ctx, turns.Account{Name: string(admin)})
	if err != nil {
		return err
	}
	defer leave()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.places[admin]+path, bytes.NewReader(content))
	if err != nil {
		return fault.Internal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		return unavailable(admin, "it did not answer")
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(io.LimitReader(response.Body, maxRegistryBytes+1))
	switch {
	case err != nil:
		return unavailable(admin, "its answer ended too early")
	case len(read) > maxRegistryBytes:
		return badRegistry(admin, fmt.Sprintf("its answer is larger than %d bytes", maxRegistryBytes))
	case response.StatusCode != http.StatusOK:
		return refusedBy(admin, response.StatusCode, read)
	}
	if json.Unmarshal(read, answer) != nil {
		return badRegistry(admin, "its answer does not have the token standard's form")
	}
	return nil
}

func unavailable(admin ledger.Party, why string) error {
	return v0.Refuse(http.StatusServiceUnavailable, "The token registry of %s is not available: %s. Nothing was done: "+
		"try again later.", admin, why)
}

func badRegistry(admin ledger.Party, why string) error {
	return v0.Refuse(http.StatusServiceUnavailable, "The token registry of %s gave an answer that cannot be used: %s. "+
		"Nothing was done: tell the administrator of the token.", admin, why)
}

// refusedBy is the refusal of a registry.
func refusedBy(admin ledger.Party, status int, body []byte) error {
	if status < http.StatusBadRequest || status >= http.StatusInternalServerError {
		return unavailable(admin, fmt.Sprintf("it answered %d", status))
	}
	var said struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(body, &said) // a refusal without a text has only its status
	if status != http.StatusNotFound {
		status = http.StatusBadRequest
	}
	return v0.Refuse(status, "The token registry of %s refuses: %s", admin, fault.ShortenTo(maxRegistryText, said.Error))
}
