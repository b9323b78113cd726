package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// Settings are the settings of a ledger, not of a process: the first start stores them with the record, so that every
// node decides a submission the same way. Use [DefaultSettings] and change fields of it.
type Settings struct {
	// Participant and Synchronizer are the first parts of the node's and the synchronizer's ids.
	Participant, Synchronizer string
	// OperatorHint is the hint of the validator operator's party, OperatorUser its wallet user.
	OperatorHint, OperatorUser string
	// AdminUser is the participant administrator that LocalNet's tools expect beside participant_admin.
	AdminUser string
	// RoundTick is half the life of a mining round; the first one stays open for two.
	RoundTick time.Duration
	// AuthSecret is the digest of the secret of development tokens, as [Node.Digest] makes it; empty where no process
	// takes any.
	AuthSecret string

	// CoinPrice is the price of a coin in USD in new rounds.
	CoinPrice decimal.Decimal
	// EnforceTraffic refuses submissions that the node's traffic does not cover.
	EnforceTraffic bool
	// MaxDeduplication is the default deduplication period of submissions.
	MaxDeduplication time.Duration
	// OnboardingWait is how long the onboarding of an external party waits for others to agree.
	OnboardingWait time.Duration
	// MaxProvidedParties is the most parties for which the operator pays a preapproval at the same time; cancelled
	// preapprovals count until their end. 0 is no limit.
	MaxProvidedParties int
	// MaxSelfAllocatedParties: a user with rights to this many parties cannot allocate more for itself. 0: no user can.
	MaxSelfAllocatedParties int
}

// DefaultSettings are the defaults of a new ledger: LocalNet's names for an app user's node.
func DefaultSettings() Settings {
	const day = 24 * time.Hour
	return Settings{
		Participant: "participant", Synchronizer: "global-domain",
		OperatorHint: "app_user_localnet-localparty-1", OperatorUser: "app-user", AdminUser: "ledger-api-user",
		RoundTick: 10 * time.Minute,
		CoinPrice: decimal.MustParse("0.005"), MaxDeduplication: 7 * day, OnboardingWait: 7 * day,
		MaxProvidedParties: 200, MaxSelfAllocatedParties: 10,
	}
}

// Setting describes one of the [Settings].
type Setting struct {
	// Name is that of the flag and of the field of the API.
	Name string
	// Description says what the value means, in a sentence.
	Description string
	// Fixed: the value is given at the first start of the ledger and never changes.
	Fixed bool
	// Secret: the ledger stores only a digest, and no API shows it.
	Secret bool

	field func(*Settings) settingValue
}

type settingValue interface {
	// read takes a value, and reports whether the text is one within the bounds.
	read(text string) bool
	// must is the end of the sentence "it must be".
	must() string
	show() string
}

// AuthSecret is the name of the setting of the secret of development tokens.
const AuthSecret = "auth-secret"

// MaxProvidedPartiesSetting is the name of the setting of how many parties the operator provides preapprovals for.
const MaxProvidedPartiesSetting = "max-provided-parties"

// AllSettings lists the settings, the fixed ones first.
func AllSettings() []Setting {
	text := func(field func(*Settings) *string) func(*Settings) settingValue {
		return func(s *Settings) settingValue { return textValue{field(s)} }
	}
	return []Setting{
		{
			"participant", "First part of the participant id.", true, false,
			text(func(s *Settings) *string { return &s.Participant }),
		},
		{
			"synchronizer", "First part of the synchronizer id.", true, false,
			text(func(s *Settings) *string { return &s.Synchronizer }),
		},
		{
			"operator-hint", "First part of the validator operator's party id.", true, false,
			text(func(s *Settings) *string { return &s.OperatorHint }),
		},
		{
			"operator-user", "Wallet user of the validator operator.", true, false,
			text(func(s *Settings) *string { return &s.OperatorUser }),
		},
		{
			"admin-user", "Second participant administrator, beside participant_admin.", true, false,
			text(func(s *Settings) *string { return &s.AdminUser }),
		},
		{
			"round-tick", "Half the life of a mining round. The first start of the ledger fixes it.", true, false,
			func(s *Settings) settingValue { return durationValue{&s.RoundTick, time.Microsecond} },
		},
		{
			AuthSecret, "Secret of the HS256 tokens that the nodes accept; the value is its digest. To change it, first " +
				"`florin config set auth-secret NEW`, then restart each API node with the new one.",
			false, true, text(func(s *Settings) *string { return &s.AuthSecret }),
		},
		{
			"coin-price", "Price of the coin in USD. A change takes effect with the next round that opens.", false, false,
			func(s *Settings) settingValue { return priceValue{&s.CoinPrice} },
		},
		{
			"enforce-traffic", "Refuse submissions that the node's traffic does not cover. If false, the node only meters traffic.",
			false, false, func(s *Settings) settingValue { return boolValue{&s.EnforceTraffic} },
		},
		{
			"max-deduplication", "Default deduplication period of submissions.", false, false,
			func(s *Settings) settingValue { return durationValue{&s.MaxDeduplication, time.Microsecond} },
		},
		{
			"onboarding-wait", "How long the onboarding of an external party waits for other keys and hosts to agree.",
			false, false, func(s *Settings) settingValue { return durationValue{&s.OnboardingWait, time.Microsecond} },
		},
		{
			MaxProvidedPartiesSetting, "Maximum number of parties for which the operator pays a preapproval at the same time. " +
				"Preapprovals that were cancelled count until their end. 0: no limit.",
			false, false, func(s *Settings) settingValue { return countValue{&s.MaxProvidedParties} },
		},
		{"max-self-allocated-parties", "A user with rights to this many parties cannot allocate more for itself. 0: no " +
			"user can.", false, false, func(s *Settings) settingValue { return countValue{&s.MaxSelfAllocatedParties} }},
	}
}

// FindSetting finds a setting by its name.
func FindSetting(name string) (Setting, bool) {
	for _, setting := range AllSettings() {
		if setting.Name == name {
			return setting, true
		}
	}
	return Setting{}, false
}

// Show returns the value as text that [Setting.Set] reads. Equal values have equal texts.
func (s Setting) Show(settings Settings) string { return s.field(&settings).show() }

// Set reads a value. The error names the setting, the value and what it must be.
func (s Setting) Set(settings *Settings, text string) error {
	changed := *settings
	if value := s.field(&changed); !value.read(text) {
		return fmt.Errorf("%s=%s: it must be %s", s.Name, text, value.must())
	}
	*settings = changed
	return nil
}

// MarshalJSON writes the values as texts by the names of the settings.
func (s Settings) MarshalJSON() ([]byte, error) {
	values := map[string]string{}
	for _, setting := range AllSettings() {
		if text := setting.Show(s); text != "" {
			values[setting.Name] = text
		}
	}
	return json.Marshal(values)
}

// UnmarshalJSON reads what [Settings.MarshalJSON] writes. Missing settings get their defaults; unknown ones belong to a
// newer version and are skipped.
func (s *Settings) UnmarshalJSON(data []byte) error {
	values := map[string]string{}
	if err := json.Unmarshal(data, &values); err != nil {
		return fmt.Errorf("the settings of the ledger: %w", err)
	}
	*s = DefaultSettings()
	for _, setting := range AllSettings() {
		text, ok := values[setting.Name]
		if !ok {
			continue
		}
		if err := setting.Set(s, text); err != nil {
			return fmt.Errorf("the settings of the ledger: %w", err)
		}
	}
	return nil
}

type textValue struct{ to *string }

func (v textValue) show() string { return *v.to }
func (v textValue) must() string { return "a text that is not empty" }

func (v textValue) read(text string) bool {
	*v.to = text
	return text != ""
}

type boolValue struct{ to *bool }

func (v boolValue) show() string { return strconv.FormatBool(*v.to) }
func (v boolValue) must() string { return "true or false" }

func (v boolValue) read(text string) bool {
	*v.to = text == "true"
	return *v.to || text == "false"
}

type durationValue struct {
	to  *time.Duration
	min time.Duration
}

func (v durationValue) show() string { return v.to.String() }

func (v durationValue) must() string {
	if v.min > 0 {
		return "a duration above zero and of at most 2562047h (292 years), as in 168h"
	}
	return "a duration from zero to 2562047h (292 years), as in 20m"
}

func (v durationValue) read(text string) bool {
	duration, err := time.ParseDuration(text)
	*v.to = duration
	return err == nil && duration >= v.min
}

type priceValue struct{ to *decimal.Decimal }

// maxPrice bounds the coin price: above it, fees and rewards would be too small for ten decimal places.
var maxPrice = decimal.FromInt(1_000_000)

func (v priceValue) show() string { return v.to.Show() }

func (v priceValue) must() string {
	return "a positive decimal of at most 1000000, with at most ten places"
}

func (v priceValue) read(text string) bool {
	price, err := decimal.Parse(text)
	*v.to = price
	return err == nil && price.Sign() > 0 && price.Cmp(maxPrice) <= 0
}

type countValue struct{ to *int }

func (v countValue) show() string { return strconv.Itoa(*v.to) }
func (v countValue) must() string { return "a whole number, zero or more" }

func (v countValue) read(text string) bool {
	count, err := strconv.Atoi(text)
	*v.to = count
	return err == nil && count >= 0
}
