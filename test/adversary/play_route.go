package adversary

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// playRoute sends a valid or nearly valid request to a route.
func (a *attacker) playRoute(ctx context.Context) error {
	chosen := a.routes[deal(a.seed, "route", a.step.index, len(a.routes))]
	who := a.anyone()
	m := a.maker(who)
	if chosen.stream {
		return a.openStream(ctx, who, chosen.path, m.body(chosen), 1)
	}
	made := request{method: chosen.method, url: m.fill(chosen.path), header: map[string]string{}}
	query := url.Values{}
	for _, parameter := range chosen.query {
		if m.oneIn(2) {
			query.Set(parameter, m.parameter(parameter))
		}
	}
	if len(query) > 0 {
		made.url += "?" + query.Encode()
	}
	if chosen.keyed && m.oneIn(3) {
		made.header["Idempotency-Key"] = pick(m.random, append(a.known.keys, "own", strings.Repeat("k", 5_000)))
	}
	made.body = m.body(chosen)
	_, err := a.call(ctx, who, chosen.String(), made)
	return err
}

func (m maker) fill(path string) string {
	return parameterPattern.ReplaceAllStringFunc(path, func(parameter string) string {
		return url.PathEscape(m.parameter(strings.Trim(parameter, "{}")))
	})
}

func (m maker) parameter(name string) string {
	if m.isHostile() {
		return pick(m.random, hostileTexts())
	}
	if text, ok := m.named(name); ok && text != "" {
		return cut(text, 500)
	}
	return pick(m.random, []string{"1", "10", "Amulet", "splice-amulet", "true", m.self})
}

func (m maker) body(of route) []byte {
	switch {
	case of.binary:
		noise := make([]byte, 1+m.random.IntN(5_000))
		for i := range noise {
			noise[i] = byte(m.random.IntN(256))
		}
		return noise
	case of.example == nil:
		return nil
	}
	body := m.like(of.example, "")
	if m.oneIn(3) {
		body = m.spoil(body)
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return []byte("{")
	}
	if m.oneIn(30) { // broken JSON
		return pick(m.random, [][]byte{
			encoded[:len(encoded)/2], append(encoded, '}'), bytes.Repeat([]byte(`{"a":`), 5_000), {0xff, 0xfe}, {},
		})
	}
	return encoded
}

// openStream opens a WebSocket several times, sends a request, reads a frame if one comes, and drops it.
func (a *attacker) openStream(ctx context.Context, who identity, path string, body []byte, times int) error {
	protocols := []string{"daml.ws.auth"}
	if who.token != "" {
		protocols = append(protocols, "jwt.token."+who.token)
	}
	shown := request{
		method: http.MethodGet, url: a.side.target.URL + path, body: body,
		header: map[string]string{"Sec-WebSocket-Protocol": strings.Join(protocols, ", ")},
	}
	for range times {
		frame, status, took := a.readFrame(ctx, path, protocols, body)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		got := answer{status, frame, took}
		a.coverage.hit("STREAM "+path, got)
		a.check(who, "STREAM "+path, shown, got)
	}
	a.sent = append(a.sent, sentRequest{a.step.number, shown, http.StatusSwitchingProtocols})
	return nil
}

// readFrame opens a stream and reads its first frame, with a short timeout.
func (a *attacker) readFrame(
	ctx context.Context, path string, protocols []string, body []byte,
) (frame []byte, status int, took time.Duration) {
	const moment = 150 * time.Millisecond
	began := time.Now()
	opening, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, response, err := websocket.Dial(opening, a.side.target.URL+path, &websocket.DialOptions{
		HTTPClient: a.http, Subprotocols: protocols,
	})
	if err != nil {
		if response != nil {
			status = response.StatusCode
		}
		return nil, status, time.Since(began)
	}
	defer func() { _ = conn.CloseNow() }()
	if conn.Write(opening, websocket.MessageText, body) != nil {
		return nil, http.StatusSwitchingProtocols, time.Since(began)
	}
	took = time.Since(began)
	reading, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	_, frame, _ = conn.Read(reading)
	var refusal struct{ Code, Cause string }
	switch {
	case len(frame) == 0: // no frame before the timeout or the end of the stream
		return frame, http.StatusSwitchingProtocols, took
	case json.Unmarshal(frame, &refusal) != nil || refusal.Code != "" || refusal.Cause != "":
		return frame, http.StatusBadRequest, took
	default:
		return frame, http.StatusOK, took
	}
}

// with is a copy of an object with changed fields.
func with(body object, changes object) object {
	changed := maps.Clone(body)
	maps.Copy(changed, changes)
	return changed
}
