// Package s3 stands in for the client of S3, where Temporal's server can archive closed workflows. Florin runs it
// without an archive, so every call is refused.
package s3

import (
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var errLeftOut = errors.New("this build of Florin has no client of S3: run a Temporal server of your own to archive there")

// Options are those that Temporal sets.
type Options struct {
	BaseEndpoint *string
	UsePathStyle bool
}

// Client refuses every call.
type Client struct{}

// NewFromConfig returns a client that refuses every call.
func NewFromConfig(aws.Config, ...func(*Options)) *Client { return &Client{} }

// HeadBucketInput names a bucket.
type HeadBucketInput struct {
	Bucket *string
}

// HeadBucketOutput has nothing that Temporal reads.
type HeadBucketOutput struct{}

// HeadBucket refuses.
func (*Client) HeadBucket(context.Context, *HeadBucketInput, ...func(*Options)) (*HeadBucketOutput, error) {
	return nil, errLeftOut
}

// HeadObjectInput names an object.
type HeadObjectInput struct {
	Bucket, Key *string
}

// HeadObjectOutput has nothing that Temporal reads.
type HeadObjectOutput struct{}

// HeadObject refuses.
func (*Client) HeadObject(context.Context, *HeadObjectInput, ...func(*Options)) (*HeadObjectOutput, error) {
	return nil, errLeftOut
}

// PutObjectInput is an object to write.
type PutObjectInput struct {
	Bucket, Key *string
	Body        io.Reader
}

// PutObjectOutput has nothing that Temporal reads.
type PutObjectOutput struct{}

// PutObject refuses.
func (*Client) PutObject(context.Context, *PutObjectInput, ...func(*Options)) (*PutObjectOutput, error) {
	return nil, errLeftOut
}

// GetObjectInput names an object.
type GetObjectInput struct {
	Bucket, Key *string
}

// GetObjectOutput is what was read.
type GetObjectOutput struct {
	Body io.ReadCloser
}

// GetObject refuses.
func (*Client) GetObject(context.Context, *GetObjectInput, ...func(*Options)) (*GetObjectOutput, error) {
	return nil, errLeftOut
}

// ListObjectsV2Input says which objects to list.
type ListObjectsV2Input struct {
	Bucket, Prefix, Delimiter, ContinuationToken *string
	MaxKeys                                      *int32
}

// ListObjectsV2Output is a page of objects.
type ListObjectsV2Output struct {
	CommonPrefixes        []types.CommonPrefix
	Contents              []types.Object
	IsTruncated           *bool
	NextContinuationToken *string
}

// ListObjectsV2 refuses.
func (*Client) ListObjectsV2(context.Context, *ListObjectsV2Input, ...func(*Options)) (*ListObjectsV2Output, error) {
	return nil, errLeftOut
}
