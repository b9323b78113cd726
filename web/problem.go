package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
)

// problem is an error for display.
type problem struct {
	Status int
	// What is the error, in the API's words if it has some. Next is the next step.
	What, Next string
	// why is only for the log.
	why error
}

// Error implements error.
func (p *problem) Error() string {
	if p.why != nil {
		return p.What + " " + p.why.Error()
	}
	return p.What
}

// Unwrap returns the error that only the log shows.
func (p *problem) Unwrap() error { return p.why }

// unprocessable is a problem with a form's values.
func unprocessable(what, next string) *problem {
	return &problem{Status: http.StatusUnprocessableEntity, What: what, Next: next}
}

// problemOf converts an error for display. API errors keep their text.
func problemOf(err error) *problem {
	if known, ok := errors.AsType[*problem](err); ok {
		return known
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return &problem{Status: refused.Status, What: wordsOf(refused), Next: refused.Hint}
	}
	if errors.Is(err, errLongToken) {
		return &problem{Status: http.StatusBadRequest, What: err.Error()}
	}
	if errors.Is(err, errLongAnswer) {
		return &problem{
			Status: http.StatusInternalServerError, What: "The node's answer is longer than this page can show.",
			Next: "Ask the node's API for it.",
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &problem{
			Status: http.StatusServiceUnavailable, What: "The node took too long to answer.",
			Next: "Try again in a moment.",
		}
	}
	return &problem{
		Status: http.StatusInternalServerError, What: "The page cannot be shown.", Next: "The node's log says why.",
	}
}

// wordsOf returns the error text of an API answer: the API's families put it in different fields.
func wordsOf(refused *client.Error) string {
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(refused.Body, &body) == nil && body.Error != "" {
		return body.Error
	}
	if refused.Cause == "" {
		return http.StatusText(refused.Status)
	}
	return strings.TrimSpace(refused.Cause)
}

func isStatus(err error, status int) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Status == status
}

// unknownOutcomeError is a change with an unknown outcome. Only the same form, with the same key, may repeat it: a new
// form would make the change a second time.
type unknownOutcomeError struct {
	// what is the change in words.
	what string
	err  error
}

// Error implements error.
func (u *unknownOutcomeError) Error() string {
	return u.what + ": the outcome is unknown: " + u.err.Error()
}

// Unwrap returns the cause.
func (u *unknownOutcomeError) Unwrap() error { return u.err }

type field struct{ Name, Value string }

// againView is the form that repeats an [unknownOutcomeError] change.
type againView struct {
	What, Action string
	Fields       []field
	Problem      *problem
}

// againOf copies the form of the request, without the session's token.
func againOf(v *visit, what string, why *problem) againView {
	data := againView{What: what, Action: v.r.URL.EscapedPath(), Problem: why}
	for _, name := range slices.Sorted(maps.Keys(v.r.PostForm)) {
		for _, value := range v.r.PostForm[name] {
			if name != formField {
				data.Fields = append(data.Fields, field{name, value})
			}
		}
	}
	return data
}

// isFinal reports whether a repeat of the request would get the same error. The outcome of all other errors is unknown:
// the page may repeat the request with the same key.
func isFinal(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	if !ok || refused.Again {
		return false
	}
	switch refused.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	case http.StatusBadRequest: // the node cannot tell whether a pruned change was made
		return !bytes.Contains(refused.Body, []byte("PARTICIPANT_PRUNED_DATA_ACCESSED"))
	default:
		return refused.Status/100 == 4
	}
}

// refused shows the view of a form again, with the reason of a refusal beside what was typed, which fill adds. Any other
// error stays one, and so does the lack of a right to make the change at all.
func refused[View any](s *site, v *visit, name string, why error, read func() (View, error), fill func(*View, *problem)) error {
	_, isMine := errors.AsType[*problem](why)
	if !isMine && (!isFinal(why) || isStatus(why, http.StatusForbidden) || isStatus(why, http.StatusUnauthorized)) {
		return why
	}
	data, err := read()
	if err != nil {
		return errors.Join(why, err)
	}
	fill(&data, problemOf(why))
	return s.write(v, http.StatusUnprocessableEntity, name, data)
}

// statusGone is the status in logs and metrics of a page whose visitor has left, as in the API.
const statusGone = 499

// hasLeft reports whether the visitor has left.
func hasLeft(r *http.Request) bool { return errors.Is(visitorOf(r).Context().Err(), context.Canceled) }

// note logs errors that are not the visitor's fault. The API has logged its own.
func (s *site) note(ctx context.Context, status int, err error) {
	if _, isLogged := errors.AsType[*client.Error](err); status >= http.StatusInternalServerError && !isLogged {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "showing a page failed", slog.String("error", err.Error()))
	}
}

// explain writes a page about an error. A token that the node refuses ends the session.
func (s *site) explain(ctx context.Context, v *visit, err error) {
	if hasLeft(v.r) {
		v.w.WriteHeader(statusGone)
		return
	}
	if v.session.Token != "" && isStatus(err, http.StatusUnauthorized) {
		v.sessions.end(v.w, v.r)
		s.goTo(v, v.next())
		return
	}
	found := problemOf(err)
	s.note(ctx, found.Status, err)
	name, data := "problem", any(found)
	if isFragment(v.r) {
		name = "problem-fragment"
	} else if open, ok := errors.AsType[*unknownOutcomeError](err); ok {
		name, data = "again", againOf(v, open.what, found)
	}
	if failed := s.write(v, found.Status, name, data); failed != nil {
		http.Error(v.w, found.What, found.Status)
	}
}
