package ledgerapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/test/apitest"
)

// mask creates a contract with a face.
func mask(s *apitest.Server, alice ledger.Party, name, text string) {
	uploaded(s, alice, name+text, fmt.Sprintf(`{"CreateCommand":{"templateId":"#%s:M:Mask",
		"createArguments":{"owner":%q,"text":%q}}}`, name, alice, text))
}

func faceFormat(alice ledger.Party) string {
	return fmt.Sprintf(`{"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"InterfaceFilter":{"value":
		{"interfaceId":"#faces:F:Face","includeInterfaceView":true}}}}]}}}`, alice)
}

func TestInterfaceView_FailureAffectsOnlyThatView(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	face := dartest.Compile(t, dartest.Faces)
	for name, text := range map[string]string{
		"plain": "M:Mask {text} this", "endless": "M:endless (M:Mask {text} this)",
		"large": "M:ten (M:ten (M:ten (M:ten (M:ten (M:Mask {text} this)))))",
	} {
		dar := dartest.DAR(t, dartest.Compile(t, dartest.Masks(name, face, text)), face)
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
		mask(s, alice, name, "hello")
	}
	want := map[string]string{"plain": "", "endless": "INTERPRETATION_TIME_EXCEEDED", "large": "VALUE_SIZE"}
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	check := func(event *ledgerapi.CreatedEvent) {
		require.NotNil(t, event)
		require.Len(t, event.InterfaceViews, 1)
		view, code := event.InterfaceViews[0], want[event.PackageName]
		require.Equal(t, code == "", view.ViewStatus.Code == 0, event.PackageName)
		require.Contains(t, view.ViewStatus.Message, code)
		if code == "" {
			require.JSONEq(t, `{"text":"hello"}`, string(view.ViewValue))
		}
	}
	var active []ledgerapi.JsGetActiveContractsResponse
	s.Call("alice", http.MethodPost, "/v2/state/active-contracts", fmt.Sprintf(
		`{"activeAtOffset":%d,"eventFormat":%s}`, head.Offset, faceFormat(alice))).OK(&active)
	require.Len(t, active, len(want))
	for _, element := range active {
		check(&element.ContractEntry.JsActiveContract.CreatedEvent)
	}
	stream := s.Open("alice", "/v2/updates", fmt.Sprintf(`{"beginExclusive":0,"endInclusive":%d,"updateFormat":
		{"includeTransactions":{"transactionShape":"TRANSACTION_SHAPE_ACS_DELTA","eventFormat":%s}}}`,
		head.Offset, faceFormat(alice)))
	for range want {
		var element ledgerapi.JsGetUpdatesResponse
		stream.Element(&element)
		check(element.Update.Transaction.Value.Events[0].CreatedEvent)
	}
	stream.Ended()
}

// A request with long code waits for its share of the machine without a turn to read, so others read meanwhile.
func TestInterfaceView_LongCodeHoldsNoTurnToRead(t *testing.T) {
	t.Parallel()
	limits := admission.New(admission.Options{Reads: 1, Now: time.Now})
	limits.Share = turns.NewShare(turns.ShareLimits{ShortSteps: 20_000, ShortBytes: 8 << 20}) // no processor
	s := apitest.New(t, apitest.Options{Limits: limits})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	face := dartest.Compile(t, dartest.Faces)
	endless := dartest.Compile(t, dartest.Masks("endless", face, "M:endless (M:Mask {text} this)"))
	s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.DAR(t, endless, face))).OK(nil)
	mask(s, alice, "endless", "hello")
	head, err := s.DB.Head(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v2/state/active-contracts", strings.NewReader(
		fmt.Sprintf(`{"activeAtOffset":%d,"eventFormat":%s}`, head.Offset, faceFormat(alice))))
	request.Header.Set("Authorization", "Bearer "+apitest.Token(t, "alice"))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Handler.ServeHTTP(httptest.NewRecorder(), request)
	}()
	waiting := func() int64 {
		for _, use := range limits.ListUsage() {
			if use.Limit == "requests" {
				return use.InUse
			}
		}
		return 0
	}
	s.Eventually(func() bool { return waiting() == 1 })
	for range 10 {
		s.Call("alice", http.MethodGet, "/v2/state/ledger-end", nil).OK(nil)
	}
	select {
	case <-ended:
		t.Fatal("there is no processor for its view")
	default:
	}
	cancel()
	<-ended
}

// nextCreated is the next created contract of a stream of updates.
func nextCreated(stream *apitest.Stream) *ledgerapi.CreatedEvent {
	for {
		var element ledgerapi.JsGetUpdatesResponse
		stream.Element(&element)
		if element.Update.Transaction != nil {
			return element.Update.Transaction.Value.Events[0].CreatedEvent
		}
	}
}

func TestUpdateStreams_ShowPackagesUploadedLater(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	twin := s.Twin(apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	face := dartest.Compile(t, dartest.Faces)
	upload := func(packages ...dartest.Package) {
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.DAR(t, packages...))).OK(nil)
	}
	upload(face)
	upload(dartest.Compile(t, dartest.Notes("notes", "1.0.0", "")))
	follow := func(on *apitest.Server, format string) *apitest.Stream {
		return on.Open("alice", "/v2/updates", fmt.Sprintf(`{"beginExclusive":0,"updateFormat":{"includeTransactions":
			{"transactionShape":"TRANSACTION_SHAPE_LEDGER_EFFECTS","eventFormat":%s}}}`, format))
	}
	notes := fmt.Sprintf(`{"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":
		{"templateId":"#notes:N:Note"}}}}]}}}`, alice)
	note := func(commandID string) {
		uploaded(s, alice, commandID, fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note",
			"createArguments":{"owner":%q,"reader":%q,"text":"hello"}}}`, alice, alice))
	}
	var ofNotes, ofFaces []*apitest.Stream
	for _, node := range []*apitest.Server{s, twin} {
		ofNotes = append(ofNotes, follow(node, notes))
		ofFaces = append(ofFaces, follow(node, faceFormat(alice)))
	}
	note("1")
	for _, stream := range ofNotes {
		require.Equal(t, "notes", nextCreated(stream).PackageName)
	}
	later := dartest.Compile(t, dartest.Notes("notes", "1.1.0", ", mood: Optional Text"))
	upload(later)
	note("2")
	for _, stream := range ofNotes {
		require.Equal(t, later.ID, nextCreated(stream).TemplateID.Package)
	}
	upload(dartest.Compile(t, dartest.Masks("masks", face, "M:Mask {text} this")), face)
	mask(s, alice, "masks", "boo")
	for _, stream := range ofFaces {
		shown := nextCreated(stream)
		require.Equal(t, "masks", shown.PackageName)
		require.Len(t, shown.InterfaceViews, 1)
		require.JSONEq(t, `{"text":"boo"}`, string(shown.InterfaceViews[0].ViewValue))
	}
}

func TestPages_ContinueAfterUpload(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	upload := func(version, added string) {
		dar := dartest.Build(t, dartest.Notes("notes", version, added))
		s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	}
	upload("1.0.0", "")
	for i := range 2 {
		uploaded(s, alice, strconv.Itoa(i), fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note",
			"createArguments":{"owner":%q,"reader":%q,"text":"hello"}}}`, alice, alice))
	}
	type contractsPage struct {
		ActiveContracts []ledgerapi.JsGetActiveContractsResponse
		NextPageToken   string
	}
	page := func(token string) (out contractsPage) {
		s.Call("alice", http.MethodPost, "/v2/state/active-contracts-page", fmt.Sprintf(`{"maxPageSize":1,"pageToken":%q,
			"eventFormat":{"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":
			{"templateId":"#notes:N:Note"}}}}]}}}}`, token, alice)).OK(&out)
		return out
	}
	first := page("")
	require.NotEmpty(t, first.NextPageToken)
	upload("1.1.0", ", mood: Optional Text")
	require.Len(t, page(first.NextPageToken).ActiveContracts, 1)
}

func TestActiveContracts_FindUnvettedPackageByName(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{})
	alice := s.Party("alice")
	s.ActingAs("alice", alice)
	pkg := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	s.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dartest.DAR(t, pkg))).OK(nil)
	command := fmt.Sprintf(`{"CreateCommand":{"templateId":"#notes:N:Note",
		"createArguments":{"owner":%q,"reader":%q,"text":"hello"}}}`, alice, alice)
	created := uploaded(s, alice, "1", command)
	s.Call(apitest.Admin, http.MethodPost, "/v2/package-vetting", fmt.Sprintf(`{"changes":[{"operation":{"Unvet":
		{"value":{"packages":[{"packageId":%q,"packageName":"","packageVersion":""}]}}}}]}`, pkg.ID)).OK(nil)
	var found []ledgerapi.JsGetActiveContractsResponse
	s.Call("alice", http.MethodPost, "/v2/state/active-contracts", fmt.Sprintf(`{"activeAtOffset":%d,"eventFormat":
		{"filtersByParty":{%q:{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":
		{"templateId":"#notes:N:Note"}}}}]}}}}`, created.Offset, alice)).OK(&found)
	require.Len(t, found, 1)
	s.Call("alice", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(
		`{"commandId":"2","actAs":[%q],"commands":[%s]}`, alice, command)).
		Refused(http.StatusBadRequest, "JSON_API_PACKAGE_SELECTION_FAILED")
}
