package walletapi

import (
	"context"
	"encoding/json"
	"math"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/internal/budget"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
)

// ListDevelopmentFundCouponHistoryResponse is a page of ended coupons.
type ListDevelopmentFundCouponHistoryResponse struct {
	History []DevelopmentFundCouponItem `json:"development_fund_coupon_history" required:"true" doc:"Last archived first"`

	NextPageToken *int64 `json:"next_page_token" doc:"Value for after; null on the last page"`
}

// DevelopmentFundCouponItem is an ended coupon.
type DevelopmentFundCouponItem struct {
	CreatedAt   endpoint.Timestamp `json:"createdAt" required:"true" doc:"Creation of the coupon"`
	ArchivedAt  endpoint.Timestamp `json:"archivedAt" required:"true" doc:"End of the coupon"`
	ExpiresAt   endpoint.Timestamp `json:"expiresAt" required:"true" doc:"Deadline to mint"`
	Beneficiary ledger.Party       `json:"beneficiary" required:"true" doc:"Party that could mint the coin"`
	FundManager ledger.Party       `json:"fund_manager" required:"true" doc:"Party that gave the coupon"`
	Amount      decimal.Decimal    `json:"amount" required:"true" doc:"In coin"`
	Reason      string             `json:"reason" required:"true" doc:"Purpose of the coupon"`
	Status      CouponStatus       `json:"status" required:"true" doc:"How it ended"`

	RejectionOrWithdrawalReason *string `json:"rejection_or_withdrawal_reason" doc:"Reason for the rejection or withdrawal"`
}

// size estimates the bytes of the item.
func (i DevelopmentFundCouponItem) size() int64 {
	const fixed = 256
	size := fixed + len(i.Beneficiary) + len(i.FundManager) + len(i.Reason)
	if i.RejectionOrWithdrawalReason != nil {
		size += len(*i.RejectionOrWithdrawalReason)
	}
	return int64(size)
}

// CouponStatus says how a coupon of the development fund ended.
type CouponStatus string

// Names implements [endpoint.Enum].
func (CouponStatus) Names() []string { return []string{"withdrawn", "rejected", "claimed", "expired"} }

type developmentFundHistoryRequest struct {
	After *int64 `query:"after" doc:"The next_page_token of the previous page"`
	Limit *int32 `query:"limit" doc:"Maximum number of items, 1 to 1000"`
}

// couponWalk is the number of transactions that one page of the history reads. A page may be short and have a token if
// most transactions are payments.
const couponWalk = 10 * updatesPage

// listDevelopmentFundCouponHistory searches the caller's transactions, newest first, for the ends of coupons. The token
// of a page is the offset of its last transaction; all coupons of that transaction are on the page.
func (a *API) listDevelopmentFundCouponHistory(
	ctx context.Context, req developmentFundHistoryRequest,
) (response ListDevelopmentFundCouponHistoryResponse, err error) {
	w, err := a.Caller(ctx, "listDevelopmentFundCouponHistory")
	if err != nil {
		return response, err
	}
	if req.Limit == nil {
		return response, v0.BadRequest("Request is missing required query parameter 'limit'")
	}
	if err := validator.CheckLimit(int64(*req.Limit)); err != nil {
		return response, err
	}
	from := ledger.Offset(math.MaxInt64)
	if req.After != nil {
		from = ledger.Offset(*req.After) - 1
	}
	visited := 0
	err = a.eachUpdate(ctx, w.Party, from, func(part context.Context, update ledger.NetworkUpdate) (bool, error) {
		ended, err := a.findEndedCoupons(part, w.Party, update)
		if err != nil {
			return false, err
		}
		for _, item := range ended {
			if err := budget.Of(ctx).Take(item.size()); err != nil {
				return false, err
			}
		}
		response.History = append(response.History, ended...)
		if visited++; len(response.History) < int(*req.Limit) && visited < couponWalk {
			return true, nil
		}
		token := int64(update.Update().Offset)
		response.NextPageToken = &token
		return false, nil
	})
	return response, err
}

// findEndedCoupons finds the coupons that a transaction archived, as far as the party sees it.
func (a *API) findEndedCoupons(
	ctx context.Context, party ledger.Party, network ledger.NetworkUpdate,
) (items []DevelopmentFundCouponItem, err error) {
	name, err := ledger.TemplateName[coin.DevelopmentFundCoupon](a.Packages)
	if err != nil {
		return nil, fault.Internal(err)
	}
	update := visibleTo(party, network)
	for _, event := range update.Events {
		if event.Kind != ledger.EventExercise || !event.Consuming || event.Template != name {
			continue
		}
		stored, found, err := a.record.NetworkContract(ctx, event.ContractID)
		if err != nil {
			return nil, err
		}
		if !found { // pruned
			continue
		}
		payload, err := ledger.DecodePayload[coin.DevelopmentFundCoupon](a.Packages, stored.Contract)
		if err != nil {
			return nil, fault.Internal(err)
		}
		item := DevelopmentFundCouponItem{
			CreatedAt: endpoint.Timestamp(stored.CreatedAt), ArchivedAt: endpoint.Timestamp(update.EffectiveAt),
			ExpiresAt: endpoint.Timestamp(payload.ExpiresAt.Time()), Beneficiary: payload.Beneficiary,
			FundManager: payload.FundManager, Amount: payload.Amount, Reason: payload.Reason,
		}
		if item.Status, item.RejectionOrWithdrawalReason, err = couponEnd(event); err != nil {
			return nil, fault.Internal(err)
		}
		items = append(items, item)
	}
	return items, nil
}

// couponEnd returns how a choice ended a coupon, and the reason.
func couponEnd(event ledger.Event) (CouponStatus, *string, error) {
	var said struct{ Reason *string }
	err := json.Unmarshal(event.Argument, &said)
	switch event.Choice {
	case "DevelopmentFundCoupon_Withdraw":
		return "withdrawn", said.Reason, err
	case "DevelopmentFundCoupon_Reject":
		return "rejected", said.Reason, err
	case "DevelopmentFundCoupon_DsoExpire":
		return "expired", nil, nil
	default: // it became an input of a transfer
		return "claimed", nil, nil
	}
}
