package adversary

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	asyncPath = "/v2/commands/async/submit"
	waitPath  = "/v2/commands/submit-and-wait"
	treePath  = "/v2/commands/submit-and-wait-for-transaction"
)

// playCreate creates a contract of a template with random parties and amounts, and with itself as the network.
func (a *attacker) playCreate(ctx context.Context) error {
	chosen := a.templates[deal(a.seed, "create", a.step.index, len(a.templates))]
	const tries = 3
	for range tries {
		got, err := a.create(ctx, chosen)
		if err != nil || got.ok() {
			return err
		}
	}
	return nil
}

func (a *attacker) create(ctx context.Context, chosen template) (answer, error) {
	who := a.me()
	m := a.maker(who)
	payload, foreign := a.makePayload(m, chosen)
	command := object{"CreateCommand": object{"templateId": chosen.name.String(), "createArguments": payload}}
	got, err := a.submit(ctx, who, command)
	if err != nil {
		return got, err
	}
	count(a.coverage.templates, chosen.String(), outcome(got))
	if len(foreign) == 1 && got.status == http.StatusBadRequest && strings.Contains(string(got.body), "AUTHORIZ") {
		a.signers[chosen.String()+" "+foreign[0]] = true
	}
	return got, nil
}

// After a refusal for a missing signature, makePayload names no others in that field.
func (a *attacker) makePayload(m maker, of template) (payload object, foreign []string) {
	payload, _ = m.value(of.payload, "", 0).(object)
	for field, value := range payload {
		party, ok := value.(string)
		if !ok || !strings.Contains(party, "::1220") || strings.HasPrefix(party, "PAR::") || party == m.known.synchronizer {
			continue
		}
		switch {
		case a.signers[of.String()+" "+field]:
			payload[field] = m.self
		case party != m.self:
			foreign = append(foreign, field)
		}
	}
	return payload, foreign
}

// playExercise exercises a choice on a known contract, or on one that it creates for this.
func (a *attacker) playExercise(ctx context.Context) error {
	type target struct {
		template
		choice
	}
	var all []target
	for _, one := range a.templates {
		for _, choice := range one.choices {
			all = append(all, target{one, choice})
		}
	}
	chosen := all[deal(a.seed, "exercise", a.step.index, len(all))]
	who := a.me()
	m := a.maker(who)
	argument := m.value(chosen.argument, "", 0)
	exercise := object{
		"templateId": chosen.of.String(), "choice": chosen.choice.name, "choiceArgument": argument,
	}
	var command object
	contracts := a.known.of(chosen.template.name.Entity)
	if len(contracts) > 0 && !m.oneIn(4) {
		exercise["contractId"] = pick(m.random, contracts).id
		command = object{"ExerciseCommand": exercise}
	} else {
		payload, _ := a.makePayload(m, chosen.template)
		command = object{"CreateAndExerciseCommand": object{
			"templateId": chosen.template.name.String(), "createArguments": payload, "choice": chosen.choice.name,
			"choiceArgument": argument,
		}}
		if chosen.of != chosen.template.name { // an interface's choice has another name
			command = object{"ExerciseCommand": with(exercise, object{"contractId": m.contractID("")})}
		}
	}
	got, err := a.submit(ctx, who, command)
	if err != nil {
		return err
	}
	count(a.coverage.choices, chosen.label(chosen.template), outcome(got))
	if id, ok := exercise["contractId"].(string); ok && got.ok() {
		a.known.forget(id)
	}
	return nil
}

// submit submits a command of the adversary by a random route.
func (a *attacker) submit(ctx context.Context, who identity, commands ...object) (answer, error) {
	m := a.maker(who)
	id := fmt.Sprintf("mine-%d-%d", a.step.number, m.random.IntN(1_000_000))
	if m.oneIn(12) { // an id of others, or a used one
		id = pick(m.random, a.known.trackingIDs())
	}
	body := object{
		"commandId": id, "actAs": a.actAs(m), "commands": commands, "disclosedContracts": a.known.disclosed(),
		"submissionId": id, "userId": who.name,
	}
	if m.oneIn(20) {
		body["readAs"] = []string{pick(m.random, a.known.parties())}
	}
	switch m.random.IntN(4) {
	case 0:
		return a.submitLater(ctx, who, id, body)
	case 1:
		return a.post(ctx, who, waitPath, body)
	default:
		got, err := a.post(ctx, who, treePath, object{"commands": body})
		return got, err
	}
}

// actAs are the acting parties: sometimes both of the adversary.
func (a *attacker) actAs(m maker) []string {
	if m.oneIn(10) {
		return []string{m.self, pick(m.random, a.known.parties())}
	}
	return []string{m.self}
}

// submitLater submits without waiting: each acknowledged submission must get a completion.
func (a *attacker) submitLater(ctx context.Context, who identity, id string, body object) (answer, error) {
	got, err := a.post(ctx, who, asyncPath, body)
	if err == nil && got.ok() {
		a.acknowledged[who.name+" "+id] = a.step.number
	}
	return got, err
}

// playFund taps coin for the adversary, and sends some to others.
func (a *attacker) playFund(ctx context.Context) error {
	who := a.me()
	m := a.maker(who)
	if got, err := a.post(ctx, who, tapPath, object{"amount": "100"}); err != nil || !got.ok() || m.oneIn(2) {
		return err
	}
	other := pick(m.random, a.known.own)
	_, err := a.post(ctx, who, offersPath, object{
		"receiver_party_id": other, "amount": m.numeric(), "description": m.text("description"),
		"tracking_id": m.text("tracking"), "expires_at": m.known.ledgerTime.Add(time.Hour).UnixMicro(),
	})
	return err
}

// playBurst submits many commands at once, some of which fail in the middle of a commit.
func (a *attacker) playBurst(ctx context.Context) error {
	const many = 24
	who := a.me()
	m := a.maker(who)
	m.hostile = 40
	var requests []request
	var ids []string
	for i := range many {
		chosen := pick(m.random, a.templates)
		payload, _ := a.makePayload(m, chosen)
		id := fmt.Sprintf("burst-%d-%d", a.step.number, i)
		body, err := json.Marshal(object{
			"commandId": id, "actAs": []string{who.party}, "submissionId": id,
			"commands": []any{object{"CreateCommand": object{"templateId": chosen.name.String(), "createArguments": payload}}},
		})
		if err != nil {
			return err
		}
		ids = append(ids, id)
		requests = append(requests, request{
			method: http.MethodPost, url: a.side.target.URL + asyncPath, token: who.token, body: body,
		})
	}
	answers := make([]answer, many)
	group, inner := errgroup.WithContext(ctx)
	for i, one := range requests {
		group.Go(func() (err error) {
			answers[i], err = send(inner, a.http, one)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, got := range answers {
		a.coverage.hit("POST "+asyncPath, got)
		a.sent = append(a.sent, sentRequest{a.step.number, requests[i], got.status})
		a.check(who, "POST "+asyncPath, requests[i], got)
		if got.ok() {
			a.acknowledged[who.name+" "+ids[i]] = a.step.number
		}
	}
	return nil
}
