package ast

import "github.com/florinledger/florin/ledger/lf"

// Updates: u. They are expressions of type Update τ; evaluating one has no effect, running its value has.
type (
	// UpdatePure does nothing and has a result: 'pure' @τ e.
	UpdatePure struct {
		Type Type
		Expr Expr
	}
	// UpdateBlock does one update after another: 'bind' x₁ : τ₁ ← e₁ 'in' …. Each binding is in scope in what follows.
	UpdateBlock struct {
		Bindings []Binding
		Body     Expr
	}
	// UpdateCreate creates a contract: 'create' @Mod:T e.
	UpdateCreate struct {
		Template lf.TypeName
		Argument Expr
	}
	// UpdateCreateInterface creates the contract of an interface value: 'create_interface' @Mod:I e.
	UpdateCreateInterface struct {
		Interface lf.TypeName
		Argument  Expr
	}
	// UpdateFetch fetches a contract: 'fetch' @Mod:T e.
	UpdateFetch struct {
		Template   lf.TypeName
		ContractID Expr
	}
	// UpdateFetchInterface fetches a contract through an interface: 'fetch_interface' @Mod:I e.
	UpdateFetchInterface struct {
		Interface  lf.TypeName
		ContractID Expr
	}
	// UpdateExercise exercises a choice: 'exercise' @Mod:T Ch e₁ e₂.
	UpdateExercise struct {
		Template   lf.TypeName
		Choice     string
		ContractID Expr
		Argument   Expr
	}
	// UpdateExerciseInterface exercises a choice of an interface: 'exercise_interface' @Mod:I Ch e₁ e₂ e₃.
	UpdateExerciseInterface struct {
		Interface  lf.TypeName
		Choice     string
		ContractID Expr
		Argument   Expr
		// Guard is a function from the interface to Bool; nil for none. Only 2.dev has it.
		Guard Expr
	}
	// UpdateExerciseByKey exercises a choice of the contract that has a key: 'exercise_by_key' @Mod:T Ch e₁ e₂.
	UpdateExerciseByKey struct {
		Template lf.TypeName
		Choice   string
		Key      Expr
		Argument Expr
	}
	// UpdateFetchByKey is the function that fetches the contract that has a key: κ → Update (Tuple2 (ContractId T) T),
	// with the Tuple2 of the standard library's module DA.Types.
	UpdateFetchByKey struct{ Template lf.TypeName }
	// UpdateLookupByKey is the function that finds the id of the contract that has a key: κ → Update (Optional (ContractId
	// T)). Only packages in early forms of 2.dev have it.
	UpdateLookupByKey struct{ Template lf.TypeName }
	// UpdateQueryNByKey is the function that finds at most so many contracts that have a key: Int64 → κ → Update (Optional
	// (List (Tuple2 (ContractId T) T))).
	UpdateQueryNByKey struct{ Template lf.TypeName }
	// UpdateGetTime reads the ledger time: 'get_time'.
	UpdateGetTime struct{}
	// UpdateLedgerTimeLT reports whether the ledger time is before a timestamp, and reveals no more of it.
	UpdateLedgerTimeLT struct{ Time Expr }
	// UpdateEmbedExpr evaluates an expression to an update when it is run, and runs that: 'embed_expr' @τ e.
	UpdateEmbedExpr struct {
		Type Type
		Body Expr
	}
	// UpdateTryCatch runs an update, and handles what it throws: 'try' @τ e₁ 'catch' x. e₂. Handler, in which Var is of
	// type AnyException, evaluates to an optional update; None throws on.
	UpdateTryCatch struct {
		ReturnType Type
		Body       Expr
		Var        string
		Handler    Expr
	}
)

func (*UpdatePure) isExpr()              {}
func (*UpdateBlock) isExpr()             {}
func (*UpdateCreate) isExpr()            {}
func (*UpdateCreateInterface) isExpr()   {}
func (*UpdateFetch) isExpr()             {}
func (*UpdateFetchInterface) isExpr()    {}
func (*UpdateExercise) isExpr()          {}
func (*UpdateExerciseInterface) isExpr() {}
func (*UpdateExerciseByKey) isExpr()     {}
func (*UpdateFetchByKey) isExpr()        {}
func (*UpdateLookupByKey) isExpr()       {}
func (*UpdateQueryNByKey) isExpr()       {}
func (*UpdateGetTime) isExpr()           {}
func (*UpdateLedgerTimeLT) isExpr()      {}
func (*UpdateEmbedExpr) isExpr()         {}
func (*UpdateTryCatch) isExpr()          {}
