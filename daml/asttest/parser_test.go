package asttest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
)

func TestPackage_ParsesText(t *testing.T) {
	t.Parallel()
	p := asttest.Package(t,
		`module M { val v : forall (a: *). a -> List a = /\ (a: *). \(x: a) -> Cons @a [x] (Nil @a); }`)
	v := &ast.TyVar{Name: "a"}
	list := &ast.TyApp{Fun: &ast.TyBuiltin{Type: ast.List}, Args: []ast.Type{v}}
	require.Equal(t, &ast.DefValue{
		Name: "v",
		Type: &ast.TyForall{Binder: ast.TypeBinder{Name: "a", Kind: &ast.KindStar{}}, Body: &ast.TyApp{
			Fun: &ast.TyBuiltin{Type: ast.Arrow}, Args: []ast.Type{v, list},
		}},
		Body: &ast.ExpTyAbs{Params: []ast.TypeBinder{{Name: "a", Kind: &ast.KindStar{}}}, Body: &ast.ExpAbs{
			Params: []ast.Binder{{Name: "x", Type: v}},
			Body: &ast.ExpListCons{
				Type: v, Front: []ast.Expr{&ast.ExpVar{Name: "x"}}, Tail: &ast.ExpListNil{Type: v},
			},
		}},
	}, p.Module("M").Values[0])
}

func TestParse_ReportsTheLineOfAnError(t *testing.T) {
	t.Parallel()
	_, err := asttest.Parse(asttest.PackageID, ast.V2_3, "module M {\n  val v : Int64 == 1;\n}")
	require.ErrorContains(t, err, `line 2: an expression expected, not "="`)
	_, err = asttest.Parse(asttest.PackageID, ast.V2_3, "module M { ? }")
	require.ErrorContains(t, err, "line 1: nothing begins with")
}
