package db

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// The test has all error codes of PostgreSQL, class by class: errors about the data stay when the caller tries again;
// all others may pass.
func TestFailed_DecidesOnEveryClassOfErrors(t *testing.T) {
	t.Parallel()
	ofData := map[string]bool{
		"21": true, "22": true, "23": true, "27": true, "44": true, "54": true, "P0": true,

		"00": false, "01": false, "02": false, "03": false, "08": false, "09": false, "0A": false, "0B": false,
		"0F": false, "0L": false, "0P": false, "0Z": false, "20": false, "24": false, "25": false, "26": false,
		"28": false, "2B": false, "2D": false, "2F": false, "34": false, "38": false, "39": false, "3B": false,
		"3D": false, "3F": false, "40": false, "42": false, "53": false, "55": false, "57": false, "58": false,
		"72": false, "F0": false, "HV": false, "XX": false,
	}
	known := 0
	for class, expected := range ofData {
		for number := range 36 * 36 * 36 {
			code := class + base36(number)
			if pgerrcode.Name(code) == "" {
				continue
			}
			known++
			err := failed("appending", fmt.Errorf("sent: %w", &pgconn.PgError{Code: code, Message: "m"}))
			data, isData := errors.AsType[*DataError](err)
			require.Equal(t, expected, isData, code)
			if isData {
				require.Equal(t, pgerrcode.Name(code), data.Kind())
				require.ErrorContains(t, err, "appending")
			}
		}
	}
	require.Greater(t, known, 200, "the test found the codes")
}

func TestFailed_NamesTheBrokenData(t *testing.T) {
	t.Parallel()
	err := failed("appending", &pgconn.PgError{
		Code: pgerrcode.CheckViolation, ConstraintName: "ledger_head_traffic_is_not_negative",
	})
	data, ok := errors.AsType[*DataError](err)
	require.True(t, ok)
	require.Equal(t, "CheckViolation ledger_head_traffic_is_not_negative", data.Kind())
	require.False(t, data.IsText())
	for _, code := range []string{pgerrcode.UntranslatableCharacter, pgerrcode.CharacterNotInRepertoire} {
		data, ok := errors.AsType[*DataError](failed("appending", &pgconn.PgError{Code: code}))
		require.True(t, ok)
		require.True(t, data.IsText())
	}
}

// base36 writes three digits, as the codes have.
func base36(number int) string {
	text := strconv.FormatInt(int64(number), 36)
	upper := []byte("000")
	for i := range text {
		c := text[len(text)-1-i]
		if c >= 'a' {
			c -= 'a' - 'A'
		}
		upper[2-i] = c
	}
	return string(upper)
}
