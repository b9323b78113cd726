package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/florinledger/florin/daml/outline"
)

// maxOutlineBytes limits the packages whose outlines the page keeps, by the size of their archives.
const maxOutlineBytes = 64 << 20

// errNoArchive is the error for a package of which the node has no archive: built-in ones, and unknown ones.
var errNoArchive = errors.New("the node has no archive of the package")

// errUnreadable is the error for a package that the page cannot read.
var errUnreadable = errors.New("the page cannot read the package")

// outlineCache caches the outlines of packages. A package's id is the hash of its content, so an outline is right for
// ever, and everybody who is signed in may read packages.
type outlineCache struct {
	// turn is held while a package is read: that takes memory and time.
	turn chan struct{}

	mu    sync.Mutex
	known map[string]*outline.Package
	bytes int
}

func newOutlineCache() *outlineCache {
	return &outlineCache{turn: make(chan struct{}, 1), known: map[string]*outline.Package{}}
}

func (o *outlineCache) find(id string) *outline.Package {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[id]
}

func (o *outlineCache) keep(read *outline.Package, bytes int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes += bytes; o.bytes > maxOutlineBytes {
		clear(o.known)
		o.bytes = bytes
	}
	o.known[read.ID] = read
}

// wait waits for the turn to read a package; done ends the turn.
func (o *outlineCache) wait(ctx context.Context) (done func(), err error) {
	select {
	case o.turn <- struct{}{}:
		return func() { <-o.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// outline reads what a package offers. The error is [errNoArchive] if the node cannot send the package.
func (s *site) outline(v *visit, id string) (*outline.Package, error) {
	if known := s.outlines.find(id); known != nil {
		return known, nil
	}
	done, err := s.outlines.wait(v.ctx())
	if err != nil {
		return nil, err
	}
	defer done()
	if known := s.outlines.find(id); known != nil {
		return known, nil
	}
	payload, err := v.api.PackagePayload(v.ctx(), id)
	switch {
	case isStatus(err, http.StatusNotFound) || isStatus(err, http.StatusBadRequest):
		return nil, errNoArchive
	case err != nil:
		return nil, err
	}
	read, err := outline.Read(payload)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", errUnreadable, id, err)
	}
	if read.ID != id {
		return nil, fmt.Errorf("%w %s: its hash is %s", errUnreadable, id, read.ID)
	}
	s.outlines.keep(read, len(payload))
	return read, nil
}

// dataOf is the definition of a type in any package, without synonyms; false if the node has no archive of it.
func (s *site) dataOf(v *visit, of outline.Type) (outline.Data, bool, error) {
	const maxSynonyms = 10
	for range maxSynonyms {
		pkg, err := s.outline(v, of.Name.Package)
		if errors.Is(err, errNoArchive) {
			return outline.Data{}, false, nil
		}
		if err != nil {
			return outline.Data{}, false, err
		}
		data, known := pkg.Data(of.Name)
		if !known || data.Alias == nil {
			return data.With(of.Args), known, nil
		}
		of = *data.With(of.Args).Alias
		if of.Kind != outline.Named {
			return outline.Data{Alias: &of}, true, nil
		}
	}
	return outline.Data{}, false, nil
}
