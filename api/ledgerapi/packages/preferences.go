package packages

import (
	"context"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/packages/catalog"
)

// PackageReference names one version of a package.
type PackageReference struct {
	PackageID      string `json:"packageId" required:"true" doc:"Its id"`
	PackageName    string `json:"packageName" required:"true" doc:"Its name"`
	PackageVersion string `json:"packageVersion" required:"true" doc:"Its version"`
}

// PackagePreference is the preferred package of a name.
type PackagePreference struct {
	PackageReference PackageReference `json:"packageReference" required:"true" doc:"The package"`
	SynchronizerID   string           `json:"synchronizerId" required:"true" doc:"The synchronizer"`
}

// GetPreferredPackageVersionResponse is the preferred package of a name.
type GetPreferredPackageVersionResponse struct {
	PackagePreference *PackagePreference `json:"packagePreference" doc:"null when there is none"`
}

// GetPreferredPackagesRequest asks for the preferred packages of names.
type GetPreferredPackagesRequest struct {
	PackageVettingRequirements []PackageVettingRequirement `json:"packageVettingRequirements" required:"true" doc:"One for each name"`
	SynchronizerID             string                      `json:"synchronizerId" doc:"Optional: there is only one"`
	VettingValidAt             *endpoint.Timestamp         `json:"vettingValidAt" doc:"No effect"`
}

// PackageVettingRequirement has the parties for which a package of a name must be vetted.
type PackageVettingRequirement struct {
	Parties     []string `json:"parties" required:"true" doc:"Parties that use the package"`
	PackageName string   `json:"packageName" required:"true" doc:"The name"`
}

// GetPreferredPackagesResponse lists the preferred packages.
type GetPreferredPackagesResponse struct {
	PackageReferences []PackageReference `json:"packageReferences" required:"true" doc:"In the order of the requirements"`
	SynchronizerID    string             `json:"synchronizerId" required:"true" doc:"The synchronizer"`
}

type preferredVersionRequest struct {
	Parties        []string `query:"parties" doc:"Parties that use the package"`
	PackageName    *string  `query:"package-name" doc:"The name; required"`
	ValidAt        string   `query:"vetting_valid_at" doc:"An ISO-8601 instant; no effect"`
	SynchronizerID string   `query:"synchronizer-id" doc:"Optional: there is only one"`
}

type preferredPackagesRequest struct {
	Body GetPreferredPackagesRequest `body:"json"`
}

func (a *API) preferredPackageVersion(
	ctx context.Context, req preferredVersionRequest,
) (GetPreferredPackageVersionResponse, error) {
	if req.PackageName == nil {
		return GetPreferredPackageVersionResponse{}, endpoint.InvalidParameter("package-name", "missing")
	}
	if req.ValidAt != "" {
		var at endpoint.Timestamp
		if err := at.UnmarshalText([]byte(req.ValidAt)); err != nil {
			return GetPreferredPackageVersionResponse{}, endpoint.InvalidParameter("vetting_valid_at", err.Error())
		}
	}
	requirement := PackageVettingRequirement{Parties: req.Parties, PackageName: *req.PackageName}
	if err := a.checkRequirement(requirement); err != nil {
		return GetPreferredPackageVersionResponse{}, err
	}
	if err := a.node.CheckSynchronizer(req.SynchronizerID, "synchronizer_id"); err != nil {
		return GetPreferredPackageVersionResponse{}, err
	}
	list, err := a.catalog.List(ctx)
	if err != nil {
		return GetPreferredPackageVersionResponse{}, err
	}
	pkg, known := list.Preferred(requirement.PackageName)
	if !known {
		return GetPreferredPackageVersionResponse{}, nil
	}
	return GetPreferredPackageVersionResponse{PackagePreference: &PackagePreference{
		PackageReference: toAPIPackageReference(pkg), SynchronizerID: a.node.SynchronizerID,
	}}, nil
}

func (a *API) preferredPackages(
	ctx context.Context, req preferredPackagesRequest,
) (GetPreferredPackagesResponse, error) {
	response := GetPreferredPackagesResponse{SynchronizerID: a.node.SynchronizerID}
	if len(req.Body.PackageVettingRequirements) == 0 {
		return response, fault.MissingFieldNamed("package_vetting_requirements")
	}
	if err := a.node.CheckSynchronizer(req.Body.SynchronizerID, "synchronizer_id"); err != nil {
		return response, err
	}
	list, err := a.catalog.List(ctx)
	if err != nil {
		return response, err
	}
	seen := make(map[string]bool)
	for _, requirement := range req.Body.PackageVettingRequirements {
		if err := a.checkRequirement(requirement); err != nil {
			return response, err
		}
		if seen[requirement.PackageName] {
			return response, fault.InvalidArgumentf("package_vetting_requirements: package name %s is given twice",
				requirement.PackageName)
		}
		seen[requirement.PackageName] = true
		pkg, known := list.Preferred(requirement.PackageName)
		if !known {
			return response, fault.NoPreferredPackagesFound.
				New("No package with the name %q is vetted by all hosts of the parties", requirement.PackageName).
				WithHint("Choose a package from POST /v2/package-vetting/list, or upload this one.")
		}
		response.PackageReferences = append(response.PackageReferences, toAPIPackageReference(pkg))
	}
	return response, nil
}

func (a *API) checkRequirement(requirement PackageVettingRequirement) error {
	if requirement.PackageName == "" {
		return fault.MissingFieldNamed("package_name")
	}
	if err := ledger.CheckPackageName(requirement.PackageName); err != nil {
		return fault.InvalidFieldNamed("package_name", err.Error())
	}
	return v2.CheckParties(requirement.Parties)
}

func toAPIPackageReference(pkg catalog.Package) PackageReference {
	return PackageReference{PackageID: string(pkg.ID), PackageName: pkg.Name, PackageVersion: pkg.Version}
}
