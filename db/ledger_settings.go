package db

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
)

// LastSettingChange is the last change of one of the ledger's settings.
type LastSettingChange struct {
	// From is the first offset to which the value applies.
	From ledger.Offset
	At   time.Time
	// By is the zero value for the first start of the ledger.
	By ledger.Identity
}

// OtherSetting is a setting for which a process got another value than the ledger has.
type OtherSetting struct {
	ledger.Setting

	// Given is the value of the process, InForce that of the ledger since the offset From.
	Given, InForce string
	From           ledger.Offset
}

// LedgerSettings reads the present settings of the ledger. A setting that is not stored has its default.
func (r Reader) LedgerSettings(ctx context.Context) (ledger.Settings, error) {
	row, err := r.queries.GetLedgerSettings(ctx)
	if err != nil {
		return ledger.Settings{}, failed("reading the settings of the ledger", err)
	}
	return fromDBLedgerSettings(row)
}

func fromDBLedgerSettings(row []byte) (settings ledger.Settings, err error) {
	return settings, json.Unmarshal(row, &settings)
}

// FoundLedgerSettings stores the settings that the ledger lacks: the given values, by name, or those of fallback. It
// changes no stored setting, and returns those for which another value was given.
func (d *DB) FoundLedgerSettings(
	ctx context.Context, fallback ledger.Settings, given map[string]string,
) (others []OtherSetting, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		others = nil
		head, err := tx.LockHead(ctx)
		if err != nil {
			return err
		}
		rows, err := tx.queries.ListLedgerSettings(ctx)
		if err != nil {
			return failed("reading the settings of the ledger", err)
		}
		stored := make(map[string]dbgen.LedgerSetting, len(rows))
		for _, row := range rows {
			stored[row.Name] = row
		}
		for _, setting := range ledger.AllSettings() {
			value, isGiven := given[setting.Name]
			row, isStored := stored[setting.Name]
			switch {
			case isStored && isGiven && row.Value != value:
				others = append(others, OtherSetting{setting, value, row.Value, ledger.Offset(row.FromOffset)})
				continue
			case isStored:
				continue
			case !isGiven:
				value = setting.Show(fallback)
			default:
				if err := setting.Set(&ledger.Settings{}, value); err != nil {
					return err
				}
			}
			if value == "" {
				continue
			}
			if _, err := tx.storeSetting(ctx, head, setting.Name, value); err != nil {
				return err
			}
		}
		return nil
	})
	return others, err
}

// ChangeLedgerSetting changes a setting, by its name, for all later commits. In the same transaction it wakes the
// proposals that wait for the change, and in a second one those that were planned in the meantime. If the second fails,
// the setting counts, and the same change again wakes the rest. It reports whether the value changed. The value must be
// one that [ledger.Setting.Show] makes.
func (d *DB) ChangeLedgerSetting(ctx context.Context, name, value string) (changed bool, err error) {
	err = d.InTx(ctx, func(tx *Tx) error {
		if name == ledger.MaxProvidedPartiesSetting {
			if err := tx.wakeProposals(ctx); err != nil {
				return err
			}
		}
		head, err := tx.LockHead(ctx)
		if err != nil {
			return err
		}
		changed, err = tx.storeSetting(ctx, head, name, value)
		return err
	})
	if err != nil || name != ledger.MaxProvidedPartiesSetting {
		return changed, err
	}
	// Proposals that came or were planned meanwhile used the old value.
	return changed, d.InTx(ctx, func(tx *Tx) error { return tx.wakeAllProposals(ctx) })
}

// storeSetting stores a value that counts from the offset after the head on.
func (t *Tx) storeSetting(ctx context.Context, head Head, name, value string) (changed bool, err error) {
	count, err := t.queries.StoreLedgerSetting(ctx, dbgen.StoreLedgerSettingParams{
		Name: name, Value: value, FromOffset: int64(head.Offset) + 1,
	})
	return count > 0, failed("storing a setting of the ledger", err)
}

// LastSettingChanges reads the last change of each of the ledger's settings, by name, from the audit log.
func (r Reader) LastSettingChanges(ctx context.Context) (map[string]LastSettingChange, error) {
	rows, err := r.queries.ListLastSettingChanges(ctx)
	last := make(map[string]LastSettingChange, len(rows))
	for _, row := range rows {
		last[row.Name] = LastSettingChange{
			From: ledger.Offset(row.FromOffset), At: row.ChangedAt.UTC(),
			By: ledger.Identity{IdentityProviderID: row.IdentityProviderID, UserID: row.UserID},
		}
	}
	return last, failed("reading the settings of the ledger", err)
}
