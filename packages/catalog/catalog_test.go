package catalog_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/catalog"
)

// reader is a package that depends on a package of notes.
const reader = `metadata ( '$name' : '1.0.0' )
module R {
  record @serializable Archive = {};
  record @serializable Reader = { reader: Party };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val owner: '$notes':N:Note -> Party = \(n: '$notes':N:Note) -> '$notes':N:Note {owner} n;
  template (this: Reader) = {
    precondition True;
    signatories R:one (R:Reader {reader} this);
    observers Nil @Party;
    choice Archive (self) (a: R:Archive): Unit, controllers R:one (R:Reader {reader} this) to upure @Unit ();
  };
}`

func builtIn(t *testing.T, names ...string) *ledger.Packages {
	t.Helper()
	list := ledgertest.Packages()
	for _, name := range names {
		list = append(list, ledger.Package{ID: lf.PackageID(strings.Repeat("7", 64)), Name: name, Version: "9.0.0"})
	}
	packages, err := ledger.NewPackages(list...)
	require.NoError(t, err)
	return packages
}

func open(t *testing.T, record *db.DB, packages *ledger.Packages) (*catalog.Catalog, error) {
	t.Helper()
	return catalog.New(t.Context(), catalog.Options{
		Node:    ledger.Node{ParticipantID: "participant::1220ab", SynchronizerID: "global::1220ab"},
		BuiltIn: packages, Record: record, Now: time.Now,
	})
}

func newCatalog(t *testing.T, record *db.DB) *catalog.Catalog {
	t.Helper()
	c, err := open(t, record, builtIn(t))
	require.NoError(t, err)
	return c
}

func vetting(id lf.PackageID, to bool) catalog.Vetting {
	return catalog.Vetting{Decide: func(catalog.List) (map[lf.PackageID]bool, error) {
		return map[lf.PackageID]bool{id: to}, nil
	}}
}

func TestVet_DependenciesNeedNotBeVetted(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, dbtest.New(t))
	notes := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	first := dartest.Compile(t, strings.NewReplacer("$name", "first", "$notes", string(notes.ID)).Replace(reader))
	require.NoError(t, c.Upload(t.Context(), dartest.DAR(t, first, notes), true, catalog.Request{}))
	for _, step := range []struct {
		of                dartest.Package
		to                bool
		isFirst, areNotes bool
	}{
		{notes, false, true, false},
		{first, false, false, false},
		{first, true, true, false},
		{notes, true, true, true},
	} {
		_, present, err := c.Vet(t.Context(), vetting(step.of.ID, step.to))
		require.NoError(t, err)
		is := map[lf.PackageID]bool{}
		for _, pkg := range present.Packages {
			is[pkg.ID] = pkg.IsVetted
		}
		require.Equal(t, step.isFirst, is[first.ID])
		require.Equal(t, step.areNotes, is[notes.ID])
	}
}

// Another process uploads; Known must have the package without a query.
func TestFollow_ReadsUploadsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	record := dbtest.Open(t, url)
	uploading, following := newCatalog(t, dbtest.Open(t, url)), newCatalog(t, record)
	watcher, err := record.Watch(t.Context(), db.WatcherOptions{})
	require.NoError(t, err)
	t.Cleanup(watcher.Close)
	require.NoError(t, record.Enter(t.Context(), db.Process{Role: "worker"}))
	watcher.OnPackagesChange(following.Changed)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { following.Follow(ctx); close(ended) }()
	notes := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	require.NoError(t, uploading.Upload(t.Context(), dartest.DAR(t, notes), true, catalog.Request{}))
	require.Eventually(t, func() bool {
		packages, at := following.Known()
		return at > 0 && packages.PackageName(notes.ID) == "notes"
	}, time.Minute, time.Millisecond)
	cancel()
	<-ended
}

func TestFor_HasUploadsOfOtherNodes(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t)
	uploading, deaf := newCatalog(t, dbtest.Open(t, url)), newCatalog(t, dbtest.Open(t, url))
	notes := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	require.NoError(t, uploading.Upload(t.Context(), dartest.DAR(t, notes), true, catalog.Request{}))
	_, at := deaf.Known()
	require.Zero(t, at)
	packages, err := deaf.For(t.Context())
	require.NoError(t, err)
	require.Equal(t, "notes", packages.PackageName(notes.ID))
	list, err := deaf.List(t.Context())
	require.NoError(t, err)
	_, known := list.Find(notes.ID)
	require.True(t, known)
}

// A later version of the program has a built-in package with the name of an uploaded one.
func TestNew_RefusesBuiltInNameWithStoredContracts(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	notes := dartest.Compile(t, dartest.Notes("notes", "1.0.0", ""))
	require.NoError(t, newCatalog(t, record).Upload(t.Context(), dartest.DAR(t, notes), true, catalog.Request{}))
	_, err := open(t, record, builtIn(t, "notes"))
	require.NoError(t, err, "it has no contracts")
	insertContract(t, record, lf.TypeName{Package: notes.ID, Module: "N", Entity: "Note"})
	_, err = open(t, record, builtIn(t, "notes"))
	for _, words := range []string{string(notes.ID), "notes 9.0.0 built in", "start the version that ran before"} {
		require.ErrorContains(t, err, words)
	}
	_, err = open(t, record, builtIn(t, "others"))
	require.NoError(t, err)
}

func insertContract(t *testing.T, record *db.DB, template lf.TypeName) {
	t.Helper()
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		head, err := tx.LockHead(t.Context())
		if err != nil {
			return err
		}
		head = head.Next(time.Now())
		return tx.Append(t.Context(), db.Entries{Head: head, Created: []db.NewContract{{
			Contract: ledger.Contract{
				ID: "00" + ledger.ContractID(strings.Repeat("ab", 32)), Template: template, PackageName: "notes",
				Payload: []byte(`{}`), Signatories: []ledger.Party{"alice::1220aa"}, CreatedAt: time.Now().UTC(),
			}, Offset: head.Offset,
		}}})
	}))
}
