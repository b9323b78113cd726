package packages

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/daml/upgrade"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/catalog"
)

// MaxVettedPageSize is the largest page of vetted packages.
const MaxVettedPageSize = 100

// ListVettedPackagesRequest asks for the vetted packages.
type ListVettedPackagesRequest struct {
	PackageMetadataFilter *PackageMetadataFilter `json:"packageMetadataFilter" doc:"Packages to list; default all"`
	TopologyStateFilter   *TopologyStateFilter   `json:"topologyStateFilter" doc:"Participants and synchronizers; default all"`
	PageToken             string                 `json:"pageToken" doc:"nextPageToken of the previous page"`
	PageSize              int32                  `json:"pageSize" doc:"Maximum page size; 0 for the server's maximum"`
}

// PackageMetadataFilter selects packages that have one of the ids or one of the prefixes; empty selects all.
type PackageMetadataFilter struct {
	PackageIDs          []string `json:"packageIds" doc:"Ids"`
	PackageNamePrefixes []string `json:"packageNamePrefixes" doc:"Prefixes of package names"`
}

// TopologyStateFilter selects participants and synchronizers; empty lists select all.
type TopologyStateFilter struct {
	ParticipantIDs  []string `json:"participantIds" doc:"Participants"`
	SynchronizerIDs []string `json:"synchronizerIds" doc:"Synchronizers"`
}

// ListVettedPackagesResponse is a page of vetted packages.
type ListVettedPackagesResponse struct {
	VettedPackages []VettedPackages `json:"vettedPackages" doc:"One for each participant and synchronizer"`
	NextPageToken  string           `json:"nextPageToken" doc:"Token of the next page; empty after the last one"`
}

// VettedPackages are the packages that a participant vetted on a synchronizer.
type VettedPackages struct {
	Packages       []VettedPackage `json:"packages" doc:"In order of name and version"`
	ParticipantID  string          `json:"participantId" required:"true" doc:"The participant"`
	SynchronizerID string          `json:"synchronizerId" required:"true" doc:"The synchronizer"`
	TopologySerial int32           `json:"topologySerial" required:"true" doc:"Number of changes"`
}

// VettedPackage is a vetted package.
type VettedPackage struct {
	PackageID           string              `json:"packageId" required:"true" doc:"Its id"`
	ValidFromInclusive  *endpoint.Timestamp `json:"validFromInclusive" doc:"Start; null for none"`
	ValidUntilExclusive *endpoint.Timestamp `json:"validUntilExclusive" doc:"End; null for none"`
	PackageName         string              `json:"packageName" doc:"Its name"`
	PackageVersion      string              `json:"packageVersion" doc:"Its version"`
}

type listVettedRequest struct {
	Body ListVettedPackagesRequest `body:"json"`
}

func (a *API) listVettedPackages(ctx context.Context, req listVettedRequest) (ListVettedPackagesResponse, error) {
	body := req.Body
	if body.PageSize < 0 || body.PageSize > MaxVettedPageSize {
		return ListVettedPackagesResponse{}, fault.InvalidArgumentf(
			"Page size must be between 0 and %d, but is %d", MaxVettedPageSize, body.PageSize)
	}
	if body.PageToken != "" { // the only page has no token
		return ListVettedPackagesResponse{}, fault.InvalidArgumentf("Invalid page token").
			WithHint("Send no token: the list has one page.")
	}
	filter := PackageMetadataFilter{}
	if body.PackageMetadataFilter != nil {
		filter = *body.PackageMetadataFilter
	}
	for _, id := range filter.PackageIDs {
		if err := ledger.CheckPackageID(id); err != nil {
			return ListVettedPackagesResponse{}, fault.InvalidFieldNamed("package_ids", err.Error())
		}
	}
	list, err := a.catalog.List(ctx)
	if err != nil {
		return ListVettedPackagesResponse{}, err
	}
	vetted := a.vettedPackages(list, filter)
	if len(vetted.Packages) == 0 || !a.isSelected(body.TopologyStateFilter) {
		return ListVettedPackagesResponse{}, nil
	}
	return ListVettedPackagesResponse{VettedPackages: []VettedPackages{vetted}}, nil
}

// isSelected reports whether the filter selects this participant on its synchronizer.
func (a *API) isSelected(filter *TopologyStateFilter) bool {
	if filter == nil {
		return true
	}
	isListed := func(listed []string, ours func(ledger.Node, string) bool) bool {
		return len(listed) == 0 || slices.ContainsFunc(listed, func(id string) bool { return ours(a.node, id) })
	}
	return isListed(filter.ParticipantIDs, v2.IsThisParticipant) &&
		isListed(filter.SynchronizerIDs, ledger.Node.IsSynchronizer)
}

// vettedPackages are the vetted packages that the filter selects.
func (a *API) vettedPackages(list catalog.List, filter PackageMetadataFilter) VettedPackages {
	all := len(filter.PackageIDs) == 0 && len(filter.PackageNamePrefixes) == 0
	named := map[lf.PackageID]bool{}
	for _, id := range filter.PackageIDs {
		if found, known := list.Find(lf.PackageID(id)); known {
			named[found.ID] = true
		}
	}
	var packages []VettedPackage
	for _, pkg := range list.Packages {
		if pkg.IsVetted && (all || named[pkg.ID] || hasAnyPrefix(pkg.Name, filter.PackageNamePrefixes)) {
			packages = append(packages, VettedPackage{
				PackageID: string(pkg.ID), PackageName: pkg.Name, PackageVersion: pkg.Version,
			})
		}
	}
	slices.SortStableFunc(packages, func(x, y VettedPackage) int {
		return cmp.Or(strings.Compare(x.PackageName, y.PackageName),
			upgrade.CompareReleases(x.PackageVersion, y.PackageVersion))
	})
	return VettedPackages{
		Packages: packages, ParticipantID: a.node.ParticipantID, SynchronizerID: a.node.SynchronizerID,
		TopologySerial: list.Serial,
	}
}
