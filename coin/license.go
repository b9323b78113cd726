package coin

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// ValidatorLicense makes a party a validator of the network. It may report that its node is up, and earns coin for
// that.
type ValidatorLicense struct {
	_         struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense"`
	Validator Party    `lf:"validator"`
	// Sponsor was the party that admitted the validator; today it is the validator itself.
	Sponsor Party `lf:"sponsor"`
	DSO     Party `lf:"dso"`
	// FaucetState is nil until the validator reports its first round.
	FaucetState *FaucetState              `lf:"faucetState"`
	Metadata    *ValidatorLicenseMetadata `lf:"metadata"`
	// LastActiveAt is the time of the validator's last choice.
	LastActiveAt *lf.Timestamp `lf:"lastActiveAt"`
}

func (l ValidatorLicense) dso() Party { return l.DSO }

// FaucetState counts the rounds in which a validator was up.
type FaucetState struct {
	_                struct{} `lf:"splice-amulet:Splice.ValidatorLicense:FaucetState"`
	FirstReceivedFor Round    `lf:"firstReceivedFor"`
	LastReceivedFor  Round    `lf:"lastReceivedFor"`
	// NumCouponsMissed is the number of rounds in between without a report.
	NumCouponsMissed int64 `lf:"numCouponsMissed"`
}

// ValidatorLicenseMetadata is the validator's software version and its operator's contact.
type ValidatorLicenseMetadata struct {
	_             struct{}     `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicenseMetadata"`
	LastUpdatedAt lf.Timestamp `lf:"lastUpdatedAt"`
	// Version and ContactPoint have at most 255 characters each.
	Version      string `lf:"version"`
	ContactPoint string `lf:"contactPoint"`
}

// ValidatorLicenseRecordValidatorLivenessActivity reports that the validator is up in an open round.
type ValidatorLicenseRecordValidatorLivenessActivity struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_RecordValidatorLivenessActivity"`

	OpenRoundCid lf.CID[OpenMiningRound] `lf:"openRoundCid"`
}

// ValidatorLicenseRecordValidatorLivenessActivityResult is the result of
// [ValidatorLicenseRecordValidatorLivenessActivity].
type ValidatorLicenseRecordValidatorLivenessActivityResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_RecordValidatorLivenessActivityResult"`

	LicenseCid lf.CID[ValidatorLicense]                `lf:"licenseCid"`
	CouponCid  lf.CID[ValidatorLivenessActivityRecord] `lf:"couponCid"`
}

// ValidatorLicenseReceiveFaucetCoupon is the liveness report of older packages.
type ValidatorLicenseReceiveFaucetCoupon struct {
	_            struct{}                `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_ReceiveFaucetCoupon"`
	OpenRoundCid lf.CID[OpenMiningRound] `lf:"openRoundCid"`
}

// ValidatorLicenseReceiveFaucetCouponResult was the result of [ValidatorLicenseReceiveFaucetCoupon].
type ValidatorLicenseReceiveFaucetCouponResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_ReceiveFaucetCouponResult"`

	LicenseCid lf.CID[ValidatorLicense]      `lf:"licenseCid"`
	CouponCid  lf.CID[ValidatorFaucetCoupon] `lf:"couponCid"`
}

// ValidatorLicenseUpdateMetadata updates the metadata, at most once an hour.
type ValidatorLicenseUpdateMetadata struct {
	_            struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_UpdateMetadata"`
	Version      string   `lf:"version"`
	ContactPoint string   `lf:"contactPoint"`
}

// ValidatorLicenseUpdateMetadataResult is the result of [ValidatorLicenseUpdateMetadata].
type ValidatorLicenseUpdateMetadataResult struct {
	_          struct{}                 `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_UpdateMetadataResult"`
	LicenseCid lf.CID[ValidatorLicense] `lf:"licenseCid"`
}

// ValidatorLicenseReportActive reports, at most once an hour, that a validator is up without earning coin.
type ValidatorLicenseReportActive struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_ReportActive"`
}

// ValidatorLicenseReportActiveResult is the result of [ValidatorLicenseReportActive].
type ValidatorLicenseReportActiveResult struct {
	_          struct{}                 `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_ReportActiveResult"`
	LicenseCid lf.CID[ValidatorLicense] `lf:"licenseCid"`
}

// ValidatorLicenseWithdraw ends the license; the DSO decides.
type ValidatorLicenseWithdraw struct {
	_      struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_Withdraw"`
	Reason string   `lf:"reason"`
}

// ValidatorLicenseWithdrawResult is the empty result of [ValidatorLicenseWithdraw].
type ValidatorLicenseWithdrawResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_WithdrawResult"`
}

// ValidatorLicenseCancel ends the license; the validator decides.
type ValidatorLicenseCancel struct {
	_      struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_Cancel"`
	Reason string   `lf:"reason"`
}

// ValidatorLicenseCancelResult is the empty result of [ValidatorLicenseCancel].
type ValidatorLicenseCancelResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ValidatorLicense:ValidatorLicense_CancelResult"`
}

func validatorLicenseTemplate() ledger.TemplateSource {
	type (
		withdraw = ValidatorLicenseWithdraw
		faucet   = ValidatorLicenseReceiveFaucetCoupon
	)
	const maxLength = 255
	return ledger.Template[ValidatorLicense]{
		Network:     ledger.DSOSigned(ValidatorLicense.dso),
		Signatories: func(l ValidatorLicense) []Party { return []Party{l.DSO} },
		Observers:   func(l ValidatorLicense) []Party { return []Party{l.Validator} },
		Ensure: ledger.That(fmt.Sprintf("version and contactPoint have at most %d characters", maxLength),
			func(l ValidatorLicense) bool {
				return l.Metadata == nil || utf8.RuneCountInString(l.Metadata.Version) <= maxLength &&
					utf8.RuneCountInString(l.Metadata.ContactPoint) <= maxLength
			}),
		Choices: []ledger.ChoiceOf[ValidatorLicense]{
			byValidator(recordLiveness), byValidator(updateMetadata), byValidator(reportActive),
			byValidator(justArchive[ValidatorLicense, ValidatorLicenseCancel, ValidatorLicenseCancelResult]),
			byValidator(func(
				*ledger.Tx, lf.CID[ValidatorLicense], ValidatorLicense, faucet,
			) (none ValidatorLicenseReceiveFaucetCouponResult, err error) {
				return none, ledger.Abort("ValidatorLicense_ReceiveFaucetCoupon is deprecated: " +
					"use ValidatorLicense_RecordValidatorLivenessActivity")
			}),
			ledger.Choice[ValidatorLicense, withdraw, ValidatorLicenseWithdrawResult]{
				Consuming:   true,
				Controllers: func(l ValidatorLicense, _ withdraw) []Party { return []Party{l.DSO} },
				Body:        justArchive[ValidatorLicense, withdraw, ValidatorLicenseWithdrawResult],
			},
		},
	}
}

// byValidator is a consuming choice that the validator controls.
func byValidator[A, R any](
	body func(tx *ledger.Tx, self lf.CID[ValidatorLicense], l ValidatorLicense, arg A) (R, error),
) ledger.ChoiceOf[ValidatorLicense] {
	return ledger.Choice[ValidatorLicense, A, R]{
		Consuming:   true,
		Controllers: func(l ValidatorLicense, _ A) []Party { return []Party{l.Validator} },
		Body:        body,
	}
}

// renew creates the license again, with the current time as its last activity.
func (l ValidatorLicense) renew(tx *ledger.Tx, now lf.Timestamp) (lf.CID[ValidatorLicense], error) {
	l.LastActiveAt, l.Sponsor = &now, l.Validator
	return ledger.Create(tx, l)
}

func recordLiveness(
	tx *ledger.Tx, _ lf.CID[ValidatorLicense], l ValidatorLicense, arg ValidatorLicenseRecordValidatorLivenessActivity,
) (result ValidatorLicenseRecordValidatorLivenessActivityResult, err error) {
	round, err := fetchForDSO(tx, l.DSO, arg.OpenRoundCid)
	if err != nil {
		return result, err
	}
	now := tx.Now()
	if err := ledger.Require("OpenRound is open", round.OpensAt <= now); err != nil {
		return result, err
	}
	state := FaucetState{FirstReceivedFor: round.Round, LastReceivedFor: round.Round}
	if last := l.FaucetState; last != nil {
		previous := last.LastReceivedFor.Number
		if err := ledger.Require("Not yet received", round.Round.Number > previous); err != nil {
			return result, err
		}
		state.FirstReceivedFor = last.FirstReceivedFor
		// The complement of a number is its opposite less one, and always a number.
		state.NumCouponsMissed, err = ledger.Sum(last.NumCouponsMissed, round.Round.Number, ^previous)
		if err != nil {
			return result, err
		}
	}
	l.FaucetState = &state
	if result.LicenseCid, err = l.renew(tx, now); err != nil {
		return result, err
	}
	result.CouponCid, err = ledger.Create(tx,
		ValidatorLivenessActivityRecord{DSO: l.DSO, Validator: l.Validator, Round: round.Round})
	return result, err
}

// reportInterval is the least time between two reports of the same kind.
const reportInterval = time.Hour

func updateMetadata(
	tx *ledger.Tx, _ lf.CID[ValidatorLicense], l ValidatorLicense, arg ValidatorLicenseUpdateMetadata,
) (result ValidatorLicenseUpdateMetadataResult, err error) {
	now := tx.Now()
	if last := l.Metadata; last != nil {
		changed := arg.Version != last.Version || arg.ContactPoint != last.ContactPoint
		if err := ledger.Require("Metadata has changed", changed); err != nil {
			return result, err
		}
		if err := ledger.Require("At least 1h has passed since the last metadata update",
			now.Sub(last.LastUpdatedAt).Duration() >= reportInterval); err != nil {
			return result, err
		}
	}
	l.Metadata = &ValidatorLicenseMetadata{LastUpdatedAt: now, Version: arg.Version, ContactPoint: arg.ContactPoint}
	result.LicenseCid, err = l.renew(tx, now)
	return result, err
}

func reportActive(
	tx *ledger.Tx, _ lf.CID[ValidatorLicense], l ValidatorLicense, _ ValidatorLicenseReportActive,
) (result ValidatorLicenseReportActiveResult, err error) {
	now := tx.Now()
	waited := l.LastActiveAt == nil || now.Sub(*l.LastActiveAt).Duration() >= reportInterval
	if err := ledger.Require("At least 1h has passed since the last activity report", waited); err != nil {
		return result, err
	}
	result.LicenseCid, err = l.renew(tx, now)
	return result, err
}
