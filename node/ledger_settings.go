package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// The values of --clock that can be advanced: one runs as real time does, the other one stands still.
const (
	clockSimulated = "simulated"
	clockStatic    = "static"
)

// ledgerSettings are those settings of the ledger, which all of its nodes share (docs/settings.md), that flags can give
// at the first start; later a node takes what the ledger has, and does not start when it is given anything else.
type ledgerSettings struct {
	Participant  *string        `help:"First part of the participant id of a fresh ledger (${participant})." env:"FLORIN_PARTICIPANT"`
	Synchronizer *string        `help:"First part of the synchronizer id of a fresh ledger (${synchronizer})." env:"FLORIN_SYNCHRONIZER"`
	OperatorHint *string        `help:"First part of the validator operator's party id of a fresh ledger (${operatorHint})." env:"FLORIN_OPERATOR_HINT"`
	OperatorUser *string        `help:"Wallet user of the validator operator of a fresh ledger (${operatorUser})." env:"FLORIN_OPERATOR_USER"`
	AdminUser    *string        `help:"Participant administrator of a fresh ledger, beside participant_admin (${adminUser})." env:"FLORIN_ADMIN_USER"`
	RoundTick    *time.Duration `help:"Half the life of the mining rounds of a fresh ledger (${roundTick}, or a week where the clock can be advanced)." env:"FLORIN_ROUND_TICK"`

	CoinPrice      *string `help:"Price of the coin in USD, in the first and all new rounds (${coinPrice}). A setting of the ledger: change it with florin config set." env:"FLORIN_COIN_PRICE"`
	EnforceTraffic *bool   `help:"Refuse submissions that the node's traffic does not cover; otherwise only meter traffic. A setting of the ledger: change it with florin config set." env:"FLORIN_ENFORCE_TRAFFIC" negatable:""`
}

// Variables are the defaults that other packages own, for kong's ${...}: participant for the setting of that name,
// coinPrice for coin-price.
func Variables() map[string]string {
	values := map[string]string{}
	for _, setting := range ledger.AllSettings() {
		words := strings.Split(setting.Name, "-")
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		values[strings.Join(words, "")] = setting.Show(ledger.DefaultSettings())
	}
	return values
}

// given are the settings that were given, by their names, as [ledger.Setting.Show] shows them.
func (s *ledgerSettings) given() (map[string]string, error) {
	values := map[string]string{}
	add(values, "participant", s.Participant)
	add(values, "synchronizer", s.Synchronizer)
	add(values, "operator-hint", s.OperatorHint)
	add(values, "operator-user", s.OperatorUser)
	add(values, "admin-user", s.AdminUser)
	add(values, "round-tick", s.RoundTick)
	add(values, "coin-price", s.CoinPrice)
	add(values, "enforce-traffic", s.EnforceTraffic)
	for name, text := range values {
		setting, _ := ledger.FindSetting(name)
		read := ledger.DefaultSettings()
		if err := setting.Set(&read, text); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
		values[name] = setting.Show(read)
	}
	return values, nil
}

func add[T any](values map[string]string, name string, value *T) {
	if value != nil {
		values[name] = fmt.Sprint(*value)
	}
}

// foundLedger gives a fresh ledger its settings, and reads those of one that has some. The error names all settings of
// which this process was given another value.
func (n *Node) foundLedger(ctx context.Context) error {
	given, err := n.options.Settings.given()
	if err != nil {
		return err
	}
	fallback := ledger.DefaultSettings()
	if clock := n.options.Clock; clock == clockSimulated || clock == clockStatic {
		fallback.RoundTick = simulatedTick
	}
	others, err := n.Database.FoundLedgerSettings(ctx, fallback, given)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return otherSettings(others)
	}
	n.Settings, err = n.Database.LedgerSettings(ctx)
	return err
}

// simulatedTick is the tick of a fresh ledger whose clock can be advanced: the clock stops at each round, and a year
// has 52 then.
const simulatedTick = 7 * 24 * time.Hour

// checkSecret refuses to serve tokens by another secret than the other nodes of the ledger. Where tokens are verified
// by the keys of an issuer, the secret is not used.
func (n *Node) checkSecret(ctx context.Context) error {
	settings := n.options.Settings
	if !n.options.Roles.API || settings.AuthKeyFile != "" || settings.AuthJWKSURL != "" {
		return nil
	}
	return n.requireSecret(ctx, settings.AuthSecret)
}

// requireSecret refuses a secret that is not the ledger's.
func (n *Node) requireSecret(ctx context.Context, secret string) error {
	others, err := n.Database.FoundLedgerSettings(ctx, n.Settings, map[string]string{
		ledger.AuthSecret: n.Identity.Digest(secret),
	})
	if err == nil && len(others) > 0 {
		err = otherSettings(others)
	}
	return err
}

// otherSettings says which settings the ledger has that a process was not given, and what to do.
func otherSettings(others []db.OtherSetting) error {
	var text strings.Builder
	text.WriteString("this ledger has other settings, which all of its nodes share:")
	for _, other := range others {
		fmt.Fprintf(&text, "\n  --%s", other.Name)
		if !other.Secret {
			fmt.Fprintf(&text, "=%s: the ledger has %s", other.Given, other.InForce)
		}
		switch {
		case other.Secret:
			text.WriteString(": the ledger has another; start the node with that one, or first tell the ledger of a new one " +
				"with `florin config set " + other.Name + "` on a running node")
		case other.Fixed:
			text.WriteString(", for good; leave the setting out, or begin a fresh ledger")
		default:
			fmt.Fprintf(&text, " since offset %d; leave the setting out, or change it on a running node with "+
				"`florin config set %s %s`", other.From, other.Name, other.Given)
		}
	}
	return errors.New(text.String())
}
