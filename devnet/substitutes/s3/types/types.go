// Package types has the shapes of S3's answers that Temporal's server reads.
package types

// CommonPrefix is a beginning that keys share.
type CommonPrefix struct {
	Prefix *string
}

// Object is what a key names.
type Object struct {
	Key *string
}

// NoSuchBucket is the refusal of a bucket that is not there.
type NoSuchBucket struct{}

// Error implements error.
func (*NoSuchBucket) Error() string { return "NoSuchBucket" }

// NoSuchKey is the refusal of a key that is not there.
type NoSuchKey struct{}

// Error implements error.
func (*NoSuchKey) Error() string { return "NoSuchKey" }
