package check_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/check"
)

// FuzzPackages_EndWithTheSameResult replaces parts of well-formed packages by parts of the same sort: expressions,
// types, kinds, patterns and names. The check of the result ends, with the same error each time.
func FuzzPackages_EndWithTheSameResult(f *testing.F) {
	f.Add(uint16(0), []byte{})
	f.Add(uint16(3), []byte{0, 1, 2, 3, 4, 5})
	f.Add(uint16(9), []byte{200, 17, 3, 0, 90, 90, 0, 5, 201, 3, 7, 7})
	all := judgements()
	f.Fuzz(func(t *testing.T, from uint16, moves []byte) {
		j := all[int(from)%len(all)]
		p := withValue(j.typ, j.good)
		var places places
		places.collect(reflect.ValueOf(&p.Modules).Elem())
		for ; len(moves) >= 6; moves = moves[6:] {
			places.move(moves)
		}
		library := standardLibrary()
		if p.Index() != nil || library.Index() != nil {
			return
		}
		limits := check.Limits{Steps: 100_000, Depth: 1000}
		packages := []*ast.Package{library, p}
		first := check.Packages(t.Context(), packages, check.Options{Limits: limits})
		second := check.Packages(t.Context(), packages, check.Options{Limits: limits})
		require.Equal(t, first, second)
		if first != nil {
			var failure *check.Error
			require.ErrorAs(t, first, &failure)
			require.NotEmpty(t, failure.Problem)
		}
	})
}

// places are the places in a package of expressions, types, names and so on, by sort.
type places struct {
	kinds []reflect.Type
	of    map[reflect.Type][]reflect.Value
}

func (p *places) collect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Interface {
			p.add(v)
			// Copy the node: other packages may share it.
			node := reflect.New(v.Elem().Elem().Type())
			node.Elem().Set(v.Elem().Elem())
			v.Set(node)
			p.collect(node)
			return
		}
		p.collect(v.Elem())
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range own.Len() {
			p.collect(own.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				p.collect(v.Field(i))
			}
		}
	case reflect.String:
		p.add(v)
	default: // numbers do not move
	}
}

func (p *places) add(v reflect.Value) {
	if !v.CanSet() {
		return
	}
	if p.of == nil {
		p.of = map[reflect.Type][]reflect.Value{}
	}
	if p.of[v.Type()] == nil {
		p.kinds = append(p.kinds, v.Type())
	}
	p.of[v.Type()] = append(p.of[v.Type()], v)
}

// move copies the content of one place to another.
func (p *places) move(m []byte) {
	of := p.of[p.kinds[int(m[0])%len(p.kinds)]]
	from := of[(int(m[1])<<8|int(m[2]))%len(of)]
	to := of[(int(m[3])<<8|int(m[4]))%len(of)]
	steps := 10_000
	if !isWithin(to, from, &steps) {
		to.Set(from)
	}
}

// isWithin reports whether a place is part of another, so that a move would make a cycle. It reports true too when the
// search takes too many steps.
func isWithin(place, of reflect.Value, steps *int) bool {
	if of.CanAddr() && place.Addr().Pointer() == of.Addr().Pointer() {
		return true
	}
	if *steps--; *steps < 0 {
		return true
	}
	switch of.Kind() {
	case reflect.Interface, reflect.Pointer:
		return !of.IsNil() && isWithin(place, of.Elem(), steps)
	case reflect.Slice:
		for i := range of.Len() {
			if isWithin(place, of.Index(i), steps) {
				return true
			}
		}
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Type().Field(i).IsExported() && isWithin(place, of.Field(i), steps) {
				return true
			}
		}
	default: // no parts
	}
	return false
}
