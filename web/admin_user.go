package web

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/florinledger/florin/client"
)

type userView struct {
	User   nodeUser
	Rights []userRight
	More   int
	// Kinds are the rights that a form offers, in words.
	Kinds []rightChoice
	// IsSelf is true if the visitor is the user.
	IsSelf bool
	// Typed is the party that the visitor typed into the form for a new right, Primary the one for the primary party.
	Typed, Primary string
	Problem        *problem
}

// rightChoice is a right in the form. It concerns a party if NeedsParty is true.
type rightChoice struct {
	Kind, Words string
	NeedsParty  bool
	IsChosen    bool
}

// rightKinds are the rights in the order of the form: those that concern a party first.
var rightKinds = []string{
	"CanActAs", "CanReadAs", "CanExecuteAs", "ParticipantAdmin", "IdentityProviderAdmin", "CanReadAsAnyParty",
	"CanActAsAnyParty", "CanExecuteAsAnyParty",
}

func needsParty(kind string) bool { return slices.Contains(rightKinds[:3], kind) }

func rightChoices(chosen string) []rightChoice {
	choices := make([]rightChoice, len(rightKinds))
	for i, kind := range rightKinds {
		words := rightWords[kind]
		if needsParty(kind) {
			words += " the party"
		}
		choices[i] = rightChoice{kind, words, needsParty(kind), kind == chosen}
	}
	return choices
}

func userPage(id string) string { return adminPath + "/users/" + url.PathEscape(id) }

// showUser shows a user with its rights.
func (s *site) showUser(v *visit) error {
	data, err := v.userView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_user", data)
}

func (v *visit) userView() (data userView, err error) {
	id := v.r.PathValue("id")
	var out struct {
		User nodeUser `json:"user"`
	}
	if err := v.api.Get(v.ctx(), usersPath+"/"+url.PathEscape(id), &out); err != nil {
		return data, err
	}
	rights, err := v.rightsOf(id)
	data.User, data.Primary, data.IsSelf = out.User, out.User.Party, id == v.session.User
	data.Rights, data.More = firstOf(rights)
	data.Kinds = rightChoices("CanActAs")
	return data, err
}

// finishUser ends a change of a user: it shows the user again, with the problem if there is one.
func (s *site) finishUser(v *visit, err error, notice string) error {
	if err == nil {
		return s.done(v, userPage(v.r.PathValue("id")), notice)
	}
	return refused(s, v, "admin_user", err, v.userView, func(data *userView, why *problem) {
		if _, isPrimary := v.r.PostForm["primary"]; isPrimary {
			data.Primary = v.field("primary")
		} else {
			data.Typed, data.Kinds = v.field("party"), rightChoices(v.field("kind"))
		}
		data.Problem = why
	})
}

// rightTyped is the right of a form.
func (v *visit) rightTyped() (client.Right, userRight, error) {
	kind := v.field("kind")
	if !slices.Contains(rightKinds, kind) {
		return client.Right{}, userRight{}, unprocessable("There is no right "+kind+".", "Choose one of the list.")
	}
	if !needsParty(kind) {
		return client.Right{Kind: map[string]client.RightValue{kind: {}}}, userRight{Kind: kind}, nil
	}
	party := v.field("party")
	err := unfilled(party, "Party", "alice")
	if err == nil {
		party, err = v.partyTyped(party)
	}
	var value client.RightValue
	value.Value.Party = party
	return client.Right{Kind: map[string]client.RightValue{kind: value}}, userRight{kind, party}, err
}

// inNotice is the right in a notice.
func (r userRight) inNotice() string {
	if r.Party == "" {
		return r.Words()
	}
	return r.Words() + " " + client.PartyName(r.Party)
}

// grant gives a user a right.
func (s *site) grant(v *visit) error {
	id := v.r.PathValue("id")
	right, shown, err := v.rightTyped()
	if err == nil {
		err = v.api.GrantRights(v.ctx(), id, right)
	}
	return s.finishUser(v, err, id+" now "+shown.inNotice()+".")
}

// revoke takes a right from a user.
func (s *site) revoke(v *visit) error {
	id := v.r.PathValue("id")
	right, shown, err := v.rightTyped()
	if err == nil {
		err = v.api.Call(v.ctx(), http.MethodPatch, usersPath+"/"+url.PathEscape(id)+"/rights",
			map[string]any{"userId": id, "rights": []client.Right{right}}, nil)
	}
	return s.finishUser(v, err, id+" no longer "+shown.inNotice()+".")
}

// changeUser changes the primary party of a user, or whether its tokens are accepted.
func (s *site) changeUser(v *visit) error {
	id := v.r.PathValue("id")
	user, field, notice := map[string]any{"id": id}, "is_deactivated", id+" can sign in again."
	var err error
	if state := v.field("state"); state != "" {
		user["isDeactivated"] = state == "deactivated"
		if state == "deactivated" {
			notice = "The node now refuses the tokens of " + id + "."
		}
	} else {
		field, notice = "primary_party", "The primary party of "+id+" is changed."
		user["primaryParty"], err = v.partyTyped(v.field("primary"))
	}
	if err == nil {
		err = v.api.Call(v.ctx(), http.MethodPatch, usersPath+"/"+url.PathEscape(id), map[string]any{
			"user": user, "updateMask": map[string]any{"paths": []string{field}},
		}, nil)
	}
	return s.finishUser(v, err, notice)
}

// deleteUser deletes a user with its rights.
func (s *site) deleteUser(v *visit) error {
	id := v.r.PathValue("id")
	if err := v.api.DeleteUser(v.ctx(), id); err != nil {
		return s.finishUser(v, err, "")
	}
	return s.done(v, adminPath+"/users", "The user "+id+" is deleted.")
}
