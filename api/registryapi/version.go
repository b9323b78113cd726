package registryapi

import (
	"context"
	"time"

	"github.com/florinledger/florin/api/endpoint"
)

// release is the public network's release whose endpoints this node implements, and releasedAt its date. Clients
// compare versions with it, so it must be a release that they know.
const release = "0.7.4"

func releasedAt() time.Time { return time.Date(2026, time.August, 1, 12, 0, 0, 0, time.UTC) }

// GetVersionResponse is the release whose endpoints the node implements.
type GetVersionResponse struct {
	Version  string             `json:"version" required:"true" doc:"The release"`
	CommitTS endpoint.Timestamp `json:"commit_ts" required:"true" doc:"Date of the release"`
}

func (a *API) version(context.Context, endpoint.NoRequest) (GetVersionResponse, error) {
	return GetVersionResponse{Version: release, CommitTS: endpoint.Timestamp(releasedAt())}, nil
}
