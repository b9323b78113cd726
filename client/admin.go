package client

import (
	"context"
	"net/url"
)

// Right is one permission of a user: {"kind":{"CanActAs":{"value":{"party":…}}}}.
type Right struct {
	Kind map[string]RightValue `json:"kind"`
}

// RightValue is the content of a [Right]; Party is empty for rights that concern none.
type RightValue struct {
	Value struct {
		Party string `json:"party,omitempty"`
	} `json:"value"`
}

func right(kind, party string) Right {
	var value RightValue
	value.Value.Party = party
	return Right{Kind: map[string]RightValue{kind: value}}
}

// CanActAs lets a user act and read as the party.
func CanActAs(party string) Right { return right("CanActAs", party) }

// CanReadAs lets a user read as the party.
func CanReadAs(party string) Right { return right("CanReadAs", party) }

// CanReadAsAnyParty lets a user read as every party.
func CanReadAsAnyParty() Right { return right("CanReadAsAnyParty", "") }

// ParticipantAdmin lets a user administer the node.
func ParticipantAdmin() Right { return right("ParticipantAdmin", "") }

// CreateUser makes a user with rights. primaryParty may be "".
func (c *Client) CreateUser(ctx context.Context, id, primaryParty string, rights ...Right) error {
	type user struct {
		ID           string `json:"id"`
		PrimaryParty string `json:"primaryParty"`
	}
	in := struct {
		User   user    `json:"user"`
		Rights []Right `json:"rights"`
	}{user{id, primaryParty}, append([]Right{}, rights...)} // [] and not null
	return c.Post(ctx, "/v2/users", in, nil)
}

// GrantRights gives rights to a user.
func (c *Client) GrantRights(ctx context.Context, id string, rights ...Right) error {
	in := map[string]any{"userId": id, "rights": rights}
	return c.Post(ctx, "/v2/users/"+url.PathEscape(id)+"/rights", in, nil)
}

// DeleteUser removes a user and its rights.
func (c *Client) DeleteUser(ctx context.Context, id string) error {
	return c.Call(ctx, "DELETE", "/v2/users/"+url.PathEscape(id), nil, nil)
}

// User returns the id of the user that the token belongs to.
func (c *Client) User(ctx context.Context) (string, error) {
	var out struct {
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	err := c.Get(ctx, "/v2/authenticated-user", &out)
	return out.User.ID, err
}

// AllocateParty makes a local party and returns its id. The user gets the right to act as it; "" for no user.
func (c *Client) AllocateParty(ctx context.Context, hint, user string) (string, error) {
	in := map[string]string{"partyIdHint": hint, "userId": user}
	var out struct {
		PartyDetails struct {
			Party string `json:"party"`
		} `json:"partyDetails"`
	}
	err := c.Post(ctx, "/v2/parties", in, &out)
	return out.PartyDetails.Party, err
}

// Parties lists the ids of the parties that start with the prefix.
func (c *Client) Parties(ctx context.Context, prefix string) ([]string, error) {
	var out struct {
		PartyDetails []struct {
			Party string `json:"party"`
		} `json:"partyDetails"`
	}
	err := c.Get(ctx, "/v2/parties?filter-party="+url.QueryEscape(prefix), &out)
	parties := make([]string, len(out.PartyDetails))
	for i, details := range out.PartyDetails {
		parties[i] = details.Party
	}
	return parties, err
}

// Version returns the version of the API that the node reports.
func (c *Client) Version(ctx context.Context) (string, error) {
	var out struct {
		Version string `json:"version"`
	}
	err := c.Get(ctx, "/v2/version", &out)
	return out.Version, err
}
