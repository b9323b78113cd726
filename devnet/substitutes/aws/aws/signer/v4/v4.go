// Package v4 replaces the signer of requests to AWS.
package v4

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

var errLeftOut = errors.New("this build of Florin signs no requests to AWS: run your own Temporal server for that")

type Signer struct{}

func NewSigner() *Signer { return &Signer{} }

func (*Signer) SignHTTP(context.Context, aws.Credentials, *http.Request, string, string, string, time.Time) error {
	return errLeftOut
}
