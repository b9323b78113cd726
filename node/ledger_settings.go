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

// The values of --clock with which somebody can advance the clock: one runs like real time, the other stands still.
const (
	clockSimulated = "simulated"
	clockStatic    = "static"
)

// ledgerSettings are the settings of the ledger (docs/settings.md) that flags can set at the first start. All nodes
// share them: later a node uses the ledger's values, and does not start if a flag has another value.
type ledgerSettings struct {
	Participant  *string        `help:"For a new ledger: first part of the participant id. Default: ${participant}." env:"FLORIN_PARTICIPANT"`
	Synchronizer *string        `help:"For a new ledger: first part of the synchronizer id. Default: ${synchronizer}." env:"FLORIN_SYNCHRONIZER"`
	OperatorHint *string        `help:"For a new ledger: first part of the validator operator's party id. Default: ${operatorHint}." env:"FLORIN_OPERATOR_HINT"`
	OperatorUser *string        `help:"For a new ledger: wallet user of the validator operator. Default: ${operatorUser}." env:"FLORIN_OPERATOR_USER"`
	AdminUser    *string        `help:"For a new ledger: participant administrator beside participant_admin. Default: ${adminUser}." env:"FLORIN_ADMIN_USER"`
	RoundTick    *time.Duration `help:"For a new ledger: half the lifetime of a mining round. Default: ${roundTick}, or one week if the clock is simulated or static." env:"FLORIN_ROUND_TICK"`

	CoinPrice      *string `help:"Price of the coin in USD, in the first and all new rounds. Default: ${coinPrice}. The ledger stores it: change it with florin config set." env:"FLORIN_COIN_PRICE"`
	EnforceTraffic *bool   `help:"Refuse submissions that the node's traffic does not cover; otherwise only meter traffic. The ledger stores this setting: change it with florin config set." env:"FLORIN_ENFORCE_TRAFFIC" negatable:""`
}

// Variables are the defaults of the ledger's settings, for kong's ${...}: coinPrice is the default of coin-price.
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

// flagValues returns the settings that a flag sets, by their names, as [ledger.Setting.Show] formats them.
func (s *ledgerSettings) flagValues() (map[string]string, error) {
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
		settings := ledger.DefaultSettings()
		if err := setting.Set(&settings, text); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
		values[name] = setting.Show(settings)
	}
	return values, nil
}

func add[T any](values map[string]string, name string, value *T) {
	if value != nil {
		values[name] = fmt.Sprint(*value)
	}
}

// foundLedger stores the settings of a fresh ledger, or reads those of an existing one. The error names all settings
// for which a flag of this process has another value.
func (n *Node) foundLedger(ctx context.Context) error {
	values, err := n.options.Settings.flagValues()
	if err != nil {
		return err
	}
	fallback := ledger.DefaultSettings()
	if clock := n.options.Clock; clock == clockSimulated || clock == clockStatic {
		fallback.RoundTick = simulatedTick
	}
	conflicts, err := n.Database.FoundLedgerSettings(ctx, fallback, values)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return settingsConflict(conflicts)
	}
	n.Settings, err = n.Database.LedgerSettings(ctx)
	return err
}

// simulatedTick is the tick of a fresh ledger whose clock can be advanced: the clock stops at each round, and this
// makes 52 rounds a year.
const simulatedTick = 7 * 24 * time.Hour

// checkSecret refuses a token secret that the other nodes of the ledger do not have. With the keys of an issuer, the
// node does not use the secret.
func (n *Node) checkSecret(ctx context.Context) error {
	settings := n.options.Settings
	if !n.options.Roles.API || settings.AuthKeyFile != "" || settings.AuthJWKSURL != "" {
		return nil
	}
	return n.requireSecret(ctx, settings.AuthSecret)
}

// requireSecret refuses a secret that is not the ledger's.
func (n *Node) requireSecret(ctx context.Context, secret string) error {
	conflicts, err := n.Database.FoundLedgerSettings(ctx, n.Settings, map[string]string{
		ledger.AuthSecret: n.Identity.Digest(secret),
	})
	if err == nil && len(conflicts) > 0 {
		err = settingsConflict(conflicts)
	}
	return err
}

// settingsConflict is the error that lists the flags whose values differ from the ledger's, with the next step.
func settingsConflict(conflicts []db.OtherSetting) error {
	var text strings.Builder
	text.WriteString("this ledger has other settings, which all of its nodes share:")
	for _, other := range conflicts {
		fmt.Fprintf(&text, "\n  --%s", other.Name)
		if !other.Secret {
			fmt.Fprintf(&text, "=%s: the ledger has %s", other.Given, other.InForce)
		}
		switch {
		case other.Secret:
			text.WriteString(": the ledger has another one; start the node with it, or first set the new one with " +
				"`florin config set " + other.Name + "` on a running node")
		case other.Fixed:
			text.WriteString(", which cannot change; leave the setting out, or start a fresh ledger")
		default:
			fmt.Fprintf(&text, " since offset %d; leave the setting out, or change it on a running node with "+
				"`florin config set %s %s`", other.From, other.Name, other.Given)
		}
	}
	return errors.New(text.String())
}
