package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// ValidateDAR returns the error that [Client.UploadDAR] would return, and changes nothing.
func (c *Client) ValidateDAR(ctx context.Context, dar []byte) error {
	return c.sendDAR(ctx, "/v2/dars/validate", bytes.NewReader(dar))
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
