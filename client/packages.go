package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
)

// Package is a package that commands may use.
type Package struct {
	ID      string `json:"packageId"`
	Name    string `json:"packageName"`
	Version string `json:"packageVersion"`
}

// UploadDAR uploads an archive. A repeat changes nothing.
func (c *Client) UploadDAR(ctx context.Context, dar []byte) error {
	return c.sendDAR(ctx, "/v2/dars", bytes.NewReader(dar))
}

// UploadDARFrom is [Client.UploadDAR] of an archive that the client reads while it sends it.
func (c *Client) UploadDARFrom(ctx context.Context, dar io.Reader) error {
	return c.sendDAR(ctx, "/v2/dars", dar)
}

// CheckedTemplate says how many active contracts of a template a new version could not use.
type CheckedTemplate struct {
	Template    string             `json:"templateId"`
	PackageName string             `json:"packageName"`
	Contracts   int                `json:"contracts"`
	Unreadable  int                `json:"unreadable"`
	Reasons     []UnreadableReason `json:"reasons"`
}

// UnreadableReason is the error that commands on some contracts would get, with one of them.
type UnreadableReason struct {
	Code      string `json:"code"`
	Cause     string `json:"cause"`
	Contracts int    `json:"contracts"`
	Example   string `json:"exampleContractId"`
}

// CheckContracts returns the error that [Client.UploadDAR] would return, and otherwise the result for the active contracts
// of older versions. It changes nothing. It repeats the call until the node has checked all contracts.
func (c *Client) CheckContracts(ctx context.Context, dar []byte) ([]CheckedTemplate, error) {
	const path = "/v2/dars/validate"
	var checked []CheckedTemplate
	query := url.Values{"activeContracts": {"true"}}
	for {
		raw, err := c.WithHeader("Content-Type", "application/octet-stream").
			send(ctx, http.MethodPost, path+"?"+query.Encode(), bytes.NewReader(dar))
		var answer struct {
			Templates     []CheckedTemplate `json:"templates"`
			ContinueAfter string            `json:"continueAfter"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &answer)
		}
		if err != nil {
			return nil, fmt.Errorf("POST %s: %w", path, err)
		}
		for _, one := range answer.Templates {
			checked = addChecked(checked, one)
		}
		if answer.ContinueAfter == "" {
			return checked, nil
		}
		query.Set("contractsAfter", answer.ContinueAfter)
	}
}

// addChecked adds the numbers of a template to those of earlier answers.
func addChecked(to []CheckedTemplate, one CheckedTemplate) []CheckedTemplate {
	i := slices.IndexFunc(to, func(c CheckedTemplate) bool { return c.Template == one.Template })
	if i < 0 {
		return append(to, one)
	}
	sum := &to[i]
	sum.Contracts += one.Contracts
	sum.Unreadable += one.Unreadable
	for _, reason := range one.Reasons {
		j := slices.IndexFunc(sum.Reasons, func(r UnreadableReason) bool { return r.Code == reason.Code })
		if j < 0 {
			sum.Reasons = append(sum.Reasons, reason)
		} else {
			sum.Reasons[j].Contracts += reason.Contracts
		}
	}
	return to
}

func (c *Client) sendDAR(ctx context.Context, path string, dar io.Reader) error {
	_, err := c.WithHeader("Content-Type", "application/octet-stream").
		send(ctx, http.MethodPost, path, dar)
	if err != nil {
		return fmt.Errorf("POST %s: %w", path, err)
	}
	return nil
}

// Packages lists the packages that commands may use, by name and version.
func (c *Client) Packages(ctx context.Context) ([]Package, error) {
	var out struct {
		VettedPackages []struct {
			Packages []Package `json:"packages"`
		} `json:"vettedPackages"`
	}
	err := c.Post(ctx, "/v2/package-vetting/list", struct{}{}, &out)
	var packages []Package
	for _, vetted := range out.VettedPackages {
		packages = append(packages, vetted.Packages...)
	}
	return packages, err
}

// PackagePayload downloads a package in Daml-LF: the bytes whose SHA-256 is its id. The node has none for a built-in
// package.
func (c *Client) PackagePayload(ctx context.Context, id string) ([]byte, error) {
	path := "/v2/packages/" + url.PathEscape(id)
	payload, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, fmt.Errorf("GET %s: %w", path, err)
	}
	return payload, nil
}
