package web

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	// sessionLife is how long a session lasts at most; one ends with its token in any case.
	sessionLife = 12 * time.Hour
	// maxCookieBytes is what every browser takes of a cookie.
	maxCookieBytes = 4000
	// What is kept free at sign-in: notices, all but unusual ones, and the longest id of a party come later.
	noticeRoom, partyRoom = 160, 255
)

// session is what the page knows of its visitor from one request to the next. It is all in the cookie.
type session struct {
	// ID tells sessions apart: forms are bound to it. A new one comes with each sign-in.
	ID string `json:"id"`
	// Token is sent with each call; "" before somebody signs in.
	Token string    `json:"token,omitempty"`
	User  string    `json:"user,omitempty"`
	Party string    `json:"party,omitempty"`
	Ends  time.Time `json:"ends"`
	// Notice is shown once, by the next page.
	Notice string `json:"notice,omitempty"`
}

// sessions reads and writes cookies.
type sessions struct {
	cookies cipher.AEAD
	forms   []byte
	now     func() time.Time
}

// newSessions derives its keys from a secret that all processes of the ledger share.
func newSessions(secret []byte, now func() time.Time) (*sessions, error) {
	if len(secret) < sha256.Size {
		return nil, fmt.Errorf("the secret of sessions has %d bytes, and needs %d", len(secret), sha256.Size)
	}
	key, err := hkdf.Expand(sha256.New, secret, "florin/web/1/session", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of sessions: %w", err)
	}
	forms, err := hkdf.Expand(sha256.New, secret, "florin/web/1/form", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of forms: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of sessions: %w", err)
	}
	cookies, err := cipher.NewGCM(block)
	return &sessions{cookies: cookies, forms: forms, now: now}, err
}

// fresh is the session of somebody who has not signed in.
func (s *sessions) fresh() session {
	return session{ID: rand.Text(), Ends: s.now().Add(sessionLife).UTC()}
}

// read is the session of a request. A cookie that is not good, or of another origin, is none.
func (s *sessions) read(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return session{}, false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || len(sealed) < s.cookies.NonceSize() {
		return session{}, false
	}
	nonce, sealed := sealed[:s.cookies.NonceSize()], sealed[s.cookies.NonceSize():]
	plain, err := s.cookies.Open(nil, nonce, sealed, origin(r))
	if err != nil {
		return session{}, false
	}
	var found session
	if json.Unmarshal(plain, &found) != nil || !s.now().Before(found.Ends) {
		return session{}, false
	}
	return found, true
}

var errLongToken = errors.New("the token is too long for a session of this page: it must be shorter than about 2,300 " +
	"characters; ask its issuer for one with fewer claims")

// begin sends the session of somebody who signs in to the browser, if all that it may become fits.
func (s *sessions) begin(w http.ResponseWriter, r *http.Request, one session) error {
	later := one
	later.Notice = strings.Repeat("x", noticeRoom)
	later.Party += strings.Repeat("x", max(0, partyRoom-len(one.Party)))
	if _, err := s.seal(r, later); err != nil {
		return err
	}
	return s.write(w, r, one)
}

// write sends the session to the browser.
func (s *sessions) write(w http.ResponseWriter, r *http.Request, one session) error {
	value, err := s.seal(r, one)
	if err != nil {
		return err
	}
	s.set(w, r, value, int(one.Ends.Sub(s.now()).Seconds()))
	return nil
}

// seal is the session as its cookie has it.
func (s *sessions) seal(r *http.Request, one session) (string, error) {
	plain, err := json.Marshal(one)
	if err != nil {
		return "", fmt.Errorf("write the session: %w", err)
	}
	nonce := make([]byte, s.cookies.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("write the session: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(s.cookies.Seal(nonce, nonce, plain, origin(r)))
	if len(value) > maxCookieBytes {
		return "", errLongToken
	}
	return value, nil
}

// end forgets the session.
func (s *sessions) end(w http.ResponseWriter, r *http.Request) { s.set(w, r, "", -1) }

func (s *sessions) set(w http.ResponseWriter, r *http.Request, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the browser speaks TLS
		Name: cookieName(r), Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode,
	})
}

// form is the token of the session's forms.
func (s *sessions) form(one session) string {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write([]byte(one.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isForm reports whether a token is that of the session's forms.
func (s *sessions) isForm(one session, token string) bool {
	return one.ID != "" && hmac.Equal([]byte(s.form(one)), []byte(token))
}

// isSecure reports whether the browser speaks TLS, to this node or to a proxy before it. Who lies about it only has a
// cookie of their own kept from plain connections.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// origin binds a cookie to the name and the port under which it was given: browsers send cookies to all ports of a
// name.
func origin(r *http.Request) []byte { return []byte("florin/web/1 " + strings.ToLower(r.Host)) }

// cookieName differs from port to port, so that nodes on one machine do not end each other's sessions.
func cookieName(r *http.Request) string {
	sum := sha256.Sum256(origin(r))
	name := "florin-" + hex.EncodeToString(sum[:4])
	if isSecure(r) {
		return "__Host-" + name
	}
	return name
}

// endOf is when a token says that it ends. The node checks tokens; this only keeps a session from outliving its token.
func endOf(token string) (time.Time, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 { // head, claims and signature
		return time.Time{}, false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, false
	}
	var said struct {
		Ends float64 `json:"exp"`
	}
	if json.Unmarshal(claims, &said) != nil || said.Ends <= 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(said.Ends), 0).UTC(), true
}
