package db

import (
	"bytes"
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// AutomationSetting is the setting of an automation for a wallet. The automation defines the JSON of the values; nil is
// no value.
type AutomationSetting struct {
	Kind string
	// Party is the wallet; empty for a setting of the whole node.
	Party ledger.Party
	// Configured is the value of the configuration, Chosen the later value of the operator, if IsChosen.
	Configured []byte
	IsChosen   bool
	Chosen     []byte
}

// Value is the value in force.
func (s AutomationSetting) Value() []byte {
	if s.IsChosen {
		return s.Chosen
	}
	return s.Configured
}

// AutomationSetting reads a setting. A setting that nobody made has neither value.
func (r Reader) AutomationSetting(ctx context.Context, kind string, party ledger.Party) (AutomationSetting, error) {
	row, err := r.queries.GetAutomationSetting(ctx, dbgen.GetAutomationSettingParams{Kind: kind, Party: party})
	if isNoRows(err) {
		return AutomationSetting{Kind: kind, Party: party}, nil
	}
	return fromDBSetting(row), failed("reading a setting", err)
}

// AutomationSettings pages through the settings of a kind in byte order of their parties, also those that are switched
// off.
func (r Reader) AutomationSettings(
	ctx context.Context, kind string, after ledger.Party, limit int32,
) ([]AutomationSetting, error) {
	return r.listSettings(ctx, dbgen.ListAutomationSettingsParams{Kind: kind, After: after, CountMax: limit})
}

// EffectiveSettings pages through the settings of a kind that have a value in force, in byte order of their parties.
func (r Reader) EffectiveSettings(
	ctx context.Context, kind string, after ledger.Party, limit int32,
) ([]AutomationSetting, error) {
	return r.listSettings(ctx, dbgen.ListAutomationSettingsParams{
		Kind: kind, After: after, CountMax: limit, OnlyEffective: true,
	})
}

func (r Reader) listSettings(
	ctx context.Context, params dbgen.ListAutomationSettingsParams,
) ([]AutomationSetting, error) {
	rows, err := r.queries.ListAutomationSettings(ctx, params)
	settings := make([]AutomationSetting, len(rows))
	for i, row := range rows {
		settings[i] = fromDBSetting(row)
	}
	return settings, failed("listing settings", err)
}

// ConfigureAutomation replaces all configured values by those of a configuration. Values that the operator chose stay
// in force. The name identifies the configuration in the audit log.
func (d *DB) ConfigureAutomation(ctx context.Context, name string, configured []AutomationSetting) error {
	ctx = ForCaller(ctx, Caller{Origin: ledger.Origin{Operation: "configuration " + name}})
	return d.InTx(ctx, func(tx *Tx) error {
		if err := tx.queries.LockAutomationSettings(ctx); err != nil {
			return failed("locking the settings", err)
		}
		rows, err := tx.queries.ListConfigured(ctx)
		if err != nil {
			return failed("reading the configured settings", err)
		}
		var params dbgen.ConfigureAutomationParams
		add := func(kind string, party ledger.Party, value []byte) {
			params.Kinds = append(params.Kinds, kind)
			params.Parties = append(params.Parties, string(party))
			params.Configured = append(params.Configured, string(value))
		}
		type wallet struct {
			kind  string
			party ledger.Party
		}
		old := make(map[wallet][]byte, len(rows))
		for _, row := range rows {
			old[wallet{row.Kind, row.Party}] = row.Configured
		}
		for _, setting := range configured {
			known := wallet{setting.Kind, setting.Party}
			if !bytes.Equal(old[known], setting.Configured) {
				add(setting.Kind, setting.Party, setting.Configured)
			}
			delete(old, known)
		}
		for gone := range old {
			add(gone.kind, gone.party, nil)
		}
		if len(params.Kinds) == 0 {
			return nil
		}
		if err := tx.queries.ConfigureAutomation(ctx, params); err != nil {
			return failed("storing the configured settings", err)
		}
		return tx.settingsChanged(ctx)
	})
}

// ChooseAutomation stores the operator's value for a kind and a wallet; nil switches it off. From now on the value
// overrides the configuration, until [DB.ResetAutomation].
func (d *DB) ChooseAutomation(
	ctx context.Context, kind string, party ledger.Party, value []byte,
) (AutomationSetting, error) {
	return d.changeSetting(ctx, dbgen.ChooseAutomationSettingParams{
		Kind: kind, Party: party, IsChosen: true, Chosen: value,
	})
}

// ResetAutomation puts the configured value of a kind and a wallet in force. Nothing changes if it already is.
func (d *DB) ResetAutomation(ctx context.Context, kind string, party ledger.Party) (AutomationSetting, error) {
	return d.changeSetting(ctx, dbgen.ChooseAutomationSettingParams{Kind: kind, Party: party})
}

func (d *DB) changeSetting(
	ctx context.Context, params dbgen.ChooseAutomationSettingParams,
) (changed AutomationSetting, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if err := tx.queries.LockAutomationSettings(ctx); err != nil {
			return failed("locking the settings", err)
		}
		if changed, err = tx.AutomationSetting(ctx, params.Kind, params.Party); err != nil {
			return err
		}
		if !params.IsChosen && !changed.IsChosen {
			return nil
		}
		if err := tx.queries.ChooseAutomationSetting(ctx, params); err != nil {
			return failed("changing a setting", err)
		}
		changed.IsChosen, changed.Chosen = params.IsChosen, params.Chosen
		return tx.settingsChanged(ctx)
	})
	return changed, err
}

// settingsChanged deletes settings without any value, and wakes the callers of the due work.
func (t *Tx) settingsChanged(ctx context.Context) error {
	if err := t.queries.ForgetAutomationSettings(ctx); err != nil {
		return failed("forgetting settings", err)
	}
	return failed("waking the automations", t.queries.CallAutomations(ctx))
}

// LastUpdateOf is the offset of the last transaction that a party sees and that was not pruned; 0 without one.
func (r Reader) LastUpdateOf(ctx context.Context, party ledger.Party) (ledger.Offset, error) {
	last, err := r.queries.LastUpdateOfParty(ctx, party)
	return ledger.Offset(last), failed("looking for the last transaction of a party", err)
}

func fromDBSetting(row dbgen.AutomationSetting) AutomationSetting {
	return AutomationSetting{
		Kind: row.Kind, Party: row.Party, Configured: row.Configured, IsChosen: row.IsChosen, Chosen: row.Chosen,
	}
}
