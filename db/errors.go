package db

import (
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinledger/florin/ledger/fault"
)

// ErrConflict means that the record changed after the transaction read it: an input was archived, a key taken or a
// submission completed meanwhile. Run the transaction again from its beginning; [DB.InTx] does so by itself.
var ErrConflict = errors.New("the record changed meanwhile")

// DataError means that the database works but cannot process its input: a value out of range, a text that it cannot
// represent, a broken constraint, an index row that is too large. Another try fails in the same way.
type DataError struct {
	// Condition is PostgreSQL's name of the error, such as NumericValueOutOfRange; "Unreadable" for a value that the node
	// cannot decode or encode.
	Condition string
	// Constraint is the broken one; "" for none.
	Constraint string

	cause error
}

// Error is the text of the cause.
func (e *DataError) Error() string { return e.cause.Error() }

// Unwrap is the error of the driver or of the decoder.
func (e *DataError) Unwrap() error { return e.cause }

// Kind names the error without any value.
func (e *DataError) Kind() string {
	if e.Constraint == "" {
		return e.Condition
	}
	return e.Condition + " " + e.Constraint
}

// IsText reports whether the error is about a text that PostgreSQL cannot store, with a NUL or broken UTF-8.
func (e *DataError) IsText() bool {
	return e.Condition == pgerrcode.Name(pgerrcode.UntranslatableCharacter) ||
		e.Condition == pgerrcode.Name(pgerrcode.CharacterNotInRepertoire)
}

func unreachable(err error) error { return &UnreachableError{err} }

// UnreachableError says that no connection to the database could be made. The caller knows where the URL comes from,
// and adds it.
type UnreachableError struct{ cause error }

// Error names the next step. The driver lists each try on its own line, most of them twice; here they are one line.
func (e *UnreachableError) Error() string {
	lines := strings.FieldsFunc(e.cause.Error(), func(char rune) bool { return char == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	message := "cannot reach the database: " + strings.Join(slices.Compact(lines), " ")
	if e.IsFull() {
		return message + adviceIfFull(e.cause)
	}
	return message + "; check its URL and that it runs"
}

// IsFull reports whether the server was reached and has no connection left.
func (e *UnreachableError) IsFull() bool { return isFull(e.cause) }

// adviceIfFull names the next step at the connection limit of the role, of the database, or of the server.
func adviceIfFull(err error) string {
	pgErr, _ := errors.AsType[*pgconn.PgError](err)
	for _, of := range []string{"role", "database"} {
		if pgErr != nil && strings.HasPrefix(pgErr.Message, "too many connections for "+of+" ") {
			return ": each process uses --database-connections (FLORIN_DATABASE_CONNECTIONS, 32) and one more; all " +
				"processes together must fit into the connection limit of this " + of + ": lower --database-connections, or raise " +
				"the limit with ALTER " + strings.ToUpper(of) + " … CONNECTION LIMIT"
		}
	}
	return fullAdvice
}

// fullAdvice is the next step when the server takes no more connections.
const fullAdvice = ": the server has no connection left for this process; each process uses --database-connections " +
	"(FLORIN_DATABASE_CONNECTIONS, 32) and one more; all processes and Temporal together must fit into " +
	"max_connections: lower --database-connections or raise max_connections"

// isFull reports whether the server, or the role or the database there, may have no further connection.
func isFull(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == pgerrcode.TooManyConnections
}

// Unwrap is the driver's error.
func (e *UnreachableError) Unwrap() error { return e.cause }

// unreadable makes a [DataError] of an error in decoding or encoding rows; nil for nil.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return &DataError{Condition: "Unreadable", cause: err}
}

// isData reports whether an error of PostgreSQL is about its input. All others are about the state of the database, and
// may pass: connections, resources, locks, shutdown, a server that only reads, a schema that is being changed.
func isData(code string) bool {
	return pgerrcode.IsDataException(code) || pgerrcode.IsIntegrityConstraintViolation(code) ||
		pgerrcode.IsProgramLimitExceeded(code) || pgerrcode.IsCardinalityViolation(code) ||
		pgerrcode.IsTriggeredDataChangeViolation(code) || pgerrcode.IsWithCheckOptionViolation(code) ||
		pgerrcode.IsPLpgSQLError(code)
}

// isConflict reports whether breaking a constraint means that someone else was faster.
func isConflict(constraint string) bool {
	switch constraint {
	case "contracts_id_unique", "contracts_active_key_unique", "updates_offset_unique", "updates_id_unique",
		"completions_offset_unique", "completions_one_per_submission":
		return true
	default:
		return false
	}
}

// brokenKey matches the value that broke a constraint in the detail of PostgreSQL's error, which in any language has
// the form (columns)=(value).
var brokenKey = regexp.MustCompile(`(?s)\([^()]*\)=\((.*)\)`)

// refusal maps a broken constraint to the refusal that it stands for, or nil. It takes only the offending value from
// PostgreSQL, not its text: that names tables and columns, which clients do not know.
func refusal(broken *pgconn.PgError) *fault.Fault {
	value := "it"
	if found := brokenKey.FindStringSubmatch(broken.Detail); found != nil {
		value = strconv.Quote(found[1])
	}
	switch broken.ConstraintName {
	case "users_id_unique":
		return fault.UserAlreadyExists.New("creating user failed: %s exists already", value)
	case "user_rights_belong_to_a_user":
		return fault.UserNotFound.New("granting user rights failed: there is no user %s", value)
	case "user_rights_kind_is_known":
		return fault.InvalidArgumentf("unknown kind of right")
	case "user_rights_party_fits_kind":
		return fault.InvalidArgumentf("the kinds CanActAs, CanReadAs and CanExecuteAs need a party, others have none")
	case "users_identity_provider_exists", "parties_identity_provider_exists":
		return fault.InvalidArgumentf("there is no identity provider %s", value).WithHint("Make it first.")
	case "identity_providers_id_unique":
		return fault.IDPConfigAlreadyExists.New("creating an identity provider failed: %s exists already", value)
	case "identity_providers_issuer_unique":
		return fault.IDPConfigIssuerAlreadyExists.New("another identity provider has the issuer %s already", value)
	case "parties_allocated_once":
		return fault.InvalidArgumentf("Party already exists: %s is already allocated on this node", value)
	default:
		return nil
	}
}

// explainInUse gives the reason why something cannot be deleted: the broken constraint names the rows that still refer
// to it.
func explainInUse(err error, id string) error {
	broken, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	var owned string
	switch broken.ConstraintName {
	case "users_identity_provider_exists":
		owned = "users"
	case "parties_identity_provider_exists":
		owned = "parties"
	default:
		return err
	}
	return fault.InvalidArgumentf("identity provider %q cannot be deleted as long as it has %s", id, owned).
		WithHint("Move its " + owned + " to another identity provider, or deactivate this identity provider instead.").Wrap(err)
}

// failed makes the error of an operation: nil for nil; a fault if a client may see it; [ErrConflict] after a lost race;
// a [DataError] for input that the database cannot process; else the driver's error after the name of the operation.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	if _, isFault := fault.As(err); isFault || errors.Is(err, ErrConflict) {
		return err
	}
	pgErr, answered := errors.AsType[*pgconn.PgError](err)
	if answered && pgErr.ConstraintName != "" {
		if isConflict(pgErr.ConstraintName) {
			return fmt.Errorf("%s: %w: %w", doing, ErrConflict, err)
		}
		if clientFault := refusal(pgErr); clientFault != nil {
			return clientFault.Wrap(fmt.Errorf("%s: %w", doing, err))
		}
	}
	err = fmt.Errorf("%s: %w", doing, err)
	switch {
	case answered && isData(pgErr.Code):
		return &DataError{Condition: pgerrcode.Name(pgErr.Code), Constraint: pgErr.ConstraintName, cause: err}
	case isUnwritable(err):
		return fault.ServiceNotRunning.New("The database takes no changes at the moment.").
			With("service_name", "database").Wrap(err)
	case isFull(err):
		return fault.ServiceNotRunning.New("The database has no connection left.").With("service_name", "database").
			Wrap(fmt.Errorf("%w%s", err, fullAdvice))
	case isAway(err):
		return fault.ServiceNotRunning.New("The database does not answer.").With("service_name", "database").Wrap(err)
	default:
		return err
	}
}

// isUnwritable reports whether the database answers and cannot store anything: it is a standby or was made read-only,
// or its disk is full. That passes.
func isUnwritable(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == pgerrcode.DiskFull || isReadOnly(err)
}

// isReadOnly reports whether the session of a connection only reads. It stays so for as long as the connection lives,
// also when the server was made primary or another one took its place.
func isReadOnly(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pgErr.Code == pgerrcode.ReadOnlySQLTransaction
}

// isAway reports whether no connection could be made, refused passwords included, or the database is starting or
// stopping, or has no connection left. That passes, or an operator sees to it.
func isAway(err error) bool {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}
	if pgErr, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pgerrcode.IsConnectionException(pgErr.Code) || pgerrcode.IsInsufficientResources(pgErr.Code) ||
			pgErr.Code == pgerrcode.AdminShutdown || pgErr.Code == pgerrcode.CrashShutdown ||
			pgErr.Code == pgerrcode.CannotConnectNow
	}
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
