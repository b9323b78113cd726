package coin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func (n network) license(t *testing.T) lf.CID[coin.ValidatorLicense] {
	t.Helper()
	return create(t, n, coin.ValidatorLicense{Validator: alice, Sponsor: provider, DSO: dso}, dso)
}

func exerciseLicense[R, A any](
	n network, by ledger.Party, id lf.CID[coin.ValidatorLicense], argument A,
) (R, error) {
	return ledgertest.Exercise[R](n.Ledger, n.public(by).Disclose(n.Active[id.ID()]), id, argument)
}

func TestValidatorLicense_RecordsActivityOncePerRound(t *testing.T) {
	t.Parallel()
	type result = coin.ValidatorLicenseRecordValidatorLivenessActivityResult
	n := startNetwork(t)
	id := n.license(t)
	record := func(by ledger.Party, round int64) (result, error) {
		return exerciseLicense[result](n, by, id,
			coin.ValidatorLicenseRecordValidatorLivenessActivity{OpenRoundCid: n.rounds[round]})
	}
	_, err := record(bob, 0)
	requireRefused(t, err, noAuth, "alice")
	_, err = record(alice, 2)
	requireRefused(t, err, assertion, "OpenRound is open")
	first, err := record(alice, 0)
	require.NoError(t, err)
	require.Equal(t, coin.ValidatorLivenessActivityRecord{DSO: dso, Validator: alice}, payload(t, n, first.CouponCid))
	require.Equal(t, coin.ValidatorLicense{
		Validator: alice, Sponsor: alice, DSO: dso, FaucetState: &coin.FaucetState{}, LastActiveAt: new(n.at(0)),
	}, payload(t, n, first.LicenseCid))
	id = first.LicenseCid
	_, err = record(alice, 0)
	requireRefused(t, err, assertion, "Not yet received")
	second, err := record(alice, 1)
	require.NoError(t, err)
	require.Zero(t, payload(t, n, second.LicenseCid).FaucetState.NumCouponsMissed)

	n.Now = n.Now.Add(day)
	for number := range int64(3) {
		_, err := n.advance(number, "0.005")
		require.NoError(t, err)
		n.Now = n.Now.Add(tick)
	}
	id = second.LicenseCid
	later, err := record(alice, 5)
	require.NoError(t, err)
	require.Equal(t, coin.FaucetState{LastReceivedFor: coin.Round{Number: 5}, NumCouponsMissed: 3},
		*payload(t, n, later.LicenseCid).FaucetState)
	contract := n.Active[later.LicenseCid.ID()]
	require.Equal(t, []ledger.Party{dso}, contract.Signatories)
	require.Equal(t, []ledger.Party{alice}, contract.Observers)

	_, err = exerciseLicense[coin.ValidatorLicenseReceiveFaucetCouponResult](n, alice, later.LicenseCid,
		coin.ValidatorLicenseReceiveFaucetCoupon{OpenRoundCid: n.rounds[5]})
	requireRefused(t, err, general, "use ValidatorLicense_RecordValidatorLivenessActivity")
}

func TestValidatorLicense_ReportsItsVersionHourly(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	id := n.license(t)
	update := func(version, contact string) error {
		result, err := exerciseLicense[coin.ValidatorLicenseUpdateMetadataResult](n, alice, id,
			coin.ValidatorLicenseUpdateMetadata{Version: version, ContactPoint: contact})
		if err == nil {
			id = result.LicenseCid
		}
		return err
	}
	requireRefused(t, update(strings.Repeat("1", 256), "alice@example.org"), notValid, "ValidatorLicense")
	requireRefused(t, update("1.0", strings.Repeat("a", 256)), notValid, "ValidatorLicense")
	require.NoError(t, update("1.0", strings.Repeat("é", 255)))
	require.NoError(t, func() error { n.Now = n.Now.Add(time.Hour); return update("1.0", "alice@example.org") }())
	requireRefused(t, update("1.0", "alice@example.org"), assertion, "Metadata has changed")
	n.Now = n.Now.Add(time.Hour - time.Microsecond)
	requireRefused(t, update("1.1", "alice@example.org"), assertion, "since the last metadata update")
	n.Now = n.Now.Add(time.Microsecond)
	require.NoError(t, update("1.1", "alice@example.org"))
	require.Equal(t, coin.ValidatorLicenseMetadata{
		LastUpdatedAt: n.at(2 * time.Hour), Version: "1.1", ContactPoint: "alice@example.org",
	}, *payload(t, n, id).Metadata)

	_, err := exerciseLicense[coin.ValidatorLicenseReportActiveResult](n, alice, id, coin.ValidatorLicenseReportActive{})
	requireRefused(t, err, assertion, "At least 1h has passed since the last activity report")
	n.Now = n.Now.Add(time.Hour)
	reported, err := exerciseLicense[coin.ValidatorLicenseReportActiveResult](n, alice, id, coin.ValidatorLicenseReportActive{})
	require.NoError(t, err)
	require.Equal(t, n.at(3*time.Hour), *payload(t, n, reported.LicenseCid).LastActiveAt)
}

func TestValidatorLicense_Ends(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	withdrawn, cancelled := n.license(t), n.license(t)
	_, err := exerciseLicense[coin.ValidatorLicenseWithdrawResult](n, alice, withdrawn,
		coin.ValidatorLicenseWithdraw{Reason: "vote"})
	requireRefused(t, err, noAuth, "DSO")
	_, err = exerciseLicense[coin.ValidatorLicenseWithdrawResult](n, dso, withdrawn,
		coin.ValidatorLicenseWithdraw{Reason: "vote"})
	require.NoError(t, err)
	_, err = exerciseLicense[coin.ValidatorLicenseCancelResult](n, dso, cancelled, coin.ValidatorLicenseCancel{Reason: "moved"})
	requireRefused(t, err, noAuth, "alice")
	_, err = exerciseLicense[coin.ValidatorLicenseCancelResult](n, alice, cancelled,
		coin.ValidatorLicenseCancel{Reason: "moved"})
	require.NoError(t, err)
	require.Empty(t, all[coin.ValidatorLicense](t, n))
}
