package packages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/packages"
	"github.com/florinledger/florin/test/apitest"
)

var unknownPackage = strings.Repeat("b", 64)

func TestPackages_ListStatusAndDownload(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	var listed packages.ListPackagesResponse
	s.Call("nobody", http.MethodGet, "/v2/packages", nil).OK(&listed)
	require.Equal(t, []string{apitest.NotePackage}, listed.PackageIDs)

	status := func(id string) packages.PackageStatus {
		var answer packages.GetPackageStatusResponse
		s.Call("nobody", http.MethodGet, "/v2/packages/"+id+"/status", nil).OK(&answer)
		return answer.PackageStatus
	}
	require.Equal(t, packages.PackageRegistered, status(apitest.NotePackage))
	require.Equal(t, packages.PackageUnspecified, status(unknownPackage))

	body := s.Call("nobody", http.MethodGet, "/v2/packages/"+apitest.NotePackage, nil).
		Refused(http.StatusNotFound, "PACKAGE_NOT_FOUND")
	require.Contains(t, body.Cause, "(api-test 1.0.0) is built into this node and has no archive")
	require.Equal(t, [][]string{{"PACKAGE", apitest.NotePackage}}, body.Resources)
	body = s.Call("nobody", http.MethodGet, "/v2/packages/"+unknownPackage, nil).
		Refused(http.StatusNotFound, "PACKAGE_NOT_FOUND")
	require.Contains(t, body.Cause, "Could not find package")
	for _, path := range []string{
		"/v2/packages/a.b", "/v2/packages/a.b/status",
		"/v2/packages/" + strings.Repeat("a", 65),
	} {
		s.Call("nobody", http.MethodGet, path, nil).Refused(http.StatusBadRequest, "INVALID_FIELD")
	}
}

func TestUploads_RefuseArchiveOverBodyLimit(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{MaxBodyBytes: 1000})
	text := s.Call(apitest.Admin, http.MethodPost, "/v2/dars", strings.Repeat("x", 1001)).
		Plain(http.StatusRequestEntityTooLarge)
	require.Contains(t, text, "exceeded size limit (1000 bytes)")
}

func TestVettedPackages_ListAndFilter(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	all := `{"vettedPackages":[{"packages":[{"packageId":"` + apitest.NotePackage + `","validFromInclusive":null,
		"validUntilExclusive":null,"packageName":"api-test","packageVersion":"1.0.0"}],
		"participantId":"` + s.Node.ParticipantID + `","synchronizerId":"` + s.Node.SynchronizerID + `",
		"topologySerial":1}],"nextPageToken":""}`
	const none = `{"vettedPackages":[],"nextPageToken":""}`
	byID := func(id string) string { return `{"packageIds":["` + id + `"],"packageNamePrefixes":[]}` }
	for body, want := range map[string]string{
		``: all, `{}`: all, `{"pageSize":100,"pageToken":""}`: all,
		`{"packageMetadataFilter":` + byID(apitest.NotePackage) + `}`:                       all,
		`{"packageMetadataFilter":` + byID(unknownPackage) + `}`:                            none,
		`{"packageMetadataFilter":{"packageIds":["x"],"packageNamePrefixes":["api-"]}}`:     all,
		`{"packageMetadataFilter":{"packageNamePrefixes":["x","y"]}}`:                       none,
		`{"topologyStateFilter":{"participantIds":["` + s.Node.ParticipantID + `"]}}`:       all,
		`{"topologyStateFilter":{"participantIds":["x"],"synchronizerIds":[]}}`:             none,
		`{"topologyStateFilter":{"synchronizerIds":["y","` + s.Node.SynchronizerID + `"]}}`: all,
		`{"topologyStateFilter":{"synchronizerIds":["y"]},"packageMetadataFilter":null}`:    none,
	} {
		for method, path := range map[string]string{
			http.MethodPost: "/v2/package-vetting/list", http.MethodGet: "/v2/package-vetting",
		} {
			answer := s.Call("nobody", method, path, body)
			answer.OK(nil)
			require.JSONEq(t, want, answer.Text, body)
		}
	}
	for body, code := range map[string]string{
		`{"pageSize":101}`:  "INVALID_ARGUMENT",
		`{"pageSize":-1}`:   "INVALID_ARGUMENT",
		`{"pageToken":"!"}`: "INVALID_ARGUMENT",
		`{"pageToken":"` + apitest.PageToken("x") + `"}`: "INVALID_ARGUMENT",
		`{"packageMetadataFilter":{"packageIds":["."]}}`: "INVALID_FIELD",
	} {
		s.Call("nobody", http.MethodPost, "/v2/package-vetting/list", body).Refused(http.StatusBadRequest, code)
	}
}

func TestVettedPackages_CheckChanges(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	vet := func(reference, rest string) string {
		return `{"changes":[{"operation":{"Vet":{"value":{"packages":[{` + reference + `}]` + rest + `}}}}]`
	}
	const byName = `"packageName":"api-test"`
	unvet := strings.Replace(vet(byName, ""), "Vet", "Unvet", 1) + "}"
	for _, body := range []string{
		vet(byName, "") + "}", vet(`"packageId":"`+apitest.NotePackage+`"`, "") + "}",
		vet(byName+`,"packageVersion":"1.0.0"`, `,"newValidFromInclusive":null`) + `,"dryRun":true,"synchronizerId":"` +
			s.Node.SynchronizerID + `","updateVettedPackagesForceFlags":["UPDATE_VETTED_PACKAGES_FORCE_FLAG_UNSPECIFIED"]}`,
		vet(byName, "") + `,"expectedTopologySerial":{"serial":{"Prior":{"value":1}}}}`,
		vet(byName, "") + `,"expectedTopologySerial":{"serial":{"Empty":{}}}}`,
	} {
		for _, path := range []string{"/v2/package-vetting/update", "/v2/package-vetting"} {
			var answer packages.UpdateVettedPackagesResponse
			s.Call(apitest.Admin, http.MethodPost, path, body).OK(&answer)
			require.Equal(t, answer.PastVettedPackages, answer.NewVettedPackages)
			require.Len(t, answer.NewVettedPackages.Packages, 1)
		}
	}
	for name, test := range map[string]struct {
		body, code, cause string
		status            int
	}{
		"no changes":      {`{"changes":[]}`, "MISSING_FIELD", "changes", 400},
		"no operation":    {`{"changes":[{"operation":{"Empty":{}}}]}`, "INVALID_ARGUMENT", "no operation", 400},
		"nothing named":   {vet("", "") + "}", "INVALID_ARGUMENT", "reference is empty", 400},
		"an unknown id":   {vet(`"packageId":"x"`, "") + "}", "UNRESOLVED_VETTING_REFERENCE", `"x"`, 404},
		"an unknown name": {vet(`"packageName":"x"`, "") + "}", "UNRESOLVED_VETTING_REFERENCE", `"x"`, 404},
		"another version": {vet(byName+`,"packageVersion":"2"`, "") + "}", "UNRESOLVED_VETTING_REFERENCE", `"2"`, 404},
		"a bound of time": {
			vet(byName, `,"newValidUntilExclusive":"2030-01-01T00:00:00Z"`) + "}", "INVALID_ARGUMENT",
			"time bounds of vetting", 400,
		},
		"unvetting": {unvet, "INVALID_ARGUMENT", "cannot be unvetted", 400},
		"another serial": {
			vet(byName, "") + `,"expectedTopologySerial":{"serial":{"Prior":{"value":5}}}}`,
			"TOPOLOGY_SERIAL_MISMATCH", "expects serial 5", 400,
		},
		"no serial": {
			vet(byName, "") + `,"expectedTopologySerial":{"serial":{"NoPrior":{}}}}`,
			"TOPOLOGY_SERIAL_MISMATCH", "is 1", 400,
		},
		"some synchronizer": {
			vet(byName, "") + `,"synchronizerId":"x::1220aa"}`, "NOT_CONNECTED_TO_SYNCHRONIZER",
			"x::1220aa", 400,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := s.In(t).Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update", test.body).
				Refused(test.status, test.code)
			require.Contains(t, body.Cause, test.cause)
		})
	}
	text := s.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update",
		vet(byName, "")+`,"updateVettedPackagesForceFlags":["X"]}`).Plain(http.StatusBadRequest)
	require.Contains(t, text, "UPDATE_VETTED_PACKAGES_FORCE_FLAG_ALLOW_UNVETTED_DEPENDENCIES")
	s.NotAllowed(http.MethodPost, "/v2/package-vetting/update", vet(byName, "")+"}")
}

// contract: packages-preferred
func TestPreferredPackages_ByParties(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	const one = "/v2/interactive-submission/preferred-package-version"
	reference := `{"packageId":"` + apitest.NotePackage + `","packageName":"api-test","packageVersion":"1.0.0"}`
	answer := s.Call("nobody", http.MethodGet, one+"?parties=a&parties=b&package-name=api-test"+
		"&vetting_valid_at=2026-01-01T00:00:00Z&synchronizer-id="+s.Node.SynchronizerID, nil)
	answer.OK(nil)
	require.JSONEq(t, `{"packagePreference":{"packageReference":`+reference+`,
		"synchronizerId":"`+s.Node.SynchronizerID+`"}}`, answer.Text)
	answer = s.Call("nobody", http.MethodGet, one+"?package-name=splice-wallet", nil)
	answer.OK(nil)
	require.JSONEq(t, `{"packagePreference":null}`, answer.Text)
	for query, code := range map[string]string{
		"?package-name=":                              "MISSING_FIELD",
		"?package-name=a.b":                           "INVALID_FIELD",
		"?package-name=api-test&parties=%24":          "INVALID_ARGUMENT",
		"?package-name=api-test&synchronizer-id=x":    "INVALID_FIELD",
		"?package-name=api-test&synchronizer-id=x::1": "NOT_CONNECTED_TO_SYNCHRONIZER",
	} {
		s.Call("nobody", http.MethodGet, one+query, nil).Refused(http.StatusBadRequest, code)
	}
	for query, parameter := range map[string]string{
		"": "package-name", "?package-name=x&vetting_valid_at=now": "vetting_valid_at",
	} {
		text := s.Call("nobody", http.MethodGet, one+query, nil).Plain(http.StatusBadRequest)
		require.Contains(t, text, "Invalid value for: query parameter "+parameter)
	}

	const several = "/v2/interactive-submission/preferred-packages"
	answer = s.Call("nobody", http.MethodPost, several,
		`{"packageVettingRequirements":[{"parties":["a"],"packageName":"api-test"}],"vettingValidAt":null}`)
	answer.OK(nil)
	require.JSONEq(t, `{"packageReferences":[`+reference+`],"synchronizerId":"`+s.Node.SynchronizerID+`"}`, answer.Text)
	for body, code := range map[string]string{
		`{"packageVettingRequirements":[{"packageName":"api-test"}],"synchronizerId":"x"}`: "INVALID_FIELD",
		`{"packageVettingRequirements":[]}`:                                                "MISSING_FIELD",
		`{"packageVettingRequirements":[{"packageName":"x"}]}`:                             "NO_PREFERRED_PACKAGES_FOUND",
		`{"packageVettingRequirements":[{"parties":["$"],"packageName":"a"}]}`:             "INVALID_ARGUMENT",
		`{"packageVettingRequirements":[{"packageName":"api-test"},` +
			`{"packageName":"api-test"}]}`: "INVALID_ARGUMENT",
		`{"packageVettingRequirements":[{"packageName":"` + strings.Repeat("a", 256) + `"}]}`: "INVALID_FIELD",
	} {
		s.Call("nobody", http.MethodPost, several, body).Refused(http.StatusBadRequest, code)
	}
}
