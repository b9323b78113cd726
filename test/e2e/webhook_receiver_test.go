//go:build long

package e2e_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/client"
)

// webhookReceiver runs the receiver of the guide with the npm library, and returns its address.
func webhookReceiver(t *testing.T, secret string) (receiver *program, address string) {
	t.Helper()
	library, err := installPackage("webhookreceiver")
	require.NoError(t, err)
	source, err := os.ReadFile("../../docs/examples/webhook-receiver.mjs")
	require.NoError(t, err)
	script := filepath.Join(library, "example-"+filepath.Base(t.TempDir())+".mjs") // beside the library
	require.NoError(t, os.WriteFile(script, source, 0o644))
	t.Cleanup(func() { require.NoError(t, os.Remove(script)) })
	node, err := exec.LookPath("node")
	require.NoError(t, err)
	receiver = startExecutable(t, node, []string{"WEBHOOK_SECRET=" + secret, "PORT=0"}, script)
	const listens = "listens at "
	receiver.waitFor(t, listens)
	receiver.waitFor(t, "\n")
	_, rest, _ := strings.Cut(receiver.stdout.String(), listens)
	address, _, _ = strings.Cut(rest, "\n")
	return receiver, address
}

// message is a message to a receiver, signed as a body with a secret.
type message struct {
	id, secret, signed, body string
	at                       time.Time
}

func (m message) send(t *testing.T, address string) (status int) {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(m.secret)
	require.NoError(t, err)
	signature, err := signer.Sign(m.id, m.at, []byte(m.signed))
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewBufferString(m.body))
	require.NoError(t, err)
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer.StatusCode
}

func TestExamples_WebhookReceiverRefusesForgedMessages(t *testing.T) {
	t.Parallel()
	p := person{t: t, node: up(t, dataDir(t))}
	p.types("party new alice")
	created := reads[struct {
		Webhook client.Webhook `json:"webhook"`
		Secret  string         `json:"secret"`
	}](p, "webhook create http://127.0.0.1:9/ alice --kinds completion")
	hook, secret := created.Webhook.ID, created.Secret
	receiver, address := webhookReceiver(t, secret)
	admin := client.New(p.node.info.URL, 1).With(client.Token(p.node.info.Secret, p.node.info.Audience, adminUser))
	require.NoError(t, admin.Call(t.Context(), http.MethodPatch, client.WebhookPath(hook), map[string]any{"url": address}, nil))
	p.types("webhook test " + hook)
	receiver.waitFor(t, "webhook.test msg_"+hook+"_test_")
	p.types("tap alice 100")
	receiver.waitFor(t, "completion msg_"+hook+"_")

	now := time.Now()
	const body, other = `{"type":"completion","data":{"real":true}}`, `{"type":"completion","data":{"real":false}}`
	long := strings.Repeat(" ", 2<<20-len(body)+1) + body
	const wrong = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for name, forged := range map[string]message{
		"another secret": {"msg_forged", wrong, other, other, now},
		"another body":   {"msg_forged", secret, body, other, now},
		"old message":    {"msg_forged", secret, other, other, now.Add(-time.Hour)},
		"too long":       {"msg_forged", secret, long, long, now},
	} {
		require.Equal(t, http.StatusUnauthorized, forged.send(t, address), name)
	}
	genuine := message{"msg_real", secret, body, body, now}
	require.Equal(t, http.StatusNoContent, genuine.send(t, address))
	require.Equal(t, http.StatusNoContent, genuine.send(t, address), "a repeat is accepted")
	receiver.waitFor(t, `completion msg_real {"real":true}`)
	printed := receiver.stdout.String()
	require.Equal(t, 1, strings.Count(printed, "msg_real"), "and dropped")
	require.NotContains(t, printed, "msg_forged")
}
