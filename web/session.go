package web

import (
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
	// sessionLife is the maximum duration of a session; it also ends with its token.
	sessionLife = 12 * time.Hour
	// maxCookieBytes is the cookie size that every browser accepts.
	maxCookieBytes = 4000
	// noticeLife is how long a notice waits for the next page.
	noticeLife = time.Minute
)

// session is the state of a visitor, all of it in the cookie. The page writes the cookie only at sign-in: a late answer
// must not restore an ended session. The user's rights and party are not in it: the page asks the node with each
// request.
type session struct {
	// ID is new with each sign-in; forms are bound to it.
	ID string `json:"id"`
	// Token is sent with each call; "" before sign-in.
	Token string    `json:"token,omitempty"`
	User  string    `json:"user,omitempty"`
	Ends  time.Time `json:"ends"`
}

// fresh makes the session of a visitor who is not signed in.
func (s *sessions) fresh() session {
	return session{ID: rand.Text(), Ends: s.now().Add(sessionLife).UTC().Truncate(time.Second)}
}

// read returns the session of a request; false if the cookie is invalid or of another origin.
func (s *sessions) read(r *http.Request) (session, bool) {
	var found session
	if !s.open(r, cookieName(r), "", &found) || !s.now().Before(found.Ends) {
		return session{}, false
	}
	return found, true
}

var errLongToken = errors.New("the token is too long for a session of this page: the limit is about 2,700 " +
	"characters; ask its issuer for one with fewer claims")

// write sends the session cookie.
func (s *sessions) write(w http.ResponseWriter, r *http.Request, one session) error {
	value, err := s.seal(r, "", one)
	if err != nil {
		return err
	}
	s.set(w, r, cookieName(r), value, one.Ends.Sub(s.now()))
	return nil
}

// end deletes the session cookie.
func (s *sessions) end(w http.ResponseWriter, r *http.Request) { s.set(w, r, cookieName(r), "", -1) }

// setNotice stores a notice for the session's next page, in its own cookie. A notice that is too long is dropped: the
// change has already succeeded and must not fail here.
func (s *sessions) setNotice(w http.ResponseWriter, r *http.Request, one session, notice string) {
	if value, err := s.seal(r, one.ID, notice); err == nil {
		s.set(w, r, noticeName(r), value, noticeLife)
	}
}

// takeNotice returns the notice of a session and deletes it; "" if there is none.
func (s *sessions) takeNotice(w http.ResponseWriter, r *http.Request, one session) (notice string) {
	if _, err := r.Cookie(noticeName(r)); err != nil {
		return ""
	}
	s.set(w, r, noticeName(r), "", -1)
	if !s.open(r, noticeName(r), one.ID, &notice) {
		return ""
	}
	return notice
}

// seal encrypts a value for a cookie and binds it to an origin and, if named, to a session.
func (s *sessions) seal(r *http.Request, of string, one any) (string, error) {
	plain, err := json.Marshal(one)
	if err != nil {
		return "", fmt.Errorf("write a cookie: %w", err)
	}
	nonce := make([]byte, s.cookies.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return "", fmt.Errorf("write a cookie: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(s.cookies.Seal(nonce, nonce, plain, origin(r, of)))
	if len(value) > maxCookieBytes {
		return "", errLongToken
	}
	return value, nil
}

// open decrypts a value of [sessions.seal]; false if it is missing or invalid.
func (s *sessions) open(r *http.Request, name, of string, into any) bool {
	cookie, err := r.Cookie(name)
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || len(sealed) < s.cookies.NonceSize() {
		return false
	}
	nonce, sealed := sealed[:s.cookies.NonceSize()], sealed[s.cookies.NonceSize():]
	plain, err := s.cookies.Open(nil, nonce, sealed, origin(r, of))
	return err == nil && json.Unmarshal(plain, into) == nil
}

// set sends a cookie for a duration; a negative one deletes it.
func (s *sessions) set(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration) {
	seconds := int(life.Seconds())
	if life < 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the browser speaks TLS
		Name: name, Value: value, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode,
	})
}

// form is the token for the session's forms.
func (s *sessions) form(one session) string {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write([]byte(one.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *sessions) isForm(one session, token string) bool {
	return one.ID != "" && hmac.Equal([]byte(s.form(one)), []byte(token))
}

// isSecure reports whether the browser uses TLS, to this node or to a proxy. A visitor who sends a false header only
// keeps their own cookie from plain connections.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// origin is the data that a cookie is bound to: the host and port, because browsers send cookies to all ports of a
// host, and its purpose.
func origin(r *http.Request, of string) []byte {
	return []byte("florin/web/2 " + strings.ToLower(r.Host) + " " + of)
}

// cookieName depends on the port, so that nodes on one machine do not end each other's sessions.
func cookieName(r *http.Request) string {
	sum := sha256.Sum256(origin(r, ""))
	name := "florin-" + hex.EncodeToString(sum[:4])
	if isSecure(r) {
		return "__Host-" + name
	}
	return name
}

func noticeName(r *http.Request) string { return cookieName(r) + "-notice" }

// endOf reads the expiry of a token. The node verifies tokens; this only ends the session with its token.
func endOf(token string) (time.Time, bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 { // head, claims and signature
		return time.Time{}, false
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, false
	}
	var content struct {
		Ends float64 `json:"exp"`
	}
	if json.Unmarshal(claims, &content) != nil || content.Ends <= 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(content.Ends), 0).UTC(), true
}
