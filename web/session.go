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
	// sessionLife is how long a session lasts at most; one ends with its token in any case.
	sessionLife = 12 * time.Hour
	// maxCookieBytes is what every browser takes of a cookie.
	maxCookieBytes = 4000
	// noticeLife is how long a notice waits for a page that shows it.
	noticeLife = time.Minute
)

// session is what the page knows of its visitor from one request to the next. It is all in the cookie, which is
// written when somebody signs in and never again: an answer that comes late must not bring a session back that has
// ended. What a user may do, and with which party, is not in it: the node is asked with each request.
type session struct {
	// ID tells sessions apart: forms are bound to it. A new one comes with each sign-in.
	ID string `json:"id"`
	// Token is sent with each call; "" before somebody signs in.
	Token string    `json:"token,omitempty"`
	User  string    `json:"user,omitempty"`
	Ends  time.Time `json:"ends"`
}

// fresh is the session of somebody who has not signed in.
func (s *sessions) fresh() session {
	return session{ID: rand.Text(), Ends: s.now().Add(sessionLife).UTC().Truncate(time.Second)}
}

// read is the session of a request. A cookie that is not good, or of another origin, is none.
func (s *sessions) read(r *http.Request) (session, bool) {
	var found session
	if !s.open(r, cookieName(r), "", &found) || !s.now().Before(found.Ends) {
		return session{}, false
	}
	return found, true
}

var errLongToken = errors.New("the token is too long for a session of this page: the limit is about 2,700 " +
	"characters; ask its issuer for one with fewer claims")

// write sends the session to the browser.
func (s *sessions) write(w http.ResponseWriter, r *http.Request, one session) error {
	value, err := s.seal(r, "", one)
	if err != nil {
		return err
	}
	s.set(w, r, cookieName(r), value, one.Ends.Sub(s.now()))
	return nil
}

// end forgets the session.
func (s *sessions) end(w http.ResponseWriter, r *http.Request) { s.set(w, r, cookieName(r), "", -1) }

// setNotice has the next page of a session show a notice, in a cookie of its own. One that is too long for that is left out:
// nothing may fail because of words about what succeeded.
func (s *sessions) setNotice(w http.ResponseWriter, r *http.Request, one session, notice string) {
	if value, err := s.seal(r, one.ID, notice); err == nil {
		s.set(w, r, noticeName(r), value, noticeLife)
	}
}

// takeNotice is the notice of a session, which is forgotten: "" without one.
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

// seal is a value as a cookie has it, which belongs to an origin and, where one is named, to a session.
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

// open reads what [sessions.seal] made; false where there is nothing good.
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

// set sends a cookie for some time; one that is over forgets it.
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

// origin binds a cookie to the name and the port under which it was given, for browsers send cookies to all ports of a
// name, and to what it is of.
func origin(r *http.Request, of string) []byte {
	return []byte("florin/web/2 " + strings.ToLower(r.Host) + " " + of)
}

// cookieName differs from port to port, so that nodes on one machine do not end each other's sessions.
func cookieName(r *http.Request) string {
	sum := sha256.Sum256(origin(r, ""))
	name := "florin-" + hex.EncodeToString(sum[:4])
	if isSecure(r) {
		return "__Host-" + name
	}
	return name
}

func noticeName(r *http.Request) string { return cookieName(r) + "-notice" }

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
