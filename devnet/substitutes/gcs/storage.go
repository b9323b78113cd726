// Package storage stands in for the client of Google Cloud Storage, where Temporal's server can archive closed
// workflows. Florin runs it without an archive, so no client can be made.
package storage

import (
	"context"
	"errors"

	"google.golang.org/api/option"
)

// ScopeFullControl is the scope that Temporal asks for.
const ScopeFullControl = "https://www.googleapis.com/auth/devstorage.full_control"

var errLeftOut = errors.New("this build of Florin has no client of Google Cloud Storage: run a Temporal server of your " +
	"own to archive there")

// ErrBucketNotExist and ErrObjectNotExist are what Temporal compares errors with.
var (
	ErrBucketNotExist = errors.New("storage: bucket doesn't exist")
	ErrObjectNotExist = errors.New("storage: object doesn't exist")
)

// Client refuses every call.
type Client struct{}

// NewClient refuses.
func NewClient(context.Context, ...option.ClientOption) (*Client, error) { return nil, errLeftOut }

// Bucket names a bucket.
func (*Client) Bucket(string) *BucketHandle { return &BucketHandle{} }

// BucketHandle refuses every call.
type BucketHandle struct{}

// BucketAttrs has nothing that Temporal reads.
type BucketAttrs struct{}

// Query says which objects to list.
type Query struct {
	Prefix string
}

// Object names an object.
func (*BucketHandle) Object(string) *ObjectHandle { return &ObjectHandle{} }

// Objects lists nothing.
func (*BucketHandle) Objects(context.Context, *Query) *ObjectIterator { return &ObjectIterator{} }

// Attrs refuses.
func (*BucketHandle) Attrs(context.Context) (*BucketAttrs, error) { return nil, errLeftOut }

// ObjectHandle refuses every call.
type ObjectHandle struct{}

// ObjectAttrs is what is known of an object.
type ObjectAttrs struct {
	Name string
}

// NewWriter returns a writer that refuses.
func (*ObjectHandle) NewWriter(context.Context) *Writer { return &Writer{} }

// NewReader refuses.
func (*ObjectHandle) NewReader(context.Context) (*Reader, error) { return nil, errLeftOut }

// Attrs refuses.
func (*ObjectHandle) Attrs(context.Context) (*ObjectAttrs, error) { return nil, errLeftOut }

// ObjectIterator refuses to go on.
type ObjectIterator struct{}

// Next refuses.
func (*ObjectIterator) Next() (*ObjectAttrs, error) { return nil, errLeftOut }

// Writer refuses to write.
type Writer struct{}

// Write refuses.
func (*Writer) Write([]byte) (int, error) { return 0, errLeftOut }

// Close refuses.
func (*Writer) Close() error { return errLeftOut }

// CloseWithError refuses.
func (*Writer) CloseWithError(error) error { return errLeftOut }

// Reader refuses to read.
type Reader struct{}

// Read refuses.
func (*Reader) Read([]byte) (int, error) { return 0, errLeftOut }

// Close refuses.
func (*Reader) Close() error { return errLeftOut }
