package ledgerapi

import (
	"context"
	"time"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/ledgerapi/packages"
	"github.com/florinledger/florin/api/ledgerapi/parties"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
)

// GetLedgerAPIVersionResponse is the version and the features of the API.
type GetLedgerAPIVersionResponse struct {
	Version  string             `json:"version" required:"true" doc:"Version of the API"`
	Features FeaturesDescriptor `json:"features" required:"true" doc:"What the node offers"`
}

// FeaturesDescriptor lists features and limits.
type FeaturesDescriptor struct {
	Experimental     ExperimentalFeatures    `json:"experimental" doc:"Experimental features"`
	UserManagement   UserManagementFeature   `json:"userManagement" doc:"Users"`
	PartyManagement  PartyManagementFeature  `json:"partyManagement" doc:"Parties"`
	OffsetCheckpoint OffsetCheckpointFeature `json:"offsetCheckpoint" doc:"Checkpoints in streams"`
	PackageFeature   PackageFeature          `json:"packageFeature" doc:"Packages"`
}

// ExperimentalFeatures lists experimental features.
type ExperimentalFeatures struct {
	StaticTime               SupportedFeature `json:"staticTime" doc:"Time that clients can advance"`
	CommandInspectionService SupportedFeature `json:"commandInspectionService" doc:"Inspection of commands in flight"`
}

// SupportedFeature reports whether the node supports a feature.
type SupportedFeature struct {
	Supported bool `json:"supported" doc:"Whether the node has it"`
}

// UserManagementFeature describes the management of users.
type UserManagementFeature struct {
	Supported        bool  `json:"supported" doc:"Whether the node has it"`
	MaxRightsPerUser int32 `json:"maxRightsPerUser" doc:"Maximum rights of one user"`
	MaxUsersPageSize int32 `json:"maxUsersPageSize" doc:"Maximum users on one page"`
}

// PartyManagementFeature describes the management of parties.
type PartyManagementFeature struct {
	MaxPartiesPageSize int32 `json:"maxPartiesPageSize" doc:"Maximum parties on one page"`
}

// OffsetCheckpointFeature describes the checkpoints of streams.
type OffsetCheckpointFeature struct {
	MaxOffsetCheckpointEmissionDelay v2.Duration `json:"maxOffsetCheckpointEmissionDelay" doc:"Longest time between two checkpoints"`
}

// PackageFeature describes the management of packages.
type PackageFeature struct {
	MaxVettedPackagesPageSize int32 `json:"maxVettedPackagesPageSize" doc:"Maximum packages on one page"`
}

// maxCheckpointDelay is the longest time between two checkpoints of a stream.
const maxCheckpointDelay = 75 * time.Second

func (a *API) version(context.Context, endpoint.NoRequest) (GetLedgerAPIVersionResponse, error) {
	return GetLedgerAPIVersionResponse{
		Version: a.settings.Version,
		Features: FeaturesDescriptor{
			Experimental: ExperimentalFeatures{StaticTime: SupportedFeature{a.settings.SimulatedTime}},
			UserManagement: UserManagementFeature{
				Supported: true, MaxRightsPerUser: ledger.MaxUserRights, MaxUsersPageSize: ledger.MaxUsersPageSize,
			},
			PartyManagement:  PartyManagementFeature{MaxPartiesPageSize: parties.MaxPageSize},
			OffsetCheckpoint: OffsetCheckpointFeature{v2.ToAPIDuration(maxCheckpointDelay)},
			PackageFeature:   PackageFeature{MaxVettedPackagesPageSize: packages.MaxVettedPageSize},
		},
	}, nil
}
