package db

import (
	"context"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// everyUser is the id that stands for all users when changes are announced.
const everyUser = ""

// CreateIdentityProvider stores a new identity provider. Faults: IDP_CONFIG_ALREADY_EXISTS,
// IDP_CONFIG_ISSUER_ALREADY_EXISTS, TOO_MANY_IDENTITY_PROVIDER_CONFIGS.
func (d *DB) CreateIdentityProvider(ctx context.Context, provider ledger.IdentityProvider) error {
	return d.changeIdentityProviders(ctx, func(tx *Tx, all []ledger.IdentityProvider) error {
		for _, other := range all {
			if other.ID == provider.ID {
				return fault.IDPConfigAlreadyExistsNamed(provider.ID)
			}
		}
		if err := checkIssuerIsFree(all, provider); err != nil {
			return err
		}
		if len(all) >= ledger.MaxIdentityProviders {
			return fault.TooManyIdentityProviderConfigs.
				New("creating identity provider %q failed: there are %d already, and no more are allowed",
					provider.ID, len(all)).WithResource("IDENTITY_PROVIDER_CONFIG", provider.ID)
		}
		return failed("creating an identity provider", tx.queries.InsertIdentityProvider(ctx,
			dbgen.InsertIdentityProviderParams{
				ID: provider.ID, Issuer: provider.Issuer, JwksUrl: provider.JWKSURL, Audience: provider.Audience,
				IsDeactivated: provider.IsDeactivated,
			}))
	})
}

// IdentityProvider finds an identity provider; false when there is none of this id.
func (r Reader) IdentityProvider(ctx context.Context, id string) (ledger.IdentityProvider, bool, error) {
	return fromDBFoundProvider(r.queries.GetIdentityProvider(ctx, id))
}

// IdentityProviderByIssuer finds the identity provider whose tokens name the issuer; false when there is none.
func (r Reader) IdentityProviderByIssuer(ctx context.Context, issuer string) (ledger.IdentityProvider, bool, error) {
	return fromDBFoundProvider(r.queries.GetIdentityProviderByIssuer(ctx, issuer))
}

// IdentityProviders lists all identity providers in byte order of their ids. The default one is not among them.
func (r Reader) IdentityProviders(ctx context.Context) ([]ledger.IdentityProvider, error) {
	rows, err := r.queries.ListIdentityProviders(ctx)
	providers := make([]ledger.IdentityProvider, len(rows))
	for i, row := range rows {
		providers[i] = fromDBIdentityProvider(row)
	}
	return providers, failed("listing identity providers", err)
}

// UpdateIdentityProvider changes an identity provider: change edits it; its error ends the update. The id cannot
// change. Faults: IDP_CONFIG_NOT_FOUND, IDP_CONFIG_ISSUER_ALREADY_EXISTS, and those of change.
func (d *DB) UpdateIdentityProvider(
	ctx context.Context, id string, change func(*ledger.IdentityProvider) error,
) (ledger.IdentityProvider, error) {
	var updated ledger.IdentityProvider
	err := d.changeIdentityProviders(ctx, func(tx *Tx, all []ledger.IdentityProvider) error {
		found := false
		for _, provider := range all {
			if provider.ID == id {
				updated, found = provider, true
			}
		}
		if !found {
			return fault.IDPConfigNotFoundNamed(id)
		}
		if err := change(&updated); err != nil {
			return err
		}
		updated.ID = id
		if err := checkIssuerIsFree(all, updated); err != nil {
			return err
		}
		return failed("updating an identity provider", tx.queries.UpdateIdentityProvider(ctx,
			dbgen.UpdateIdentityProviderParams{
				ID: id, Issuer: updated.Issuer, JwksUrl: updated.JWKSURL, Audience: updated.Audience,
				IsDeactivated: updated.IsDeactivated,
			}))
	})
	return updated, err
}

// DeleteIdentityProvider deletes an identity provider. Faults: IDP_CONFIG_NOT_FOUND, and INVALID_ARGUMENT while users
// or parties belong to it.
func (d *DB) DeleteIdentityProvider(ctx context.Context, id string) error {
	return d.changeIdentityProviders(ctx, func(tx *Tx, _ []ledger.IdentityProvider) error {
		deleted, err := tx.queries.DeleteIdentityProvider(ctx, id)
		if err == nil && deleted == 0 {
			return fault.IDPConfigNotFoundNamed(id)
		}
		return failed("deleting an identity provider", explainInUse(err, id))
	})
}

// changeIdentityProviders runs a change while nobody else makes one, and tells the watchers, because the rights of
// tokens depend on it.
func (d *DB) changeIdentityProviders(
	ctx context.Context, change func(*Tx, []ledger.IdentityProvider) error,
) error {
	return d.changeUser(ctx, everyUser, func(tx *Tx) error {
		if err := tx.queries.LockIdentityProviders(ctx); err != nil {
			return failed("locking the identity providers", err)
		}
		if err := tx.checkCaller(ctx); err != nil { // the change may take the caller's own rights
			return err
		}
		all, err := tx.IdentityProviders(ctx)
		if err != nil {
			return err
		}
		return change(tx, all)
	})
}

func checkIssuerIsFree(all []ledger.IdentityProvider, provider ledger.IdentityProvider) error {
	for _, other := range all {
		if other.ID != provider.ID && other.Issuer == provider.Issuer {
			return fault.IDPConfigIssuerAlreadyExistsNamed(provider.Issuer)
		}
	}
	return nil
}

func fromDBFoundProvider(row dbgen.IdentityProvider, err error) (ledger.IdentityProvider, bool, error) {
	if isNoRows(err) {
		return ledger.IdentityProvider{}, false, nil
	}
	if err != nil {
		return ledger.IdentityProvider{}, false, failed("reading an identity provider", err)
	}
	return fromDBIdentityProvider(row), true, nil
}

func fromDBIdentityProvider(row dbgen.IdentityProvider) ledger.IdentityProvider {
	return ledger.IdentityProvider{
		ID: row.ID, IsDeactivated: row.IsDeactivated, Issuer: row.Issuer, JWKSURL: row.JwksUrl, Audience: row.Audience,
	}
}
