package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// namespace follows the name in a party id.
const namespace = "::script"

// allocate makes a party. An exact name must be free; otherwise allocate adds a number to a name that exists.
func (l *memoryLedger) allocate(_ *question, name string, exactly bool) (ledger.Party, error) {
	if name == "" {
		name = "party"
	}
	party := ledger.Party(name)
	if ledger.CheckParty(name+namespace) != nil || strings.Contains(name, "::") {
		return "", fmt.Errorf("%q cannot be the name of a party: it may have up to %d letters, digits, spaces, colons, "+
			"minuses and underscores, without two colons in a row", fault.Shorten(name), lf.MaxPartyLength-len(namespace))
	}
	for n := 1; slices.Contains(l.parties, party); n++ {
		if exactly {
			return "", fmt.Errorf("a party with the hint %q exists already: choose another hint, or use allocateParty, which "+
				"adds a number to a name that exists", name)
		}
		party = ledger.Party(name + "-" + strconv.Itoa(n))
	}
	l.parties = append(l.parties, party)
	return party, nil
}

type user struct {
	id      string
	primary engine.Value // an optional party
	rights  []right
}

type right struct {
	kind  string
	party ledger.Party // "" for rights without a party
}

func (q *question) validateUserID() (engine.Value, error) {
	name := field[lf.Text](q.reader, q.payload, "name")
	wrong := ledger.CheckUserID(string(name))
	if wrong == nil {
		return none, nil
	}
	return some(lf.Text(wrong.Error())), nil
}

func (q *question) userID() string {
	return string(only[lf.Text](q.reader, field[*engine.Record](q.reader, q.payload, "userId")))
}

func (q *question) rights() []right {
	var out []right
	for _, v := range list[engine.Value](q.reader, field[*engine.List](q.reader, q.payload, "rights")) {
		switch v := v.(type) {
		case *engine.Variant:
			party, _ := v.Value.(lf.Party)
			out = append(out, right{v.Constructor(), party})
		case *engine.Enum:
			out = append(out, right{v.Constructor(), ""})
		default:
			q.reader.fail("%T is not a right of a user", v)
		}
	}
	return out
}

// createUser makes a user. It answers None if the user exists.
func (q *question) createUser() (engine.Value, error) {
	record := field[*engine.Record](q.reader, q.payload, "user")
	id := string(only[lf.Text](q.reader, field[*engine.Record](q.reader, record, "userId")))
	primary := field[*engine.Optional](q.reader, record, "primaryParty")
	rights := q.rights()
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	u := &user{id: id, primary: primary}
	u.grant(rights)
	if fresh, err := q.ledger.createUser(q, u); err != nil || !fresh {
		return none, err
	}
	return some(unit), nil
}

// grant adds rights, and returns the new ones.
func (u *user) grant(rights []right) []right {
	var added []right
	for _, r := range rights {
		if !slices.Contains(u.rights, r) {
			u.rights = append(u.rights, r)
			added = append(added, r)
		}
	}
	return added
}

// revoke removes rights, and returns those that the user had.
func (u *user) revoke(rights []right) []right {
	var removed []right
	for _, r := range rights {
		if i := slices.Index(u.rights, r); i >= 0 {
			u.rights = slices.Delete(u.rights, i, i+1)
			removed = append(removed, r)
		}
	}
	return removed
}

func (q *question) userValue(u *user) engine.Value {
	id := q.make.record(q.make.in(usersModule, "UserId"), fieldValues{"unpack": lf.Text(u.id)})
	return q.make.record(q.make.in(usersModule, "User"), fieldValues{"userId": id, "primaryParty": u.primary})
}

func (q *question) rightsValue(rights []right) engine.Value {
	name := q.make.in(usersModule, "UserRight")
	return listOf(rights, func(r right) engine.Value {
		if r.party != "" {
			return q.make.variant(name, r.kind, r.party)
		}
		return q.make.nullary(name, r.kind)
	})
}

// ofUser answers with the function's result for the user, or None if there is no such user.
func (q *question) ofUser(answer func(u *user) (engine.Value, error)) (engine.Value, error) {
	id := q.userID()
	if q.reader.err != nil {
		return nil, q.reader.err
	}
	found, err := q.ledger.user(q, id)
	if err != nil || found == nil {
		return none, err
	}
	v, err := answer(found)
	if err != nil {
		return nil, err
	}
	return some(v), nil
}

func (q *question) getUser() (engine.Value, error) {
	return q.ofUser(func(u *user) (engine.Value, error) { return q.userValue(u), nil })
}

func (q *question) deleteUser() (engine.Value, error) {
	return q.ofUser(func(u *user) (engine.Value, error) { return unit, q.ledger.deleteUser(q, u.id) })
}

func (q *question) listAllUsers() (engine.Value, error) {
	all, err := q.ledger.users(q)
	return listOf(all, q.userValue), err
}

func (q *question) grantUserRights() (engine.Value, error) {
	rights := q.rights()
	return q.ofUser(func(u *user) (engine.Value, error) {
		added, err := q.ledger.grant(q, u, rights)
		return q.rightsValue(added), err
	})
}

func (q *question) revokeUserRights() (engine.Value, error) {
	rights := q.rights()
	return q.ofUser(func(u *user) (engine.Value, error) {
		removed, err := q.ledger.revoke(q, u, rights)
		return q.rightsValue(removed), err
	})
}

func (q *question) listUserRights() (engine.Value, error) {
	return q.ofUser(func(u *user) (engine.Value, error) { return q.rightsValue(u.rights), nil })
}

// packageIDs finds the packages of names and versions.
func (q *question) packageIDs() ([]lf.PackageID, error) {
	var out []lf.PackageID
	for _, one := range list[*engine.Record](q.reader, field[*engine.List](q.reader, q.payload, "packages")) {
		name, version := field[lf.Text](q.reader, one, "name"), field[lf.Text](q.reader, one, "version")
		found := false
		for id, p := range q.suite.packages {
			if p.Name == string(name) && p.Release == string(version) {
				out, found = append(out, id), true
			}
		}
		if !found {
			return nil, fmt.Errorf("the package %s-%s is not known", name, version)
		}
	}
	return out, q.reader.err
}

func (q *question) vetPackages() (engine.Value, error) { return q.vet(true) }

func (q *question) unvetPackages() (engine.Value, error) { return q.vet(false) }

func (q *question) vet(allowed bool) (engine.Value, error) {
	ids, err := q.packageIDs()
	if err != nil {
		return nil, err
	}
	return unit, q.ledger.vet(q, ids, allowed)
}

func (q *question) listVettedPackages() (engine.Value, error) { return q.packageList(true) }

func (q *question) listAllPackages() (engine.Value, error) { return q.packageList(false) }

func (q *question) packageList(vetted bool) (engine.Value, error) {
	all, err := q.ledger.releases(q, vetted)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b release) int {
		return strings.Compare(a.name+"\x00"+a.version, b.name+"\x00"+b.version)
	})
	return listOf(slices.Compact(all), func(p release) engine.Value {
		return q.make.record(q.make.in(questionsRoot+"Packages", "PackageName"), fieldValues{
			"name": lf.Text(p.name), "version": lf.Text(p.version),
		})
	}), nil
}
