package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
)

// auditLogCommand lists who changed what.
type auditLogCommand struct {
	remote.Node
	console.Output

	Kind  string `help:"Only changes of one kind: ${enum}." enum:"all,user,right,party,identity-provider,package,setting,webhook" default:"all" placeholder:"KIND"`
	User  string `help:"Only changes of this user and of its rights." placeholder:"ID"`
	Party string `help:"Only changes of this party (its id or name), of rights to it, and of its wallet." placeholder:"PARTY"`
	By    string `help:"Only changes that this user made." placeholder:"ID"`
	Since string `help:"Only changes since a time, such as 2026-03-01T10:00:00Z, or within a duration, such as 24h." placeholder:"TIME"`
	Until string `help:"Only changes before a time, or older than a duration." placeholder:"TIME"`
	Limit int64  `help:"Most entries to print, the newest ones." default:"100"`
}

// auditLogPage is the largest page of the API.
const auditLogPage = 1000

// Run prints the newest entries first.
func (c *auditLogCommand) Run(ctx context.Context) error {
	if c.Limit < 1 {
		return console.Fail(console.ExitUsage, "", "--limit=%d: it must be at least 1", c.Limit)
	}
	since, wrongSince := timeBefore("since", c.Since, time.Now())
	until, wrongUntil := timeBefore("until", c.Until, time.Now())
	if err := errors.Join(wrongSince, wrongUntil); err != nil {
		return console.Fail(console.ExitUsage, "", "%w", err)
	}
	query := url.Values{}
	if c.Kind != "all" {
		query.Set("kind", c.Kind)
	}
	for name, value := range map[string]string{
		"user_id": c.User, "party": c.Party, "changed_by": c.By, "since": since, "until": until,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		entries, err := c.entries(ctx, admin, query)
		if err != nil {
			return err
		}
		return c.Print(auditLogAnswer(entries))
	})
}

// timeBefore is the time of a flag, which can be a duration before now.
func timeBefore(flag, text string, now time.Time) (string, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago).UTC().Format(time.RFC3339Nano), nil
	}
	if _, err := time.Parse(time.RFC3339, text); text != "" && err != nil {
		return "", fmt.Errorf("--%s=%q: use a duration such as 24h, or a time such as 2026-03-01T10:00:00Z", flag, text)
	}
	return text, nil
}

// entries reads pages up to the limit.
func (c *auditLogCommand) entries(
	ctx context.Context, admin *client.Client, query url.Values,
) (all []operatorapi.AuditLogEntry, err error) {
	all = []operatorapi.AuditLogEntry{} // none is [] in JSON
	for {
		size := min(c.Limit-int64(len(all)), auditLogPage)
		query.Set("limit", strconv.FormatInt(size, 10))
		var page operatorapi.ListAuditLogResponse
		if err := admin.Get(ctx, operatorapi.AuditLogPath+"?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Entries...)
		if int64(len(page.Entries)) < size || int64(len(all)) == c.Limit {
			return all, nil
		}
		query.Set("before", strconv.FormatInt(all[len(all)-1].ID, 10))
	}
}

func auditLogAnswer(entries []operatorapi.AuditLogEntry) console.Answer {
	answer := console.Answer{
		Data:  operatorapi.ListAuditLogResponse{Entries: entries},
		Table: console.Table{Head: []string{"TIME", "BY", "FROM", "CHANGE", "SUBJECT", "BEFORE", "AFTER"}},
	}
	if len(entries) == 0 {
		answer.Text = "no changes found"
	}
	for _, entry := range entries {
		by := entry.ChangedBy
		if by == "" {
			by = "(" + entry.Program + ")"
		} else if entry.IdentityProviderID != "" {
			by += " of " + entry.IdentityProviderID
		}
		answer.Table.Rows = append(answer.Table.Rows, []string{
			entry.ChangedAt.String(), by, entry.Addresses, entry.Action + " " + entry.Kind,
			entry.Subject, fieldsText(entry.Before), fieldsText(entry.After),
		})
		answer.Names = append(answer.Names, strconv.FormatInt(entry.ID, 10))
	}
	return answer
}

// fieldsText is a JSON object for people: its fields in order, without quotes around texts.
func fieldsText(object json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return "-"
	}
	parts := make([]string, 0, len(fields))
	for name, value := range fields {
		text := string(value)
		_ = json.Unmarshal(value, &text) // other values than texts stay as they are
		parts = append(parts, name+"="+text)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
