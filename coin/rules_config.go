package coin

import (
	"reflect"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesSetConfig changes the fields of the configuration that differ between the base and the new one. It keeps
// all others, so that two changes that were prepared at the same time do not undo each other.
type AmuletRulesSetConfig struct {
	_          struct{}     `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_SetConfig"`
	NewConfig  AmuletConfig `lf:"newConfig"`
	BaseConfig AmuletConfig `lf:"baseConfig"`
}

// AmuletRulesSetConfigResult is the result of [AmuletRulesSetConfig].
type AmuletRulesSetConfigResult struct {
	_              struct{}            `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_SetConfigResult"`
	NewAmuletRules lf.CID[AmuletRules] `lf:"newAmuletRules"`
}

// AmuletRulesAddFutureAmuletConfigSchedule planned a change of the configuration.
type AmuletRulesAddFutureAmuletConfigSchedule struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AddFutureAmuletConfigSchedule"`

	NewScheduleItem lf.Tuple2[lf.Timestamp, AmuletConfig] `lf:"newScheduleItem"`
}

// AmuletRulesAddFutureAmuletConfigScheduleResult was the result of [AmuletRulesAddFutureAmuletConfigSchedule].
type AmuletRulesAddFutureAmuletConfigScheduleResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_AddFutureAmuletConfigScheduleResult"`

	NewAmuletRules lf.CID[AmuletRules] `lf:"newAmuletRules"`
}

// AmuletRulesRemoveFutureAmuletConfigSchedule dropped a planned change.
type AmuletRulesRemoveFutureAmuletConfigSchedule struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_RemoveFutureAmuletConfigSchedule"`

	ScheduleTime lf.Timestamp `lf:"scheduleTime"`
}

// AmuletRulesRemoveFutureAmuletConfigScheduleResult was the result of [AmuletRulesRemoveFutureAmuletConfigSchedule].
type AmuletRulesRemoveFutureAmuletConfigScheduleResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_RemoveFutureAmuletConfigScheduleResult"`

	NewAmuletRules lf.CID[AmuletRules] `lf:"newAmuletRules"`
}

// AmuletRulesUpdateFutureAmuletConfigSchedule changed a planned change.
type AmuletRulesUpdateFutureAmuletConfigSchedule struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UpdateFutureAmuletConfigSchedule"`

	ScheduleItem lf.Tuple2[lf.Timestamp, AmuletConfig] `lf:"scheduleItem"`
}

// AmuletRulesUpdateFutureAmuletConfigScheduleResult was the result of [AmuletRulesUpdateFutureAmuletConfigSchedule].
type AmuletRulesUpdateFutureAmuletConfigScheduleResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_UpdateFutureAmuletConfigScheduleResult"`

	NewAmuletRules lf.CID[AmuletRules] `lf:"newAmuletRules"`
}

func configChoices() []ledger.ChoiceOf[AmuletRules] {
	type (
		set    = AmuletRulesSetConfig
		add    = AmuletRulesAddFutureAmuletConfigSchedule
		remove = AmuletRulesRemoveFutureAmuletConfigSchedule
		update = AmuletRulesUpdateFutureAmuletConfigSchedule
	)
	const since = "0.1.12"
	return []ledger.ChoiceOf[AmuletRules]{
		ledger.Choice[AmuletRules, set, AmuletRulesSetConfigResult]{
			Consuming:   true,
			Controllers: func(r AmuletRules, _ set) []Party { return []Party{r.DSO} },
			Body:        setConfig,
		},
		deprecatedChoice[AmuletRulesAddFutureAmuletConfigScheduleResult]("AmuletRules_AddFutureAmuletConfigSchedule",
			since, true, func(r AmuletRules, _ add) []Party { return []Party{r.DSO} }),
		deprecatedChoice[AmuletRulesRemoveFutureAmuletConfigScheduleResult](
			"AmuletRules_RemoveFutureAmuletConfigSchedule",
			since, true, func(r AmuletRules, _ remove) []Party { return []Party{r.DSO} }),
		deprecatedChoice[AmuletRulesUpdateFutureAmuletConfigScheduleResult](
			"AmuletRules_UpdateFutureAmuletConfigSchedule",
			since, true, func(r AmuletRules, _ update) []Party { return []Party{r.DSO} }),
	}
}

func setConfig(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesSetConfig,
) (result AmuletRulesSetConfigResult, err error) {
	rules.ConfigSchedule.InitialValue = patched(rules.config(), arg.BaseConfig, arg.NewConfig)
	result.NewAmuletRules, err = ledger.Create(tx, rules)
	return result, err
}

// patched is the current record with the fields from next that differ between base and next. It patches inner records
// field by field too, but replaces lists and optionals as a whole.
func patched[T any](current, base, next T) T {
	patch(reflect.ValueOf(&current).Elem(), reflect.ValueOf(base), reflect.ValueOf(next))
	return current
}

func patch(current, base, next reflect.Value) {
	if !isRecord(current.Type()) {
		if !sameValue(base, next) {
			current.Set(next)
		}
		return
	}
	for i := range current.NumField() {
		if current.Type().Field(i).Name != "_" {
			patch(current.Field(i), base.Field(i), next.Field(i))
		}
	}
}

// isRecord distinguishes records of the ledger, which have their name in a blank field, from other structs such as
// decimals.
func isRecord(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	_, named := t.FieldByName("_")
	return named
}

// sameValue compares values of a configuration: decimals by their value, everything else by its parts.
func sameValue(a, b reflect.Value) bool {
	if amount, ok := reflect.TypeAssert[decimal.Decimal](a); ok {
		other, _ := reflect.TypeAssert[decimal.Decimal](b)
		return amount.Equal(other)
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return sameValue(a.Elem(), b.Elem())
	case reflect.Slice:
		same := a.Len() == b.Len()
		for i := 0; same && i < a.Len(); i++ {
			same = sameValue(a.Index(i), b.Index(i))
		}
		return same
	case reflect.Struct:
		same := true
		for i := 0; same && i < a.NumField(); i++ {
			same = a.Type().Field(i).Name == "_" || sameValue(a.Field(i), b.Field(i))
		}
		return same
	default:
		return a.Equal(b)
	}
}
