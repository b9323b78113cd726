package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger/fault"
)

func TestUnreachableError_IsOneLine(t *testing.T) {
	t.Parallel()
	_, cause := pgconn.Connect(t.Context(), "postgres://x:y@127.0.0.1:1/z")
	err := unreachable(cause)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "\t")
	require.Contains(t, err.Error(), "check its URL and that it runs")
	require.Equal(t, 1, strings.Count(err.Error(), "connection refused"))
}

func TestFailed_SaysWhatToChangeAtTheConnectionLimit(t *testing.T) {
	t.Parallel()
	full := &pgconn.PgError{Code: pgerrcode.TooManyConnections, Message: "sorry, too many clients already"}
	for _, err := range []error{unreachable(full), errors.Unwrap(failed("reading", full))} {
		require.ErrorContains(t, err, "sorry, too many clients already")
		require.ErrorContains(t, err, "--database-connections")
		require.ErrorContains(t, err, "max_connections")
		require.NotContains(t, err.Error(), "check its URL")
	}
	require.True(t, fault.ServiceNotRunning.Matches(failed("reading", full)), "it is transient")
	for message, advice := range map[string]string{
		`too many connections for role "florin"`:     "ALTER ROLE … CONNECTION LIMIT",
		`too many connections for database "florin"`: "ALTER DATABASE … CONNECTION LIMIT",
	} {
		limited := &pgconn.PgError{Code: pgerrcode.TooManyConnections, Message: message}
		require.ErrorContains(t, unreachable(limited), advice)
		require.NotContains(t, unreachable(limited).Error(), "max_connections")
	}
}

func TestFailed_MakesFaultsOfErrors(t *testing.T) {
	t.Parallel()
	violation := func(constraint string) error {
		return &pgconn.PgError{Code: pgerrcode.UniqueViolation, ConstraintName: constraint, Detail: "Key (x)=(alice) exists."}
	}

	t.Run("is nil for nil", func(t *testing.T) {
		t.Parallel()
		require.NoError(t, failed("reading", nil))
	})

	t.Run("says what was being done and keeps the cause", func(t *testing.T) {
		t.Parallel()
		broken := errors.New("broken")
		err := failed("reading", broken)
		require.EqualError(t, err, "reading: broken")
		require.ErrorIs(t, err, broken)
		_, isFault := fault.As(err)
		require.False(t, isFault)
	})

	t.Run("leaves faults and conflicts as they are", func(t *testing.T) {
		t.Parallel()
		for _, err := range []error{fault.UserNotFoundWhen("x", "y"), fmt.Errorf("a: %w", ErrConflict)} {
			require.Equal(t, err, failed("reading", err))
		}
	})

	t.Run("leaves the end of a context recognizable", func(t *testing.T) {
		t.Parallel()
		err := failed("reading", context.DeadlineExceeded)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, isFault := fault.As(err)
		require.False(t, isFault)
	})

	t.Run("makes conflicts of lost races", func(t *testing.T) {
		t.Parallel()
		for _, constraint := range []string{
			"contracts_id_unique", "contracts_active_key_unique", "updates_offset_unique", "updates_id_unique",
			"completions_offset_unique", "completions_one_per_submission",
		} {
			require.ErrorIs(t, failed("appending", violation(constraint)), ErrConflict)
		}
	})

	t.Run("makes faults that name the value of refusals", func(t *testing.T) {
		t.Parallel()
		for constraint, code := range map[string]fault.Code{
			"users_id_unique": fault.UserAlreadyExists, "user_rights_belong_to_a_user": fault.UserNotFound,
			"users_identity_provider_exists": fault.InvalidArgument, "parties_identity_provider_exists": fault.InvalidArgument,
			"identity_providers_id_unique":     fault.IDPConfigAlreadyExists,
			"identity_providers_issuer_unique": fault.IDPConfigIssuerAlreadyExists,
			"parties_allocated_once":           fault.InvalidArgument,
		} {
			err := failed("changing", violation(constraint))
			require.True(t, code.Matches(err), constraint)
			require.ErrorContains(t, err, `"alice"`)
		}
		for _, constraint := range []string{"user_rights_kind_is_known", "user_rights_party_fits_kind"} {
			require.True(t, fault.InvalidArgument.Matches(failed("changing", violation(constraint))), constraint)
		}
	})

	t.Run("keeps the words of the database from clients", func(t *testing.T) {
		t.Parallel()
		for _, constraint := range []string{
			"users_id_unique", "user_rights_belong_to_a_user", "user_rights_kind_is_known", "user_rights_party_fits_kind",
			"users_identity_provider_exists", "parties_identity_provider_exists", "identity_providers_id_unique",
			"identity_providers_issuer_unique", "parties_allocated_once",
		} {
			for detail, value := range map[string]string{
				`Key (some_column)=(a)=(b)) already exists.`:                                      `"a)=(b)"`,
				`Key (some_column)=(x) is still referenced from table "some_table".`:              `"x"`,
				`Key (one_column, some_column)=(x, y) is not present in table "some_table".`:      `"x, y"`,
				`Auf Schlüssel (some_column)=(x) wird noch aus Tabelle »some_table« verwiesen.`:   `"x"`,
				`Failing row contains (some_column, 2026-01-01, null, some_table).`:               "",
				`Fehlgeschlagene Zeile enthält (some_column, 2026-01-01, null, some_table, row).`: "",
			} {
				broken := &pgconn.PgError{Code: pgerrcode.UniqueViolation, ConstraintName: constraint, Detail: detail}
				for _, err := range []error{failed("changing", broken), failed("deleting", explainInUse(broken, "the id"))} {
					clientFault, isFault := fault.As(err)
					require.True(t, isFault, constraint)
					require.NotRegexp(t, `some_|Key|Schlüssel|row|Zeile|2026`, clientFault.Cause+clientFault.Hint, constraint)
					if !strings.HasPrefix(constraint, "user_rights_") && !strings.Contains(clientFault.Cause, "the id") {
						require.Contains(t, clientFault.Cause, value, constraint)
					}
				}
			}
		}
	})

	t.Run("makes a transient fault of a database that is away", func(t *testing.T) {
		t.Parallel()
		for _, err := range []error{
			&pgconn.PgError{Code: pgerrcode.TooManyConnections}, &pgconn.PgError{Code: pgerrcode.CannotConnectNow},
			&pgconn.PgError{Code: pgerrcode.AdminShutdown}, io.ErrUnexpectedEOF, fmt.Errorf("receiving: %w", io.EOF),
		} {
			require.True(t, fault.ServiceNotRunning.Matches(failed("reading", err)), err)
		}
	})

	t.Run("makes another one of a database that takes no changes", func(t *testing.T) {
		t.Parallel()
		for _, code := range []string{pgerrcode.ReadOnlySQLTransaction, pgerrcode.DiskFull} {
			err := failed("appending", &pgconn.PgError{Code: code})
			require.True(t, fault.ServiceNotRunning.Matches(err), code)
			refusal, _ := fault.As(err)
			require.Equal(t, "The database takes no changes at the moment.", refusal.Cause)
			require.Equal(t, "database", refusal.Context["service_name"])
		}
	})

	t.Run("does not hide other errors of the database", func(t *testing.T) {
		t.Parallel()
		err := failed("reading", &pgconn.PgError{Code: pgerrcode.SyntaxError, Message: "syntax"})
		require.ErrorContains(t, err, "syntax")
		_, isFault := fault.As(err)
		require.False(t, isFault)
	})
}
