package adversary

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// atOnce is the number of requests in flight of a play.
const atOnce = 16

// all sends requests of a route at once and checks all answers. It returns the shortest time.
func (a *attacker) all(
	ctx context.Context, who identity, label string, requests []request,
) (shortest time.Duration, err error) {
	answers := make([]answer, len(requests))
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range requests {
		requests[i].url, requests[i].token = a.side.target.URL+requests[i].url, who.token
		group.Go(func() (err error) {
			answers[i], err = send(inner, a.http, requests[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	for i, got := range answers {
		if shortest == 0 || got.took < shortest {
			shortest = got.took
		}
		a.coverage.hit(label, got)
		a.check(who, label, requests[i], got)
	}
	a.sent = append(a.sent, sentRequest{a.step.number, requests[0], answers[0].status})
	return shortest, nil
}

// playStreams opens streams, reads a frame and drops them, during submissions.
func (a *attacker) playStreams(ctx context.Context) error {
	const times = 12
	who := a.me()
	body, err := json.Marshal(object{"parties": []string{who.party}, "userId": who.name, "beginExclusive": 0})
	if err != nil {
		return err
	}
	paths := []string{"/v2/commands/completions"}
	for _, r := range a.routes {
		if r.stream {
			paths = append(paths, r.path)
		}
	}
	path := pick(a.step.random, paths)
	m := a.maker(who)
	for _, r := range a.routes {
		if r.stream && r.path == path && path != paths[0] {
			if body, err = json.Marshal(m.like(r.example, "")); err != nil {
				return err
			}
		}
	}
	for range times {
		if err := a.openStream(ctx, who, path, body, 1); err != nil {
			return err
		}
		if _, err := a.submit(ctx, who, a.pingCommand(m)); err != nil {
			return err
		}
	}
	return nil
}

func (a *attacker) pingCommand(m maker) object {
	return object{"CreateCommand": object{"templateId": pingTemplate, "createArguments": object{
		"id": "ping", "initiator": m.self, "responder": m.self,
	}}}
}

// playScan names an owner many times in a request, without a token, and repeats that request.
func (a *attacker) playScan(ctx context.Context) error {
	const owners, times, bound = 3_000, 24, 100 * time.Millisecond
	m := a.maker(a.me())
	owner := pick(m.random, a.known.parties())
	once, err := a.askScan(ctx, owner, 1, 3)
	if err != nil {
		return err
	}
	often, err := a.askScan(ctx, owner, owners, 3)
	if err != nil {
		return err
	}
	if often > slower*once+bound {
		a.find("the scan takes %s for an owner who is named %d times, and %s for one", often, owners, once)
	}
	_, err = a.askScan(ctx, owner, owners, times)
	return err
}

// summaryPath is the path of the scan's holdings summary, which is public.
const summaryPath = "/api/scan/v0/holdings/summary"

// askScan asks several times at once for the holdings of an owner, named many times, and returns the shortest time.
func (a *attacker) askScan(ctx context.Context, owner string, named, times int) (time.Duration, error) {
	body, err := json.Marshal(object{
		"owner_party_ids": repeat(owner, named), "migration_id": 0, "as_of_round": 0, "record_time": a.known.ledgerTime,
	})
	if err != nil {
		return 0, err
	}
	requests := make([]request, times)
	for i := range requests {
		requests[i] = request{method: http.MethodPost, url: summaryPath, body: body}
	}
	return a.all(ctx, identity{name: "nobody, without a token", powerless: true}, "POST "+summaryPath, requests)
}

// playFar submits commands with a ledger time in the far future.
func (a *attacker) playFar(ctx context.Context) error {
	const each = 80
	for _, who := range a.patient {
		requests := make([]request, each)
		for i := range requests {
			id := fmt.Sprintf("far-%d-%d", a.step.number, i)
			body, err := json.Marshal(object{
				"commandId": id, "actAs": []string{who.party}, "minLedgerTimeAbs": "9999-01-01T00:00:00Z",
				"commands": []any{a.pingCommand(a.maker(who))},
			})
			if err != nil {
				return err
			}
			requests[i] = request{method: http.MethodPost, url: asyncPath, body: body}
		}
		if _, err := a.all(ctx, who, "POST "+asyncPath, requests); err != nil {
			return err
		}
	}
	return nil
}

// playDear sends the most expensive bodies for the decoder.
func (a *attacker) playDear(ctx context.Context) error {
	const emptySeeds, submissions = 3_400_000, 4
	seeds := bytes.Repeat([]byte{0x22, 0}, emptySeeds) // an empty element of DamlTransaction.node_seeds
	transaction := append([]byte{0x0a}, varint(len(seeds))...)
	transaction = append(transaction, seeds...)
	made := preparedTransaction{
		Transaction: base64.StdEncoding.EncodeToString(transaction), Version: "HASHING_SCHEME_VERSION_V2",
	}
	who, forger := a.me(), keyholder{key: newKey(a.side.marks.seed, "adversary"), fingerprint: "1220"}
	body, err := json.Marshal(made.executeRequest(a.known.party[alice], uuid.NewString(), forger.sign(seeds[:32])))
	if err != nil {
		return err
	}
	requests := make([]request, submissions)
	for i := range requests {
		requests[i] = request{method: http.MethodPost, url: "/v2/interactive-submission/execute", body: body}
	}
	_, err = a.all(ctx, who, "POST /v2/interactive-submission/execute", requests)
	return err
}

func varint(n int) (encoded []byte) {
	for ; n >= 0x80; n >>= 7 {
		encoded = append(encoded, byte(n)|0x80)
	}
	return append(encoded, byte(n))
}

// The requests to the Temporal UI.
const engineStart, engineList = "ENGINE start", "ENGINE list"

// playEngine calls the Temporal UI like a page of another host, and starts a submission there for another user.
func (a *attacker) playEngine(ctx context.Context) error {
	m := a.maker(a.me())
	base := a.side.target.TemporalUI + "/api/v1/namespaces/default/"
	foreign := identity{name: "a page of another host"}
	host := pick(m.random, []string{"evil.example", "evil.example:80", ""})
	victim := a.known.party[alice]
	round := a.known.seen.usable(m.known.ledgerTime)
	name := uuid.NewString()
	input := object{"submissions": []any{object{
		"key": name, "userId": alice, "commandId": name, "submissionId": name, "actAs": []string{victim},
		"readAs": []string{a.known.dso}, "receivedAt": m.known.ledgerTime, "trace": object{},
		"kind": pick(m.random, []string{"command", "wallet", "automation", "lifecycle"}),
		"commands": []any{object{"exercise": object{
			"template": a.known.seen.rules.templateID, "contract": a.known.seen.rules.id, "choice": "AmuletRules_DevNet_Tap",
			"argument": object{"receiver": victim, "amount": "7.0", "openRound": round},
		}}},
	}}}
	payload, err := json.Marshal(input)
	if err != nil {
		return err
	}
	body, err := json.Marshal(object{
		"workflowType": object{"name": "SubmitCommands"}, "taskQueue": object{"name": "florin"},
		"requestId": uuid.NewString(),
		"input": object{"payloads": []any{object{
			"metadata": object{"encoding": []byte("json/plain")}, "data": payload,
		}}},
	})
	if err != nil {
		return err
	}
	got, err := a.call(ctx, foreign, engineStart, request{
		method: http.MethodPost, url: base + "workflows/" + name, host: host, body: body,
		header: map[string]string{"Origin": "http://" + host, "Cookie": "_csrf=" + name, "X-CSRF-Token": name},
	})
	if err != nil {
		return err
	}
	if got.ok() && host != "" {
		a.find("the Temporal UI answers to the host %s", host)
	}
	read, err := a.call(ctx, foreign, engineList, request{
		method: http.MethodGet, url: base + "workflows", host: "evil.example",
	})
	if err == nil && read.ok() {
		a.find("the Temporal UI answers to the host evil.example")
	}
	return err
}

// settle waits for the completions of the adversary's acknowledged submissions.
func (a *attacker) settle(ctx context.Context) error {
	var last []string
	_, err := await(ctx, "completions of the adversary", func(ctx context.Context) (string, bool, error) {
		var err error
		last, err = a.open(ctx)
		return strconv.Itoa(len(last)), len(last) == 0, err
	})
	if len(last) > 0 && ctx.Err() == nil {
		a.find("%d acknowledged submissions have no completion after %s: %s", len(last), patience, last[0])
		clear(a.acknowledged)
		return nil
	}
	clear(a.acknowledged)
	return err
}

// open lists the acknowledged submissions without a completion.
func (a *attacker) open(ctx context.Context) (names []string, err error) {
	for _, who := range a.mine {
		body, err := json.Marshal(object{"parties": []string{who.party}, "beginExclusive": a.settled, "userId": who.name})
		if err != nil {
			return nil, err
		}
		got, err := send(ctx, a.http, request{
			method: http.MethodPost, token: who.token, body: body,
			url: a.side.target.URL + "/v2/commands/completions?limit=100000&stream_idle_timeout_ms=20",
		})
		if err != nil {
			return nil, err
		}
		var list []struct {
			CompletionResponse struct {
				Completion *struct {
					Value struct {
						CommandID string `json:"commandId"`
					} `json:"value"`
				}
			} `json:"completionResponse"`
		}
		if err := json.Unmarshal(got.body, &list); err != nil {
			return nil, fmt.Errorf("read completions (HTTP %d): %w", got.status, err)
		}
		for _, one := range list {
			if completion := one.CompletionResponse.Completion; completion != nil {
				delete(a.acknowledged, who.name+" "+completion.Value.CommandID)
			}
		}
	}
	return sortedKeys(a.acknowledged), nil
}
