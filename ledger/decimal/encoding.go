package decimal

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
)

// MarshalText returns the canonical form, as String does.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what Parse accepts.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// MarshalJSON returns the canonical form as a JSON string, so that no reader takes it for a float.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(`"` + d.String() + `"`), nil }

// UnmarshalJSON reads a JSON string or a JSON number literal; the digits of a literal are read as text, exactly.
// It refuses null: an optional amount is a *Decimal.
func (d *Decimal) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return fmt.Errorf("%w: %w", ErrSyntax, err)
		}
		return d.UnmarshalText([]byte(text))
	}
	parsed, err := ParseNumber(string(data))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// Value gives the canonical form to a database driver.
func (d Decimal) Value() (driver.Value, error) { return d.String(), nil }

// Scan reads a column of type numeric (as text) or of an integer type. It refuses floats, which would already have lost
// digits, and NULL: a nullable column is a *Decimal.
func (d *Decimal) Scan(source any) error {
	switch value := source.(type) {
	case string:
		return d.UnmarshalText([]byte(value))
	case []byte:
		return d.UnmarshalText(value)
	case int64:
		*d = FromInt(value)
		return nil
	default:
		return fmt.Errorf("cannot read a column value of type %T as a decimal: use a numeric column", source)
	}
}
