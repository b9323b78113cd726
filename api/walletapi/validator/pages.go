package validator

import (
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// MaxPage is the most elements of a page that clients may ask for.
const MaxPage = 1000

// CheckLimit refuses sizes of pages that no page has.
func CheckLimit(limit int64) error {
	switch {
	case limit < 1:
		return v0.BadRequest("Limit must be at least 1.")
	case limit > MaxPage:
		return v0.BadRequest("Exceeded limit maximum (%d > %d).", limit, MaxPage)
	default:
		return nil
	}
}

// PositionToken and positionOf write the place of a contract as one number, for the tokens of pages.
func PositionToken(at db.Position) int64 { return int64(at.Offset)*nodesPerOffset + int64(at.NodeID) }

func positionOf(token int64) db.Position {
	return db.Position{Offset: ledger.Offset(token / nodesPerOffset), NodeID: int32(token % nodesPerOffset)}
}

// nodesPerOffset is more than a transaction has nodes.
const nodesPerOffset = 1_000_000

// PageRequest asks for a page of a list, by the place where it begins.
type PageRequest struct {
	After *int64 `query:"after" doc:"The next_page_token of the previous page"`
	Limit *int32 `query:"limit" doc:"Maximum number of elements, 1 to 1000; default 1000"`
}

// Bounds are how many elements the page has at most, and where it begins.
func (r PageRequest) Bounds() (limit int, after db.Position, err error) {
	limit = MaxPage
	if r.Limit != nil {
		limit = int(*r.Limit)
	}
	if r.After != nil {
		after = positionOf(*r.After)
	}
	return limit, after, CheckLimit(int64(limit))
}
