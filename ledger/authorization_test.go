package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestAuthorization_CreateNeedsEverySignatory(t *testing.T) {
	t.Parallel()
	coupon := ledgertest.Coupon{Issuer: alice, Holder: bob}
	for _, c := range []struct {
		actAs   []ledger.Party
		missing string // "" when it is allowed
	}{
		{[]ledger.Party{alice, bob}, ""},
		{[]ledger.Party{alice, bob, charlie}, ""},
		{[]ledger.Party{alice}, "bob::1220b0"},
		{[]ledger.Party{bob}, "alice::1220a1"},
		{[]ledger.Party{charlie}, "alice::1220a1"},
	} {
		book := newLedger(t)
		_, err := ledgertest.Create(book, as(c.actAs...), coupon)
		if c.missing == "" {
			require.NoError(t, err)
			continue
		}
		requireRefused(t, err, fault.DamlAuthorizationError,
			"create of Test.Model:Coupon requires authorizers '"+c.missing+"'")
		require.Empty(t, book.Active)
	}
}

func TestAuthorization_ReadAsGivesNoAuthority(t *testing.T) {
	t.Parallel()
	by := as(bob)
	by.ReadAs = []ledger.Party{alice}
	_, err := ledgertest.Create(newLedger(t), by, iou())
	requireRefused(t, err, fault.DamlAuthorizationError, "alice")
}

func TestAuthorization_ExerciseNeedsEveryController(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	_, err := ledgertest.Exercise[lf.CID[ledgertest.Iou]](book, as(alice), id, ledgertest.TransferIou{NewOwner: charlie})
	requireRefused(t, err, fault.DamlAuthorizationError,
		"exercise of TransferIou in Test.Model:Iou requires authorizers 'bob::1220b0', but only 'alice::1220a1' were given")
	_, err = ledgertest.Exercise[ledgertest.Iou](book, as(bob), id, ledgertest.Inspect{By: []ledger.Party{bob, charlie}})
	requireRefused(t, err, fault.DamlAuthorizationError, "'charlie::1220c4'")
	seen, err := ledgertest.Exercise[ledgertest.Iou](book, as(bob, charlie), id,
		ledgertest.Inspect{By: []ledger.Party{charlie, bob, bob}})
	require.NoError(t, err)
	require.Equal(t, bob, seen.Owner)
}

func TestAuthorization_RefusesChoiceWithoutControllers(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	_, err := ledgertest.Exercise[ledgertest.Iou](book, as(alice, bob), id, ledgertest.Inspect{})
	requireRefused(t, err, fault.DamlInterpretationError, "choice Inspect of Test.Model:Iou has no controllers")
}

func TestAuthorization_BodyActsAsSignatoriesAndControllers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		broker  ledgertest.Broker
		issuer  ledger.Party
		allowed bool
	}{
		"as the signatory":                  {broker(), alice, true},
		"as the controller":                 {broker(), bob, true},
		"as nobody else":                    {broker(), charlie, false},
		"not as a submitter without a role": {broker(), diana, false},
		"not as observers of the contract":  {ledgertest.Broker{Operator: diana, Client: bob}, alice, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book := newLedger(t)
			id := create(t, book, c.broker, c.broker.Operator)
			// diana submits too, but the first choice does not pass her authority on
			_, err := ledgertest.Exercise[lf.CID[ledgertest.Iou]](book, as(bob, diana), id,
				ledgertest.Issue{Issuer: c.issuer})
			if c.allowed {
				require.NoError(t, err)
				return
			}
			requireRefused(t, err, fault.DamlAuthorizationError,
				"create of Test.Model:Iou requires authorizers '"+string(c.issuer)+"'")
		})
	}
}

func TestAuthorization_PassesFromChoiceToChoice(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	brokerID := create(t, book, broker(), alice)
	by := as(bob, diana)
	by.ReadAs = []ledger.Party{alice} // to find the contracts; it gives no authority
	settle := func(owner ledger.Party, witness ...ledger.Party) error {
		payload := iou()
		payload.Owner = owner
		_, err := ledgertest.Exercise[lf.CID[ledgertest.Iou]](book, by, brokerID,
			ledgertest.Settle{Iou: create(t, book, payload, alice), To: charlie, Witness: witness})
		return err
	}
	require.NoError(t, settle(bob), "bob, who controls the outer choice, controls the inner one")
	require.NoError(t, settle(alice), "alice, who signs the outer contract, controls the inner one")
	require.NoError(t, settle(bob, bob, alice))
	requireRefused(t, settle(charlie), fault.DamlAuthorizationError, "exercise of TransferIou")
	requireRefused(t, settle(bob, diana), fault.DamlAuthorizationError,
		"exercise of Inspect in Test.Model:Iou requires authorizers 'diana::1220d1', "+
			"but only 'alice::1220a1', 'bob::1220b0' were given")
}

func TestAuthorization_FetchNeedsAStakeholder(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	// alice operates a broker for bob; the contract to look at is charlie's and diana's
	foreign := ledgertest.Iou{Issuer: charlie, Owner: diana, Amount: iou().Amount}
	foreignID := create(t, book, foreign, charlie)
	observed := foreign
	observed.Observers = []ledger.Party{bob}
	observedID := create(t, book, observed, charlie)
	brokerID := create(t, book, broker(), alice)
	by := as(bob).Disclose(book.Active[foreignID.ID()])

	_, err := ledgertest.Exercise[ledgertest.AssetView](book, by, brokerID, ledgertest.Look{Iou: foreignID})
	requireRefused(t, err, fault.DamlAuthorizationError, "fetch of Test.Model:Iou requires one of the stakeholders "+
		"'charlie::1220c4', 'diana::1220d1', but only 'alice::1220a1', 'bob::1220b0' were given")
	view, err := ledgertest.Exercise[ledgertest.AssetView](book, by, brokerID, ledgertest.Look{Iou: observedID})
	require.NoError(t, err, "an observer is enough")
	require.Equal(t, diana, view.Owner)
}

func TestAuthorization_ArchiveNeedsAllSignatories(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, ledgertest.Coupon{Issuer: alice, Holder: bob}, alice, bob)
	_, err := ledgertest.Exercise[lf.Unit](book, as(alice), id, lf.Archive{})
	requireRefused(t, err, fault.DamlAuthorizationError, "exercise of Archive in Test.Model:Coupon")
	_, err = ledgertest.Exercise[lf.Unit](book, as(alice, bob), id, lf.Archive{})
	require.NoError(t, err)
	require.Empty(t, book.Active)
}
