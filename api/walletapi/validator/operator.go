package validator

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// operatorRights describes the operator's rights in the API document.
const operatorRights = "An operator: a user whose primary party is the operator's, with CanActAs for that party and " +
	"with ParticipantAdmin"

// ForOperators makes an endpoint authorize operators before it runs.
func (b *Base) ForOperators(info endpoint.Info) endpoint.Info {
	info.Rights = operatorRights
	info.Authorize = func(ctx context.Context) (context.Context, error) {
		return withAdmission(ctx, ledger.AdmittedToOperate(b.Node.Operator)), b.requireOperator(ctx)
	}
	return info
}

// requireOperator returns an error unless the caller is an operator: a user with the operator's party as primary party,
// with CanActAs for it, and with ParticipantAdmin (upstream's rule for /v0/admin).
func (b *Base) requireOperator(ctx context.Context) error {
	claims := endpoint.Claims(ctx)
	if err := claims.Require(); err != nil {
		return err
	}
	user, known, err := b.record.User(ctx, claims.Identity())
	if err != nil {
		return err
	}
	if !known || user.PrimaryParty != b.Node.Operator {
		return Forbidden("user %q is not an operator", claims.UserID())
	}
	rights, err := b.rightsOf(ctx, user)
	if err != nil {
		return err
	}
	if err := rights.RequireAdmin(); err != nil {
		return err
	}
	return rights.RequireActAs(b.Node.Operator)
}

// LetOperatorActAs gives the operator's ledger user the right to act as the party of a user who registers. The node
// does not need this right. It does nothing if the user has many rights, so that registrations do not use up the rights
// that administrators can give.
func (b *Base) LetOperatorActAs(ctx context.Context, party ledger.Party) error {
	count, _, err := b.lookUpOperatorRights(ctx, party)
	if err != nil || count >= ledger.MaxUserRights/2 { // the other half is for administrators to give
		return err
	}
	err = b.GiveOperator(ctx, party)
	if fault.TooManyUserRights.Matches(err) {
		return nil
	}
	return err
}

// GiveOperator gives the operator's ledger user the right to act as a party, at an administrator's request. It does
// nothing if that user was deleted. Fault: TOO_MANY_USER_RIGHTS.
func (b *Base) GiveOperator(ctx context.Context, party ledger.Party) error {
	_, has, err := b.lookUpOperatorRights(ctx, party)
	if err != nil || has {
		return err
	}
	_, err = b.record.GrantRights(ctx, b.LedgerUser, []ledger.Right{{Kind: ledger.CanActAs, Party: party}})
	if fault.UserNotFound.Matches(err) {
		return nil
	}
	return err
}

// CheckOperatorCanGet returns the error that GiveOperator would return now, before the party is created.
func (b *Base) CheckOperatorCanGet(ctx context.Context, party ledger.Party) error {
	count, has, err := b.lookUpOperatorRights(ctx, party)
	if err != nil || has || count < ledger.MaxUserRights {
		return err
	}
	return fault.TooManyUserRightsFor(b.LedgerUser, ledger.MaxUserRights, count+1)
}

// lookUpOperatorRights returns the number of the operator's rights, and whether it may act as the party, which is
// always true for its own party.
func (b *Base) lookUpOperatorRights(ctx context.Context, party ledger.Party) (count int, has bool, err error) {
	rights, err := b.record.UserRights(ctx, b.LedgerUser)
	actAs := ledger.Right{Kind: ledger.CanActAs, Party: party}
	return len(rights), party == b.Node.Operator || slices.Contains(rights, actAs), err
}

// ValidatorRightOf finds the operator's right to the validator rewards of a party.
func (b *Base) ValidatorRightOf(
	ctx context.Context, party ledger.Party,
) (found Contract[coin.ValidatorRight], ok bool, err error) {
	err = EachActive(ctx, b, party, func(c Contract[coin.ValidatorRight]) bool {
		if c.Payload.User == party && c.Payload.Validator == b.Node.Operator {
			found, ok = c, true
		}
		return !ok
	})
	return found, ok, err
}
