package script

import (
	"errors"
	"fmt"

	"github.com/florinledger/florin/daml/engine"
)

// question is a question of a script to the ledger.
type question struct {
	*run
	reader  *reader
	name    string
	version int64
	payload *engine.Record
	at      []Frame
}

// questionHandler answers questions of one name.
type questionHandler struct {
	version int64 // the highest
	answer  func(q *question) (engine.Value, error)
}

// questionHandlers are all questions. The names of the fields tell the versions of a question apart.
func questionHandlers() map[string]questionHandler {
	return map[string]questionHandler{
		"Submit":                   {2, (*question).submit},
		"QueryACS":                 {1, (*question).queryACS},
		"QueryContractId":          {1, (*question).queryContractID},
		"QueryInterface":           {1, (*question).queryInterface},
		"QueryInterfaceContractId": {1, (*question).queryInterfaceContractID},
		"QueryByKey":               {2, (*question).queryByKey},
		"QueryContractKey":         {1, (*question).queryByKey}, // the name of QueryByKey in older libraries
		"QueryNByKey":              {1, (*question).queryNByKey},
		"AllocateParty":            {2, (*question).allocateParty},
		"ListKnownParties":         {1, (*question).listKnownParties},
		"GetTime":                  {1, (*question).getTime},
		"SetTime":                  {1, (*question).setTime},
		"Sleep":                    {1, (*question).sleep},
		"Secp256k1Sign":            {1, (*question).secp256k1Sign},
		"Secp256k1WithEcdsaSign":   {1, (*question).secp256k1SignDigest},
		"Secp256k1GenerateKeyPair": {1, (*question).secp256k1KeyPair},
		"Catch":                    {1, (*question).catch},
		"Throw":                    {1, (*question).throw},
		"ValidateUserId":           {1, (*question).validateUserID},
		"CreateUser":               {1, (*question).createUser},
		"GetUser":                  {1, (*question).getUser},
		"DeleteUser":               {1, (*question).deleteUser},
		"ListAllUsers":             {1, (*question).listAllUsers},
		"GrantUserRights":          {1, (*question).grantUserRights},
		"RevokeUserRights":         {1, (*question).revokeUserRights},
		"ListUserRights":           {1, (*question).listUserRights},
		"VetPackages":              {1, (*question).vetPackages},
		"UnvetPackages":            {1, (*question).unvetPackages},
		"ListVettedPackages":       {1, (*question).listVettedPackages},
		"ListAllPackages":          {1, (*question).listAllPackages},
		"TryCommands":              {1, (*question).tryCommands},
		"FailWithStatus":           {1, (*question).failWithStatus},
		"TryFailureStatus":         {1, (*question).tryFailureStatus},
	}
}

func (q *question) answer() (engine.Value, error) {
	known, ok := q.known[q.name]
	if !ok || q.version < 1 || q.version > known.version {
		return nil, q.endRun(fmt.Errorf("question %s %d of the Daml Script library is not known", q.name, q.version))
	}
	v, err := known.answer(q)
	if misread := errors.Join(q.reader.err, q.make.err); misread != nil {
		return nil, q.endRun(misread)
	}
	if err == nil {
		return v, nil
	}
	if passed, ok := errors.AsType[*passThroughError](err); ok {
		return nil, passed.err
	}
	return nil, q.fail(err)
}

// passThroughError is an error of the inner script, not of the question: it passes through.
type passThroughError struct{ err error }

func (p *passThroughError) Error() string { return p.err.Error() }

func (q *question) fail(err error) error {
	if _, already := errors.AsType[*questionError](err); already {
		return err
	}
	return &questionError{question: q.name, at: q.at, err: err, final: q.isRunError(err)}
}

// endRun makes a failure that ends the run. Nothing catches it.
func (q *question) endRun(err error) error {
	return &questionError{question: q.name, at: q.at, err: err, final: true}
}

// isRunError reports whether an error comes from the run itself, not from the ledger's answer to the script.
func (q *question) isRunError(err error) bool {
	_, defect := errors.AsType[*engine.Defect](err)
	_, failure := errors.AsType[*engine.Failure](err)
	return q.ctx.Err() != nil || defect || failure && !q.isRefusal(err)
}
