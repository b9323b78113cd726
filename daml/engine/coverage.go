package engine

import (
	"sync"
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// coverage notes which expressions of some packages were evaluated.
type coverage struct {
	packages map[lf.PackageID]bool
	mu       sync.Mutex
	places   []*coverageProbe
}

// coverageProbe is an expression whose evaluation is noted.
type coverageProbe struct {
	code
	at  ast.Location
	ran atomic.Bool
}

func (c *coverageProbe) quick(m *machine) (Value, bool) {
	c.note()
	return c.code.quick(m)
}

func (c *coverageProbe) step(m *machine) code {
	c.note()
	return c.code
}

func (c *coverageProbe) note() {
	if !c.ran.Load() { // reading is cheaper than writing what others read
		c.ran.Store(true)
	}
}

// Cover has the program note which expressions of a package are evaluated. It is to be called before the program is
// used.
func (p *Program) Cover(id lf.PackageID) {
	if p.coverage == nil {
		p.coverage = &coverage{packages: map[lf.PackageID]bool{}}
	}
	p.coverage.packages[id] = true
}

// Ran lists the places of the packages that are covered where expressions were evaluated, some of them more than once.
func (p *Program) Ran() []ast.Location {
	if p.coverage == nil {
		return nil
	}
	p.coverage.mu.Lock()
	defer p.coverage.mu.Unlock()
	var out []ast.Location
	for _, place := range p.coverage.places {
		if place.ran.Load() {
			out = append(out, place.at)
		}
	}
	return out
}

// cover is the code of an expression at a place, noted where its package is covered.
func (p *Program) cover(c code, at ast.Location) code {
	if p.coverage == nil || !p.coverage.packages[at.Package] {
		return c
	}
	out := &coverageProbe{code: c, at: at}
	p.coverage.mu.Lock()
	defer p.coverage.mu.Unlock()
	p.coverage.places = append(p.coverage.places, out)
	return out
}
