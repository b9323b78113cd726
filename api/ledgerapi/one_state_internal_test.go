package ledgerapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/auth"
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// changingCatalog is a catalog that changes at each call: first it has the given packages, then none.
type changingCatalog struct {
	packages *ledger.Packages
	asked    int
}

func (c *changingCatalog) Snapshot() *ledger.Packages {
	c.asked++
	if c.asked > 1 {
		return &ledger.Packages{}
	}
	return c.packages
}

func (c *changingCatalog) For(context.Context) (*ledger.Packages, error) { return c.Snapshot(), nil }

// partyRecord is a record without contracts, in which every party exists.
type partyRecord struct{ LedgerStore }

func (partyRecord) Parties(_ context.Context, parties []ledger.Party) ([]ledger.PartyDetails, error) {
	var known []ledger.PartyDetails
	for _, party := range parties {
		known = append(known, ledger.PartyDetails{Party: party})
	}
	return known, nil
}

func (partyRecord) Contract(context.Context, ledger.ContractID) (db.StoredContract, bool, error) {
	return db.StoredContract{}, false, nil
}

// The packages change during prepare. The interpretation, the text for the signer and the check of disclosed contracts
// use the same packages.
func TestPrepare_UsesOneStateOfPackages(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(ledgertest.Packages()...)
	require.NoError(t, err)
	catalog := &changingCatalog{packages: packages}
	a := &API{
		catalog: catalog, record: partyRecord{}, settings: withDefaults(Settings{}), now: time.Now,
		node: ledger.Node{ParticipantID: "participant::1220ab", SynchronizerID: "global::1220ab"},
	}
	const alice = "alice::1220aa"
	disclosed, err := ledger.EncodeBlob(ledger.Contract{
		ID: "00ab", Template: lf.TypeName{Package: ledgertest.ModelPackage, Module: "Test.Model", Entity: "Iou"},
		PackageName: "test-model", Payload: []byte(`{}`), Signatories: []ledger.Party{alice}, CreatedAt: time.Now().UTC(),
	})
	require.NoError(t, err)
	user := "signer"
	prepare := prepareRequest{JsPrepareSubmissionRequest{
		CommandID: "1", ActAs: []string{alice}, UserID: &user, SynchronizerID: nil,
		Commands: []Command{{CreateCommand: &CreateCommand{
			TemplateID:      lf.TypeName{Package: "#test-model", Module: "Test.Model", Entity: "Iou"},
			CreateArguments: []byte(`{"issuer":"` + alice + `","owner":"` + alice + `","observers":[],"amount":"1"}`),
		}}},
	}}
	ctx := endpoint.WithClaims(t.Context(), auth.Wildcard())
	prepared, err := a.prepareSubmission(ctx, prepare)
	require.NoError(t, err)
	require.NotEmpty(t, prepared.PreparedTransaction)
	require.Equal(t, 1, catalog.asked)

	name := lf.TypeName{Package: ledgertest.OlderModel, Module: "Test.Model", Entity: "Iou"}
	catalog.asked = 0
	prepare.Body.DisclosedContracts = []DisclosedContract{{CreatedEventBlob: disclosed, TemplateID: &name}}
	_, err = a.prepareSubmission(ctx, prepare)
	require.NotContains(t, err.Error(), "Mismatch between DisclosedContract.template_id")
	require.Equal(t, 1, catalog.asked)
}
