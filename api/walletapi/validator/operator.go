package validator

import (
	"context"
	"slices"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// operatorRights says who may call the endpoints of the operator.
const operatorRights = "An operator: a user whose primary party is the operator's, with CanActAs for that party and " +
	"with ParticipantAdmin"

// ForOperators makes an endpoint one that only operators may call: they are authorized before anything else is done for
// a request.
func (b *Base) ForOperators(info endpoint.Info) endpoint.Info {
	info.Rights = operatorRights
	info.Authorize = func(ctx context.Context) (context.Context, error) {
		return withAdmission(ctx, ledger.AdmittedToOperate(b.Node.Operator)), b.requireOperator(ctx)
	}
	return info
}

// requireOperator refuses everybody but operators: users whose party is the operator's, who may act as it, and who are
// ParticipantAdmin (upstream's class of the /v0/admin endpoints).
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
// does not need it, so it is no obstacle that the user has many rights already: whoever registers must not use up those
// that administrators can give.
func (b *Base) LetOperatorActAs(ctx context.Context, party ledger.Party) error {
	count, _, err := b.lookUpOperatorRights(ctx, party)
	if err != nil || count >= ledger.MaxUserRights/2 { // the other half is for what administrators give it
		return err
	}
	err = b.GiveOperator(ctx, party)
	if fault.TooManyUserRights.Matches(err) {
		return nil
	}
	return err
}

// GiveOperator gives the operator's ledger user the right to act as a party, for an administrator who asks for that. It
// is no obstacle that an administrator has deleted that user. Fault: TOO_MANY_USER_RIGHTS.
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

// CheckOperatorCanGet refuses what GiveOperator would refuse now, before anything is done for the party.
func (b *Base) CheckOperatorCanGet(ctx context.Context, party ledger.Party) error {
	count, has, err := b.lookUpOperatorRights(ctx, party)
	if err != nil || has || count < ledger.MaxUserRights {
		return err
	}
	return fault.TooManyUserRightsFor(b.LedgerUser, ledger.MaxUserRights, count+1)
}

// lookUpOperatorRights is how many rights the operator's ledger user has, and whether it may act as the party: as the
// operator itself it may.
func (b *Base) lookUpOperatorRights(ctx context.Context, party ledger.Party) (count int, has bool, err error) {
	rights, err := b.record.UserRights(ctx, b.LedgerUser)
	actAs := ledger.Right{Kind: ledger.CanActAs, Party: party}
	return len(rights), party == b.Node.Operator || slices.Contains(rights, actAs), err
}

// ValidatorRightOf finds the right of the operator to the validator rewards of a party.
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
