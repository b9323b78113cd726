package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/auth"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
)

// announce prints where everything is and the first things to try. The lines work when they are pasted as they stand.
func (m *machine) announce(ctx context.Context) error {
	token, err := m.token()
	if err != nil {
		return err
	}
	tap, err := m.tapLine(ctx)
	if err != nil {
		return err
	}
	node := m.node
	alice := node.identity.LocalParty("alice")
	fmt.Printf(`
florin: ready after %.1f s

  API           %s          (description: %s/docs/openapi)
  Temporal UI   %s
  Temporal      %s
  PostgreSQL    %s
  data and logs %s

  participant   %s
  synchronizer  %s
  operator      %s
  DSO           %s
%s
A token of the administrator %s:

TOKEN=%s

Three things to try (allocate a party, mint coin for it, read the completions):

curl -sw "\n" %s/v2/parties -H "Authorization: Bearer $TOKEN" -d '{"partyIdHint":"alice","userId":"%s"}'
curl -sw "\n" %s/v2/commands/submit-and-wait -H "Authorization: Bearer $TOKEN" -d '%s'
curl -sw "\n" %s/v2/commands/completions -H "Authorization: Bearer $TOKEN" -d '{"parties":["%s"],"beginExclusive":0}'

Ctrl-C stops everything.
`,
		time.Since(m.began).Seconds(), node.url(), node.url(), m.temporal.UI(), m.temporal.Frontend(),
		m.database.URL(recordDatabase), m.directory.Path(), node.identity.ParticipantID, node.identity.SynchronizerID,
		node.identity.Operator, node.identity.DSO, m.localnetLines(), node.settings.AdminUser, token,
		node.url(), node.settings.AdminUser, node.url(), tap, node.url(), alice)
	return nil
}

// token is one of the administrator; with an issuer of their own, people get it from there.
func (m *machine) token() (string, error) {
	if m.command.hasIssuer() {
		return "(from your issuer)", nil
	}
	return auth.Mint(m.command.AuthSecret, m.command.AuthAudience, m.node.settings.AdminUser, 0, time.Now())
}

// tapLine is the body of a submission that mints coin for alice, with the contracts of this ledger that it uses.
func (m *machine) tapLine(ctx context.Context) (string, error) {
	rules, err := firstOf[coin.AmuletRules](ctx, m.node)
	if err != nil {
		return "", err
	}
	round, err := firstOf[coin.OpenMiningRound](ctx, m.node)
	if err != nil {
		return "", err
	}
	shown := make([]string, 0, 2)
	for _, contract := range []ledger.Contract{rules, round} {
		blob, err := ledger.EncodeBlob(contract)
		if err != nil {
			return "", err
		}
		shown = append(shown, fmt.Sprintf(`{"contractId":"%s","createdEventBlob":"%s"}`,
			contract.ID, base64.StdEncoding.EncodeToString(blob)))
	}
	alice := m.node.identity.LocalParty("alice")
	return strings.NewReplacer("\n", "", "\t", "").Replace(fmt.Sprintf(`{"commandId":"mint-%d","actAs":["%s"],
"disclosedContracts":[%s],"commands":[{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules",
"contractId":"%s","choice":"AmuletRules_DevNet_Tap",
"choiceArgument":{"receiver":"%s","amount":"1000.0","openRound":"%s"}}}]}`,
		m.began.Unix(), alice, strings.Join(shown, ","), rules.ID, alice, round.ID)), nil
}

// firstOf finds the oldest active contract of a template, which for rounds is the one that has been open longest.
func firstOf[T any](ctx context.Context, n *node) (ledger.Contract, error) {
	name, err := ledger.TemplateName[T](n.packages)
	if err != nil {
		return ledger.Contract{}, err
	}
	found, err := n.database.ActiveByTemplate(ctx, name.String(), 1)
	if err != nil {
		return ledger.Contract{}, err
	}
	if len(found) == 0 {
		return ledger.Contract{}, fmt.Errorf("no active contract of %s: the ledger was not set up", name)
	}
	return found[0].Contract, nil
}
