package adversary

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// playTracking uses tracking ids of others, also of their next requests: it makes offers to them and to itself, and
// withdraws them.
func (a *attacker) playTracking(ctx context.Context) error {
	who := a.me()
	m := a.maker(who)
	id := pick(m.random, []string{
		trackingID("ord", a.cycle), trackingID("ord", a.cycle+1), trackingID("back", a.cycle+1),
		pick(m.random, a.known.tracking),
	})
	receiver := pick(m.random, append(a.known.bystanders, a.known.own...))
	got, err := a.post(ctx, who, pick(m.random, []string{offersPath, transfersPath}), object{
		"receiver_party_id": receiver, "amount": "0.5", "description": "for you", "tracking_id": id,
		"expires_at": m.known.ledgerTime.Add(time.Hour).UnixMicro(),
	})
	if err != nil {
		return err
	}
	var created struct {
		ID string `json:"offer_contract_id"`
	}
	if got.ok() && json.Unmarshal(got.body, &created) == nil && created.ID != "" && !m.oneIn(3) {
		_, err = a.post(ctx, who, offersPath+"/"+created.ID+"/withdraw", object{})
	}
	if err != nil || m.oneIn(2) {
		return err
	}
	_, err = a.post(ctx, who, trafficPath, object{
		"receiving_validator_party_id": who.party, "domain_id": a.known.synchronizer, "traffic_amount": 200_000,
		"tracking_id": trackingID("traffic", a.cycle+1), "expires_at": m.known.ledgerTime.Add(time.Hour).UnixMicro(),
	})
	return err
}

// playOnboarding onboards parties with the keys of others, without signatures or with invalid ones.
func (a *attacker) playOnboarding(ctx context.Context) error {
	m := a.maker(a.me())
	name := newcomerName(a.cycle + m.random.IntN(2))
	if m.oneIn(4) {
		name = carol
	}
	who := pick(m.random, append(a.identities, a.landlord(), a.landlord(), a.me(), a.me()))
	key := publicOf(newKey(a.side.marks.seed, name))
	got, err := a.post(ctx, who, "/v2/parties/external/generate-topology",
		topologyRequest(a.known.synchronizer, name, key))
	if err != nil || !got.ok() {
		return err
	}
	var made generatedTopology
	if err := json.Unmarshal(got.body, &made); err != nil {
		return fmt.Errorf("read the topology: %w", err)
	}
	var signatures []signature
	if m.oneIn(3) {
		own := keyholder{key: newKey(a.side.marks.seed, "adversary"), fingerprint: made.PublicKeyFingerprint}
		signatures = append(signatures, own.sign(made.MultiHash))
	}
	user, provider, _ := strings.Cut(who.name, " of the ")
	_, err = a.post(ctx, who, "/v2/parties/external/allocate",
		made.allocateRequest(a.known.synchronizer, provider, user, signatures...))
	return err
}

func (a *attacker) landlord() identity {
	for _, who := range a.identities {
		if who.name == landlord+" of the tenant" {
			return who
		}
	}
	return a.me()
}

// playKeys repeats requests of others with their Idempotency-Keys, also their next requests.
func (a *attacker) playKeys(ctx context.Context) error {
	who := pick(a.step.random, a.identities)
	cycle := a.cycle + a.step.random.IntN(2)
	body := object{"amount": "1"}
	if a.step.random.IntN(2) == 0 { // as the bystander does
		body = object{"amount": strconv.Itoa(30 + cycle%5), "command_id": fmt.Sprintf("tap-%d", cycle)}
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = a.call(ctx, who, "POST "+tapPath, request{
		method: http.MethodPost, url: tapPath, body: encoded, header: map[string]string{"Idempotency-Key": keyOf(cycle)},
	})
	return err
}

// playUsers asks for rights, for existing and missing users, and for removed rights.
func (a *attacker) playUsers(ctx context.Context) error {
	who := pick(a.step.random, append(a.identities, a.landlord(), a.landlord()))
	m := a.maker(who)
	user, provider, _ := strings.Cut(who.name, " of the ")
	right := object{"kind": object{pick(m.random, []string{"CanActAs", "CanReadAs", "CanExecuteAs"}): object{
		"value": object{"party": pick(m.random, a.known.others())},
	}}}
	if m.oneIn(3) {
		right = object{"kind": object{pick(m.random, []string{"ParticipantAdmin", "CanReadAsAnyParty"}): object{
			"value": object{},
		}}}
	}
	victim := pick(m.random, []string{tenantRoot, alice, bob, admin, user})
	meta := object{"resourceVersion": "", "annotations": object{}}
	switch m.random.IntN(7) {
	case 0:
		_, err := a.post(ctx, who, "/v2/users/"+url.PathEscape(user)+"/rights", object{
			"userId": user, "identityProviderId": provider, "rights": []any{right},
		})
		return err
	case 1:
		_, err := a.post(ctx, who, "/v2/users", object{"rights": []any{right}, "user": object{
			"id": fmt.Sprintf("made-%d", a.step.number), "primaryParty": "", "isDeactivated": false, "metadata": meta,
			"identityProviderId": provider,
		}})
		return err
	case 2:
		return a.patch(ctx, who, victim, object{
			"updateMask": object{"paths": []string{"is_deactivated"}},
			"user": object{
				"id": victim, "identityProviderId": provider, "isDeactivated": true, "metadata": meta, "primaryParty": "",
			},
		})
	case 3:
		path := "/v2/users/" + victim
		_, err := a.call(ctx, who, "DELETE /v2/users/{user-id}", request{method: http.MethodDelete, url: path})
		return err
	case 4:
		_, err := a.post(ctx, who, "/v2/parties", object{
			"partyIdHint": pick(m.random, []string{alice, "DSO", "mine"}), "userId": user, "identityProviderId": provider,
		})
		return err
	case 5:
		return a.compareUsers(ctx, who)
	default:
		_, err := a.post(ctx, who, registerPath, object{})
		return err
	}
}

func (a *attacker) patch(ctx context.Context, who identity, user string, body object) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = a.call(ctx, who, "PATCH /v2/users/{user-id}", request{
		method: http.MethodPatch, url: "/v2/users/" + user, body: encoded,
	})
	return err
}

// compareUsers asks for a user of others and for a missing user: a caller without a right must get the same answer. An
// administrator of an identity provider may see the difference: user ids are unique in the node, and upstream answers
// 403 for a user of another provider and 404 for a missing one.
func (a *attacker) compareUsers(ctx context.Context, who identity) error {
	var statuses []int
	suffix := pick(a.step.random, []string{"", "/rights"})
	victim := pick(a.step.random, []string{alice, bob, carolsUser})
	for _, user := range []string{victim, "nobody-" + victim} {
		got, err := a.call(ctx, who, "GET /v2/users/{user-id}"+suffix, request{
			method: http.MethodGet, url: "/v2/users/" + user + suffix,
		})
		if err != nil {
			return err
		}
		statuses = append(statuses, got.status)
	}
	mayKnow := strings.HasPrefix(who.name, victim) || who.name == landlord+" of the tenant"
	if statuses[0] != statuses[1] && !mayKnow {
		a.find("%s learns that the user %s exists: HTTP %d and %d", who.name, victim, statuses[0], statuses[1])
	}
	return nil
}
