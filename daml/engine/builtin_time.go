package engine

import (
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

func timeBuiltins() map[ast.BuiltinFunction]builtinDef {
	return map[ast.BuiltinFunction]builtinDef{
		ast.DateToText: {1, pure(func(m *machine, args []Value) Value {
			m.memory -= scalarTextBytes
			return lf.Text(showDate(args[0].(lf.Date)))
		})},
		ast.DateToUnixDays: {1, pure(func(_ *machine, args []Value) Value { return lf.Int64(args[0].(lf.Date)) })},
		ast.TimestampToText: {1, pure(func(m *machine, args []Value) Value {
			m.memory -= scalarTextBytes
			return lf.Text(showTimestamp(args[0].(lf.Timestamp)))
		})},
		ast.TimestampToUnixMicroseconds: {1, pure(func(_ *machine, args []Value) Value {
			return lf.Int64(args[0].(lf.Timestamp))
		})},
		ast.UnixDaysToDate: {1, arithmetic{ast.UnixDaysToDate.String(), func(_ *machine, args []Value) (Value, bool) {
			days := args[0].(lf.Int64)
			if days != lf.Int64(int32(days)) {
				return nil, false
			}
			day := lf.DayStart(lf.Date(days))
			return lf.Date(days), day >= lf.MinTimestamp() && day <= lf.MaxTimestamp()
		}}},
		ast.UnixMicrosecondsToTimestamp: {1, arithmetic{
			ast.UnixMicrosecondsToTimestamp.String(), func(_ *machine, args []Value) (Value, bool) {
				t := lf.Timestamp(args[0].(lf.Int64))
				return t, t >= lf.MinTimestamp() && t <= lf.MaxTimestamp()
			},
		}},
	}
}

func showDate(d lf.Date) string { return lf.DayStart(d).Time().Format("2006-01-02") }

// showTimestamp prints a timestamp with three or six digits after the point, or none if they are zeros.
func showTimestamp(t lf.Timestamp) string {
	text := t.Time().Format("2006-01-02T15:04:05.000000")
	text = strings.TrimSuffix(text, "000")
	return strings.TrimSuffix(text, ".000") + "Z"
}
