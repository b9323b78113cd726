package packages_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi/packages"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// upload sends an archive, and requires success.
func upload(s *apitest.Server, path string, dar []byte) {
	s.Call(apitest.Admin, http.MethodPost, path, string(dar)).OK(nil)
}

func listed(s *apitest.Server) []string {
	var answer packages.ListPackagesResponse
	s.Call(apitest.Admin, http.MethodGet, "/v2/packages", nil).OK(&answer)
	return answer.PackageIDs
}

// vetted returns the names and versions of the vetted packages, and the serial.
func vetted(s *apitest.Server) (names []string, serial int32) {
	var answer packages.ListVettedPackagesResponse
	s.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/list", `{}`).OK(&answer)
	for _, pkg := range answer.VettedPackages[0].Packages {
		names = append(names, pkg.PackageName+" "+pkg.PackageVersion)
	}
	return names, answer.VettedPackages[0].TopologySerial
}

func end(t *testing.T, s *apitest.Server) ledger.Offset {
	t.Helper()
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	return head.Offset
}

// contract: packages-upload
func TestUploads_AreListedAndDownloadable(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	twin := s.Twin(apitest.Options{})
	source := dartest.Notes("notes", "1.0.0", "")
	pkg, dar := dartest.Compile(t, source), dartest.Build(t, source)

	s.Call(apitest.Admin, http.MethodPost, "/v2/dars/validate", string(dar)).OK(nil)
	require.Equal(t, []string{apitest.NotePackage}, listed(s))
	before := end(t, s)
	answer := s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar))
	answer.OK(nil)
	require.JSONEq(t, "{}", answer.Text)
	require.Equal(t, before+1, end(t, s))
	upload(s, "/v2/packages", dar) // a repeat changes nothing
	upload(twin, "/v2/dars?vetAllPackages=true&synchronizerId="+s.Node.SynchronizerID, dar)
	require.Equal(t, before+1, end(t, s))

	for _, node := range []*apitest.Server{s, twin} {
		require.Equal(t, []string{apitest.NotePackage, string(pkg.ID)}, listed(node))
		names, serial := vetted(node)
		require.Equal(t, []string{"api-test 1.0.0", "notes 1.0.0"}, names)
		require.EqualValues(t, 2, serial)
		var status packages.GetPackageStatusResponse
		node.Call(apitest.Admin, http.MethodGet, "/v2/packages/"+string(pkg.ID)+"/status", nil).OK(&status)
		require.Equal(t, packages.PackageRegistered, status.PackageStatus)
		download := node.Call(apitest.Admin, http.MethodGet, "/v2/packages/"+string(pkg.ID), nil)
		download.OK(nil)
		require.Equal(t, string(pkg.Payload), download.Text)
		require.Equal(t, string(pkg.ID), download.Header.Get("Canton-Package-Hash"))
		require.Equal(t, "application/octet-stream", download.Header.Get("Content-Type"))
	}
	update, known, err := s.DB.UpdateByOffset(t.Context(), before+1)
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, []ledger.Vetting{
		{PackageID: pkg.ID, Uploaded: true, Name: "notes", Version: "1.0.0", Vetted: true},
	}, update.Vetting)
}

// contract: packages-vetting
func TestPreferredPackage_IsLastVettedVersion(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	first := dartest.Compile(t, dartest.Notes("notes", "1.9.0", ""))
	second := dartest.Compile(t, dartest.Notes("notes", "1.10.0", ", mood: Optional Text"))
	upload(s, "/v2/dars", dartest.DAR(t, first))
	upload(s, "/v2/dars?vetAllPackages=false", dartest.DAR(t, second))
	preferred := func() string {
		var answer packages.GetPreferredPackageVersionResponse
		s.Call(apitest.Admin, http.MethodGet,
			"/v2/interactive-submission/preferred-package-version?package-name=notes", nil).OK(&answer)
		return answer.PackagePreference.PackageReference.PackageVersion
	}
	require.Equal(t, "1.9.0", preferred())
	change := func(operation, more string) {
		s.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting/update",
			`{"changes":[{"operation":{"`+operation+`":{"value":{"packages":[{"packageName":"notes",
			"packageVersion":"1.10.0"}]}}}}]`+more+`}`).OK(nil)
	}
	change("Vet", `,"dryRun":true`)
	require.Equal(t, "1.9.0", preferred())
	change("Vet", `,"expectedTopologySerial":{"serial":{"Prior":{"value":3}}}`)
	require.Equal(t, "1.10.0", preferred())
	names, serial := vetted(s)
	require.Equal(t, []string{"api-test 1.0.0", "notes 1.9.0", "notes 1.10.0"}, names)
	require.EqualValues(t, 4, serial)
	at := end(t, s)
	change("Vet", "")
	require.Equal(t, at, end(t, s), "what changes nothing has no offset")
	change("Unvet", "")
	require.Equal(t, "1.9.0", preferred())
}

// withEntry adds a file to an archive.
func withEntry(t *testing.T, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	files := zip.NewWriter(&out)
	file, err := files.Create(name)
	require.NoError(t, err)
	_, err = file.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, files.Close())
	return out.Bytes()
}

// contract: packages-refused
func TestUploads_RefuseInvalidArchives(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	s.Rights("nobody")
	notes := dartest.Notes("notes", "1.0.0", "")
	upload(s, "/v2/dars", dartest.Build(t, notes))
	fresh := string(dartest.Build(t, dartest.Notes("fresh", "1.0.0", "")))
	for name, test := range map[string]struct{ query, content, code, cause string }{
		"nothing":     {"", "", "DAR_PARSE_ERROR", "not a zip archive"},
		"JSON":        {"", "{}", "DAR_PARSE_ERROR", "not a zip archive"},
		"no manifest": {"", string(withEntry(t, "x")), "INVALID_DAR", "META-INF/MANIFEST.MF"},
		"an ill-typed package": {
			"", string(dartest.Build(t, strings.Replace(notes, "text = APPEND_TEXT", "text = ADD_INT64", 1))),
			"DAR_VALIDATION_ERROR", "module N",
		},
		"a version that takes away": {
			"", string(dartest.Build(t, strings.Replace(dartest.Notes("notes", "2.0.0", ""), "choice Share", "choice Show", 1))),
			"NOT_VALID_UPGRADE_PACKAGE", "lacks choice Share",
		},
		"a version that is taken": {
			"", string(dartest.Build(t, dartest.Notes("notes", "1.0.0", ", mood: Optional Text"))), "KNOWN_PACKAGE_VERSION",
			"notes and version 1.0.0",
		},
		"a name that is built in": {
			"", string(dartest.Build(t, dartest.Notes("api-test", "2.0.0", ""))), "DAR_VALIDATION_ERROR", "built in",
		},
		"a synchronizer that is not one": {"?synchronizerId=x", fresh, "INVALID_FIELD", "synchronizer_id"},
		"another synchronizer":           {"?synchronizerId=x::1220aa", fresh, "NOT_CONNECTED_TO_SYNCHRONIZER", "x::1220aa"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/v2/packages", "/v2/dars", "/v2/dars/validate"} {
				body := s.In(t).Call(apitest.Admin, http.MethodPost, path+test.query, test.content).
					Refused(http.StatusBadRequest, test.code)
				require.Contains(t, body.Cause, test.cause)
				require.NotEmpty(t, *body.Hint)
			}
		})
	}
	t.Run("another build of a dependency", func(t *testing.T) {
		t.Parallel()
		library := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ", mood: Optional Text"))
		main := dartest.Compile(t, strings.ReplaceAll(`metadata ( app : '1.0.0' )
			module A { val owner: '$id':N:Note -> Party = \(n: '$id':N:Note) -> '$id':N:Note {owner} n; }`,
			"$id", string(library.ID)))
		body := s.In(t).Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.DAR(t, main, library))).
			Refused(http.StatusBadRequest, "KNOWN_PACKAGE_VERSION")
		require.Contains(t, body.Cause, "notes and version 1.0.0")
		require.Contains(t, *body.Hint, "dependency")
	})
	t.Run("another build of a built-in package changes nothing", func(t *testing.T) {
		t.Parallel()
		upload(s.In(t), "/v2/dars", dartest.Build(t, dartest.Notes("api-test", "1.0.0", "")))
	})
	require.Equal(t, "Invalid value for: query parameter vetAllPackages",
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars?vetAllPackages=maybe", fresh).Plain(http.StatusBadRequest))
	for _, path := range []string{"/v2/packages", "/v2/dars", "/v2/dars/validate"} {
		s.NotAllowed(http.MethodPost, path, fresh)
	}
}

func TestUploads_DoNotVetDependenciesWithBuiltInNames(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	for name, source := range map[string]string{
		"templates": dartest.Notes("api-test", "99.0.0", ""),
		"types":     "metadata ( 'api-test' : '99.0.0' ) module N { record @serializable Note = { text: Text }; }",
	} {
		library := dartest.Compile(t, source)
		main := dartest.Compile(t, strings.NewReplacer("$id", string(library.ID), "$name", name).Replace(
			`metadata ( '$name' : '1.0.0' ) module A { val same: '$id':N:Note -> '$id':N:Note = \(n: '$id':N:Note) -> n; }`))
		upload(s, "/v2/dars", dartest.DAR(t, main, library))
		require.Contains(t, listed(s), string(library.ID))
	}
	names, _ := vetted(s)
	require.Equal(t, []string{"api-test 1.0.0", "templates 1.0.0", "types 1.0.0"}, names)
}
