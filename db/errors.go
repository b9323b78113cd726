package db

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/fault"
)

// ErrConflict means that the record changed after the transaction read it: an input was archived, a key taken or a
// submission completed meanwhile. Run the transaction again from its beginning; [DB.InTx] does so by itself.
var ErrConflict = errors.New("the record changed meanwhile")

// isConflict tells which broken constraints mean that someone else was faster.
func isConflict(constraint string) bool {
	switch constraint {
	case "contracts_id_unique", "contracts_active_key_unique", "updates_offset_unique", "updates_id_unique",
		"completions_offset_unique", "completions_one_per_submission":
		return true
	default:
		return false
	}
}

// refusal maps the name of a broken constraint to the refusal it stands for, or nil. The detail is PostgreSQL's: it
// names the offending value.
func refusal(constraint, detail string) *fault.Fault {
	switch constraint {
	case "users_id_unique":
		return fault.UserAlreadyExists.New("creating user failed: %s", detail)
	case "user_rights_belong_to_a_user":
		return fault.UserNotFound.New("granting user rights failed: %s", detail)
	case "user_rights_kind_is_known":
		return fault.InvalidArgumentf("unknown kind of right: %s", detail)
	case "user_rights_party_fits_kind":
		return fault.InvalidArgumentf("the kinds CanActAs, CanReadAs and CanExecuteAs need a party, others have none: %s",
			detail)
	case "users_identity_provider_exists", "parties_identity_provider_exists":
		return fault.InvalidArgumentf("the identity provider must exist, and cannot be deleted as long as it has users or "+
			"parties: %s", detail).WithHint("Move its users to another identity provider, or deactivate it instead.")
	case "identity_providers_id_unique":
		return fault.IDPConfigAlreadyExists.New("creating an identity provider failed: %s", detail)
	case "identity_providers_issuer_unique":
		return fault.IDPConfigIssuerAlreadyExists.New("changing an identity provider failed: %s", detail)
	case "parties_allocated_once":
		return fault.InvalidArgumentf("Party already exists: %s", detail)
	default:
		return nil
	}
}

// failed makes the error of an operation: nil for nil; a fault for what a client may be told; [ErrConflict] for lost
// races; else the driver's error with what was being done.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, isFault := fault.As(err); isFault || errors.Is(err, ErrConflict) {
		return err
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok && pgErr.ConstraintName != "" {
		if isConflict(pgErr.ConstraintName) {
			return fmt.Errorf("%s: %w: %w", doing, ErrConflict, err)
		}
		if refused := refusal(pgErr.ConstraintName, pgErr.Detail); refused != nil {
			return refused.Wrap(fmt.Errorf("%s: %w", doing, err))
		}
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case isUnwritable(err):
		return fault.ServiceNotRunning.New("The database takes no changes at the moment.").
			With("service_name", "database").Wrap(err)
	case isAway(err):
		return fault.ServiceNotRunning.New("The database does not answer.").With("service_name", "database").Wrap(err)
	default:
		return err
	}
}

// isUnwritable tells that the database answers and cannot store anything: it is a standby or was made read-only, or
// its disk is full. That passes.
func isUnwritable(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == pgerrcode.DiskFull || isReadOnly(err)
}

// isReadOnly tells that the session of a connection only reads. It stays so for as long as the connection lives, also
// when the server was made primary or another one took its place.
func isReadOnly(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == pgerrcode.ReadOnlySQLTransaction
}

// isAway tells that the database could not be reached, is starting or stopping, or has no connection left. That passes.
func isAway(err error) bool {
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgerrcode.IsConnectionException(pgErr.Code) || pgerrcode.IsInsufficientResources(pgErr.Code) ||
			pgErr.Code == pgerrcode.AdminShutdown || pgErr.Code == pgerrcode.CrashShutdown ||
			pgErr.Code == pgerrcode.CannotConnectNow
	}
	var connecting *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connecting) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
