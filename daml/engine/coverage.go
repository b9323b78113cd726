package engine

import (
	"sync"
	"sync/atomic"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// coverage records which expressions of some packages ran.
type coverage struct {
	packages map[lf.PackageID]bool
	mu       sync.Mutex
	places   []*coverageProbe
}

// coverageProbe records that an expression ran.
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
	if !c.ran.Load() { // a read is cheaper than a write to shared memory
		c.ran.Store(true)
	}
}

// Cover records which expressions of a package run. Call it before using the program.
func (p *Program) Cover(id lf.PackageID) {
	if p.coverage == nil {
		p.coverage = &coverage{packages: map[lf.PackageID]bool{}}
	}
	p.coverage.packages[id] = true
}

// Ran lists the places of the expressions that ran, in the packages of Cover. A place may occur more than once.
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

// cover adds a probe to the code of an expression if Cover has its package.
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
