package validator

import (
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// MaxPage is the maximum page size.
const MaxPage = 1000

// CheckLimit returns an error unless the page size is from 1 to MaxPage.
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

// PositionToken encodes the position of a contract as a page token; positionOf decodes it.
func PositionToken(at db.Position) int64 { return int64(at.Offset)*nodesPerOffset + int64(at.NodeID) }

func positionOf(token int64) db.Position {
	return db.Position{Offset: ledger.Offset(token / nodesPerOffset), NodeID: int32(token % nodesPerOffset)}
}

// nodesPerOffset is more than the number of nodes in a transaction.
const nodesPerOffset = 1_000_000

// PageRequest asks for a page of a list.
type PageRequest struct {
	After *int64 `query:"after" doc:"The next_page_token of the previous page"`
	Limit *int32 `query:"limit" doc:"Maximum number of elements, 1 to 1000; default 1000"`
}

// Bounds returns the page size and the position after which the page starts.
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
