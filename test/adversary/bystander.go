package adversary

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/client"
)

// Paths of wallets.
const (
	offersPath    = "/v0/wallet/transfer-offers"
	trafficPath   = "/v0/wallet/buy-traffic-requests"
	transfersPath = "/v0/wallet/token-standard/transfers"
	tapPath       = "/v0/wallet/tap"
	registerPath  = "/v0/register"
	pingTemplate  = "#canton-builtin-admin-workflow-ping:Canton.Internal.Ping:Ping"
)

// burst is the number of submissions in flight of a bystander.
const burst = 8

// register onboards a user with its own token.
func (s *side) register(ctx context.Context, user string) error {
	var answer struct {
		Party string `json:"party_id"`
	}
	if err := s.as(user).Post(ctx, registerPath, nil, &answer); err != nil {
		return err
	}
	s.party[user] = answer.Party
	return nil
}

// setUp creates the bystanders and the users without rights.
func (s *side) setUp(ctx context.Context, start time.Time) error {
	// The first rounds opened at the start of the node. A jump of the clock opens the next ones.
	for _, before := range []int{200, 160, 120, 80, 40, 0} {
		if err := s.jump(ctx, start.Add(-time.Duration(before)*time.Minute)); err != nil {
			return err
		}
	}
	var id struct {
		ParticipantID string `json:"participantId"`
	}
	var synchronizers struct {
		Connected []struct {
			ID string `json:"synchronizerId"`
		} `json:"connectedSynchronizers"`
	}
	err := errors.Join(s.admin.Get(ctx, "/v2/parties/participant-id", &id),
		s.admin.Get(ctx, "/v2/state/connected-synchronizers", &synchronizers))
	if err != nil || len(synchronizers.Connected) == 0 {
		return errors.Join(errors.New("the node names no synchronizer"), err)
	}
	s.participant, s.synchronizer = id.ParticipantID, synchronizers.Connected[0].ID
	for _, user := range []string{alice, bob, dave, leaver, revoked, deleted} {
		if err := s.register(ctx, user); err != nil {
			return fmt.Errorf("register %s: %w", user, err)
		}
		if err := s.as(user).Post(ctx, tapPath, object{"amount": "50"}, nil); err != nil {
			return fmt.Errorf("tap for %s: %w", user, err)
		}
	}
	if err := s.preapprove(ctx); err != nil {
		return err
	}
	s.carol, err = s.onboard(ctx, s.admin, carol, "")
	if err != nil {
		return fmt.Errorf("onboard %s: %w", carol, err)
	}
	s.party[carol] = s.carol.party
	err = errors.Join(s.admin.CreateUser(ctx, carolsUser, s.carol.party, client.CanActAs(s.carol.party)),
		s.makeExecutor(ctx))
	if err := errors.Join(err, s.takeAway(ctx), s.issuer.configure(ctx, s), s.configure(ctx)); err != nil {
		return err
	}
	return s.firstTraffic(ctx, start)
}

// makeExecutor creates the user that may only execute for carol. The adversary has its token.
func (s *side) makeExecutor(ctx context.Context) error {
	var value client.RightValue
	value.Value.Party = s.party[carol]
	return s.admin.CreateUser(ctx, executor, "", client.Right{
		Kind: map[string]client.RightValue{"CanExecuteAs": value},
	})
}

// firstTraffic waits until the node has bought traffic. From then on it keeps a reserve.
func (s *side) firstTraffic(ctx context.Context, start time.Time) error {
	if err := s.advance(ctx, start.Add(time.Minute)); err != nil {
		return err
	}
	_, err := await(ctx, "traffic", func(ctx context.Context) (string, bool, error) {
		bought, err := s.traffic(ctx)
		return strconv.FormatInt(bought, 10), bought > 0, err
	})
	return err
}

// preapprove proposes bob's preapproval, and waits for it.
func (s *side) preapprove(ctx context.Context) error {
	if err := s.as("app-user").Post(ctx, tapPath, object{"amount": "100000"}, nil); err != nil {
		return fmt.Errorf("tap for the operator: %w", err)
	}
	if err := s.as(bob).Post(ctx, "/v0/wallet/transfer-preapproval", nil, nil); err != nil {
		return fmt.Errorf("propose the preapproval: %w", err)
	}
	_, err := await(ctx, "the preapproval", func(ctx context.Context) (string, bool, error) {
		err := s.as(bob).Get(ctx, "/v0/wallet/transfer-preapproval", nil)
		return "", err == nil, nil
	})
	return err
}

func (s *side) configure(ctx context.Context) error {
	const settings = "/v0/admin/automation/settings/"
	return errors.Join(
		s.admin.Call(ctx, "PUT", settings+"sweeps/"+s.party[dave], object{
			"max_balance_usd": "1", "min_balance_usd": "0.1", "receiver": s.party[bob], "use_transfer_preapproval": true,
		}, nil),
		s.admin.Call(ctx, "PUT", settings+"top-up", object{
			"min_topup_interval": "10m0s", "reserved_traffic": 0, "target_throughput": 20_000,
		}, nil),
	)
}

// takeAway removes the rights of users.
func (s *side) takeAway(ctx context.Context) error {
	return errors.Join(
		s.admin.Post(ctx, "/v0/admin/users/offboard?username="+leaver, nil, nil),
		s.admin.Call(ctx, "PATCH", "/v2/users/"+revoked+"/rights", object{
			"userId": revoked, "identityProviderId": "", "rights": []any{client.CanActAs(s.party[revoked])},
		}, nil),
		s.admin.DeleteUser(ctx, deleted),
	)
}

// cycle makes all bystanders act once, and stores the facts.
func (s *side) cycle(ctx context.Context, n int, now time.Time) error {
	s.facts, s.shared = nil, nil
	steps := []struct {
		name string
		do   func(context.Context, int, time.Time) (string, error)
	}{
		{"alice taps with an Idempotency-Key", s.tap},
		{"bob accepts alice's offer", s.offer},
		{"alice withdraws an offer", s.withdraw},
		{"alice sends by bob's preapproval", s.sendPreapproved},
		{"dave accepts a two-step transfer", s.twoStep},
		{"alice and bob play ping", s.ping},
		{"all acknowledged submissions complete", s.manyAtOnce},
		{"carol signs a transaction", s.signed},
		{"alice buys traffic", s.buyTraffic},
		{"a newcomer with a key of its own is onboarded", s.newcomer},
	}
	for _, step := range steps {
		err := s.note(ctx, step.name, func(ctx context.Context) (string, error) { return step.do(ctx, n, now) })
		if err != nil {
			return err
		}
	}
	return nil
}

// trackingID is the guessable tracking id of an offer.
func trackingID(what string, cycle int) string { return fmt.Sprintf("%s-%d", what, cycle) }

func keyOf(cycle int) string { return fmt.Sprintf("key-%d", cycle) }

func (s *side) tap(ctx context.Context, n int, _ time.Time) (string, error) {
	body := object{"amount": strconv.Itoa(30 + n%5), "command_id": "tap-" + strconv.Itoa(n)}
	var answer any
	return "tapped", s.keyed(ctx, alice, keyOf(n), tapPath, body, &answer)
}

func (s *side) offerOf(ctx context.Context, n int, what string, now time.Time) (id string, err error) {
	var created struct {
		ID string `json:"offer_contract_id"`
	}
	err = s.as(alice).Post(ctx, offersPath, object{
		"receiver_party_id": s.party[bob], "amount": s.marks.amount(n), "description": s.marks.text(n, what),
		"tracking_id": trackingID(what, n), "expires_at": now.Add(24 * time.Hour).UnixMicro(),
	}, &created)
	if err == nil {
		s.shared = append(s.shared, contract{id: created.ID, templateID: offerTemplate, theirs: true})
		s.tracked = append(s.tracked, trackingID(what, n))
	}
	return created.ID, err
}

const offerTemplate = "#splice-wallet:Splice.Wallet.TransferOffer:TransferOffer"

// status waits until a tracked request of alice has a status.
func (s *side) status(ctx context.Context, path, id, expected string) (string, error) {
	return await(ctx, id+" is "+expected, func(ctx context.Context) (string, bool, error) {
		status, err := s.statusNow(ctx, path, id)
		return status, status == expected, err
	})
}

func (s *side) statusNow(ctx context.Context, path, id string) (string, error) {
	var answer struct{ Status string }
	err := s.as(alice).Post(ctx, path+"/"+id+"/status", nil, &answer)
	return answer.Status, err
}

func (s *side) offer(ctx context.Context, n int, now time.Time) (string, error) {
	id, err := s.offerOf(ctx, n, "ord", now)
	if err != nil {
		return "", err
	}
	if err := s.as(bob).Post(ctx, offersPath+"/"+id+"/accept", nil, nil); err != nil {
		return "", err
	}
	return s.status(ctx, offersPath, trackingID("ord", n), "completed")
}

func (s *side) withdraw(ctx context.Context, n int, now time.Time) (string, error) {
	id, err := s.offerOf(ctx, n, "back", now)
	if err != nil {
		return "", err
	}
	before, err := s.statusNow(ctx, offersPath, trackingID("back", n))
	if err != nil {
		return "", err
	}
	if err := s.as(alice).Post(ctx, offersPath+"/"+id+"/withdraw", nil, nil); err != nil {
		return "", err
	}
	after, err := s.status(ctx, offersPath, trackingID("back", n), "failed")
	return before + ", " + after, err
}

func (s *side) sendPreapproved(ctx context.Context, n int, _ time.Time) (string, error) {
	return "sent", s.as(alice).Post(ctx, "/v0/wallet/transfer-preapproval/send", object{
		"receiver_party_id": s.party[bob], "amount": s.marks.amount(n), "deduplication_id": trackingID("send", n),
		"description": s.marks.text(n, "send"),
	}, nil)
}

func (s *side) twoStep(ctx context.Context, n int, now time.Time) (string, error) {
	var made struct {
		Output map[string]any `json:"output"`
	}
	err := s.as(alice).Post(ctx, transfersPath, object{
		"receiver_party_id": s.party[dave], "amount": s.marks.amount(n), "description": s.marks.text(n, "two"),
		"tracking_id": trackingID("two", n), "expires_at": now.Add(24 * time.Hour).UnixMicro(),
	}, &made)
	if err != nil {
		return "", err
	}
	id, _ := made.Output["transfer_instruction_cid"].(string)
	s.shared = append(s.shared, contract{
		id: id, templateID: "#splice-amulet:Splice.AmuletTransferInstruction:AmuletTransferInstruction", theirs: true,
	})
	return "accepted", s.as(dave).Post(ctx, transfersPath+"/"+id+"/accept", nil, nil)
}

func (s *side) pingCommand(n int, what string) client.Command {
	return client.Command{Create: &client.Create{TemplateID: pingTemplate, CreateArguments: object{
		"id": s.marks.text(n, what), "initiator": s.party[alice], "responder": s.party[bob],
	}}}
}

func (s *side) ping(ctx context.Context, n int, _ time.Time) (string, error) {
	made, err := s.as(alice).SubmitAndWaitForTransaction(ctx, client.Commands{
		CommandID: trackingID("ping", n), ActAs: []string{s.party[alice]},
		Commands: []client.Command{s.pingCommand(n, "ping")},
	})
	if err != nil {
		return "", err
	}
	created := made.Created("Canton.Internal.Ping:Ping")
	if len(created) != 1 {
		return "", fmt.Errorf("%d pings", len(created))
	}
	s.shared = append(s.shared, contract{id: created[0].ContractID, templateID: pingTemplate, theirs: true})
	_, err = s.as(bob).SubmitAndWait(ctx, client.Commands{
		CommandID: trackingID("pong", n), ActAs: []string{s.party[bob]},
		Commands: []client.Command{{Exercise: &client.Exercise{
			TemplateID: pingTemplate, ContractID: created[0].ContractID, Choice: "Respond", ChoiceArgument: object{},
		}}},
	})
	return "responded", err
}

// manyAtOnce sends several submissions at once, and waits for the completions of the acknowledged ones.
func (s *side) manyAtOnce(ctx context.Context, n int, _ time.Time) (string, error) {
	api, user := s.as(alice), alice
	begin, err := api.LedgerEnd(ctx)
	if err != nil {
		return "", err
	}
	group, inner := errgroup.WithContext(ctx)
	for i := range burst {
		group.Go(func() error {
			return api.Submit(inner, client.Commands{
				CommandID: fmt.Sprintf("many-%d-%d", n, i), ActAs: []string{s.party[alice]}, UserID: user,
				Commands: []client.Command{s.pingCommand(n, "many-"+strconv.Itoa(i))},
			})
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	return await(ctx, "completions", func(ctx context.Context) (string, bool, error) {
		found, _, err := api.Completions(ctx, client.CompletionsRequest{
			Parties: []string{s.party[alice]}, BeginExclusive: begin, Limit: 10 * burst, Idle: pause,
		})
		accepted := 0
		for _, completion := range found {
			if completion.Status.Code == 0 {
				accepted++
			}
		}
		return fmt.Sprintf("%d of %d accepted", accepted, burst), accepted == burst, err
	})
}

// signed lets carol sign a tap and a contract that only she may read, and prepares a transfer that she does not sign.
func (s *side) signed(ctx context.Context, n int, now time.Time) (string, error) {
	if err := s.look(ctx); err != nil {
		return "", err
	}
	coin := client.Coin{DSO: s.target.DSO, Rules: s.seen.rules.id, Round: s.seen.usable(now)}
	tap := coin.Tap(s.party[carol], s.marks.amount(n))
	if done, err := s.submitSigned(ctx, trackingID("tapped", n), tap); err != nil {
		return done, err
	}
	api := s.as(carolsUser)
	end, err := api.LedgerEnd(ctx)
	if err != nil {
		return "", err
	}
	held, err := api.ActiveContracts(ctx, end, s.party[carol], client.AmuletTemplate)
	if err != nil || len(held) == 0 {
		return "", errors.Join(errors.New("carol has no coin"), err)
	}
	waiting, err := s.prepareSigned(ctx, trackingID("waits", n), coin.Transfer(s.party[carol],
		[]string{held[len(held)-1].ContractID}, client.Output{Receiver: s.party[carol], Amount: "1.0"}))
	if err != nil {
		return "", err
	}
	s.prepared = waiting.Transaction
	return s.submitSigned(ctx, trackingID("signed", n), client.Command{Create: &client.Create{
		TemplateID: pingTemplate, CreateArguments: object{
			"id": s.marks.text(n, "signed"), "initiator": s.party[carol], "responder": s.party[carol],
		},
	}})
}

func (s *side) buyTraffic(ctx context.Context, n int, now time.Time) (string, error) {
	id := trackingID("traffic", n)
	err := s.as(alice).Post(ctx, trafficPath, object{
		"receiving_validator_party_id": s.party[alice], "domain_id": s.synchronizer, "traffic_amount": 200_000,
		"tracking_id": id, "expires_at": now.Add(24 * time.Hour).UnixMicro(),
	}, nil)
	if err != nil {
		return "", err
	}
	return s.status(ctx, trafficPath, id, "completed")
}

func newcomerName(cycle int) string { return fmt.Sprintf("newcomer-%d", cycle) }

func (s *side) newcomer(ctx context.Context, n int, _ time.Time) (string, error) {
	holder, err := s.onboard(ctx, s.admin, newcomerName(n), carolsUser)
	if err != nil {
		return "", err
	}
	s.party[newcomerName(n)] = holder.party
	return "onboarded", nil
}
