package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/internal/hosts"
)

// pageTimeout is the time limit of a page with all its calls; the API limits each call itself.
const pageTimeout = 45 * time.Second

// maxFormBytes is the maximum size of a form; the largest field is a token.
const maxFormBytes = 64 << 10

// formField is the field with the token that binds a form to its session.
const formField = "form"

// Options are the parts of the page.
type Options struct {
	// API is the node's whole HTTP API; required. It also answers every path that is not of the page.
	API http.Handler
	// Secret reads the secret that all processes of this ledger share, and nobody else knows; required. A new secret
	// ends all sessions.
	Secret func(ctx context.Context) ([]byte, error)
	// Hosts are the host names of the node, HostsFlag the setting that adds names.
	Hosts     hosts.Names
	HostsFlag string
	// Operator is the party of the node's operator.
	Operator string
	// Participant and Synchronizer name the node.
	Participant, Synchronizer string
	// TemporalUI is the address of Temporal's UI; "" if there is none.
	TemporalUI string
	// TemporalNamespace is the namespace of the node's workflows.
	TemporalNamespace string
	// TemporalQuery selects the workflows of this ledger in the namespace.
	TemporalQuery string
	// Development lets people sign in by name; nil if they need a token.
	Development *Development
	// Provider lets people sign in by OpenID Connect; nil if there is none.
	Provider *Provider
	// BuiltIn are all ids of the built-in packages. The page shows the package name of all other contracts, because
	// anybody may name a template like the coin's.
	BuiltIn []string
	// Taps is true if the page offers test coin.
	Taps bool
	// Now is the clock; required.
	Now func() time.Time
	// Log gets one line for each page; required.
	Log *slog.Logger
	// Measure gets each page after it is written; may be nil.
	Measure func(method, route string, status int, took time.Duration)
}

type site struct {
	Options

	keys           *keyring
	signInProvider *signInProvider
	views          views
	api            *client.Client
	outlines       *outlineCache
}

// New makes a handler that serves the page, and the API on all other paths. The error names the missing option.
func New(options Options) (http.Handler, error) {
	if options.API == nil || options.Secret == nil || options.Now == nil || options.Log == nil {
		return nil, errors.New("the page needs API, Secret, Now and Log")
	}
	if options.Development != nil && options.Development.CountFor == nil {
		return nil, errors.New("the page needs Development.CountFor")
	}
	s := &site{Options: options, api: client.New("http://node", 1).Over(apiTransport{api: options.API}), outlines: newOutlineCache()}
	s.keys = &keyring{secret: options.Secret, now: options.Now}
	var err error
	if s.views, err = readViews(partyNames{options.Participant, options.Operator}); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", s.page(s.home))
	mux.Handle("GET /assets/{name}", http.HandlerFunc(s.asset))
	mux.Handle("GET /wallet", s.page(s.wallet))
	mux.Handle("POST /wallet/sign-in", s.page(s.signIn))
	mux.Handle("POST /wallet/sign-out", s.page(s.signOut))
	if options.Provider != nil {
		s.signInProvider = &signInProvider{Provider: *options.Provider}
		mux.Handle("GET "+providerPath, s.page(s.startProviderSignIn))
		mux.Handle("GET "+providerReturnPath, s.page(s.finishProviderSignIn))
	}
	for pattern, view := range s.walletViews() {
		mux.Handle(pattern, s.page(s.signedIn(view)))
	}
	mux.Handle("GET /wallet/events", s.events(walletEvents))
	mux.Handle("GET /explorer/events", s.events(explorerEvents))
	s.handleExplorer(mux)
	s.adminRoutes(mux)
	mux.Handle("/", s.page(s.pageNotFound))
	pages := s.observe(mux, options.Hosts.GuardPages(mux, options.HostsFlag))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isPage(r) {
			options.API.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}), nil
}

// handleExplorer adds the pages of the explorer.
func (s *site) handleExplorer(mux *http.ServeMux) {
	for pattern, show := range map[string]func(*visit, reader) error{
		"GET /explorer":                   s.explorer,
		"GET /explorer/search":            s.find,
		"GET /explorer/updates/{id}":      s.updateByID,
		"GET /explorer/updates/{id}/json": s.updateAsJSON,
		"GET /explorer/offsets/{at}":      s.updateByOffset,
		"GET /explorer/contracts":         s.contracts,
		"GET /explorer/contracts/{id}":    s.contractByID,
		"GET /explorer/packages":          s.packages,
		"GET /explorer/packages/{id}":     s.packageByID,
		"GET /explorer/templates/{id}":    s.templateByID,
		"GET /explorer/parties":           s.parties,
		"GET /explorer/parties/{party}":   s.partyByID,
	} {
		mux.Handle(pattern, s.page(s.withReader(show)))
	}
	for path, find := range map[string]finder{
		"/explorer/templates/{id}/create":            s.creation,
		"/explorer/contracts/{id}/exercise/{choice}": s.exercise,
	} {
		mux.Handle("GET "+path, s.page(s.withReader(s.commandForm(find))))
		mux.Handle("POST "+path, s.page(s.withReader(s.tryCommand(find))))
		mux.Handle("GET "+path+"/preview", s.page(s.withReader(s.previewCommand(find))))
		mux.Handle("POST "+path+"/submit", s.page(s.withReader(s.submitCommand(find))))
	}
}

// places are the parts of the page, which are also the first elements of their paths.
var places = []string{"wallet", "explorer", "admin"}

// isPage reports whether a request is for the page. Only GET and HEAD of the root are.
func isPage(r *http.Request) bool {
	path := r.URL.Path
	if path == "/" {
		return r.Method == http.MethodGet || r.Method == http.MethodHead
	}
	return isPagePath(path) || strings.HasPrefix(path, "/assets/")
}

func isPagePath(path string) bool { return placeOf(path) != "" }

// placeOf is the part of the page that a path belongs to; "" if it belongs to none.
func placeOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if slices.Contains(places, first) {
		return first
	}
	return ""
}

// policy allows only files that the node itself serves, and no inline script or style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// observe sets the headers of pages, and logs and measures them by their route in mux, because paths contain ids.
func (s *site) observe(mux *http.ServeMux, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.Now()
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("Cache-Control", "no-store")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		_, route := mux.Handler(r)
		_, route, _ = strings.Cut(route, " ")
		written := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		pages.ServeHTTP(written, r)
		took := s.Now().Sub(began)
		if s.Measure != nil {
			s.Measure(r.Method, route, written.status, took)
		}
		s.Log.LogAttrs(r.Context(), slog.LevelDebug, "page", slog.String("method", r.Method), slog.String("pattern", route),
			slog.Int("status", written.status), slog.Duration("took", took))
	})
}

type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// visit is one request for a page.
type visit struct {
	w        http.ResponseWriter
	r        *http.Request
	sessions *sessions
	session  session
	// party is the party of the user's wallet now; "" if there is none, and in views that do not need it.
	party string
	// now is the ledger's time, traffic the extra traffic of the node, as far as the visit has read them.
	now     time.Time
	traffic *usedTraffic
	// api calls the node as the signed-in user.
	api *client.Client
	// file is the file of a form, which nobody has read yet; nil without one.
	file *multipart.Part
	// returnTo is the page to open after sign-in at the provider; "" if unknown.
	returnTo string
}

func (v *visit) ctx() context.Context { return v.r.Context() }

// field is the value of a form field.
func (v *visit) field(name string) string { return strings.TrimSpace(v.r.PostFormValue(name)) }

// view writes a page or returns an error.
type view func(v *visit) error

// page is the handler of a view. Every visitor has a session, so that every form can be bound to one.
func (s *site) page(show view) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		ctx = withVisitor(ctx, r)
		r = r.WithContext(ctx)
		v := &visit{w: w, r: r, api: s.api}
		var err error
		if v.sessions, err = s.keys.sessions(ctx); err != nil {
			s.note(ctx, http.StatusServiceUnavailable, err)
			http.Error(w, "The node cannot read its record now. Try again in a moment.", http.StatusServiceUnavailable)
			return
		}
		one, found := v.sessions.read(r)
		if !found {
			one = v.sessions.fresh()
		}
		v.session, v.api = one, s.api.With(one.Token)
		if found && isFragment(r) && !v.sessions.isForm(one, r.Header.Get(sessionHeader)) {
			w.Header().Set("HX-Refresh", "true") // somebody else has signed in since, in another tab
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if err := s.checkForm(v); err != nil {
			s.explain(ctx, v, err)
			return
		}
		if !found && r.Method == http.MethodGet && !isFragment(r) {
			if err := v.sessions.write(w, r, one); err != nil {
				s.explain(ctx, v, err)
				return
			}
		}
		if err := show(v); err != nil {
			s.explain(ctx, v, err)
		}
	})
}

// checkForm refuses a change that does not come from a form of this session.
func (s *site) checkForm(v *visit) error {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return nil
	}
	if isUpload(v.r) {
		token, err := v.openUpload()
		if err != nil {
			return &problem{Status: http.StatusBadRequest, What: "The form cannot be read: " + err.Error() + "."}
		}
		return v.checkToken(token)
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxFormBytes)
	if err := v.r.ParseForm(); err != nil {
		return &problem{Status: http.StatusBadRequest, What: "The form cannot be read: " + err.Error() + "."}
	}
	return v.checkToken(v.r.PostFormValue(formField))
}

func (v *visit) checkToken(token string) error {
	if !v.sessions.isForm(v.session, token) {
		return &problem{
			Status: http.StatusForbidden, What: "This form belongs to a session that has ended.",
			Next: "Nothing was done. Load the page again, and sign in if needed.",
		}
	}
	return nil
}

// signedIn is a view for signed-in users.
func (s *site) signedIn(show view) view {
	return func(v *visit) error {
		if v.session.Token == "" {
			s.goTo(v, "/wallet")
			return nil
		}
		if err := s.identify(v); err != nil {
			return err
		}
		return show(v)
	}
}

// goTo redirects to another page of this site, or to the wallet if the address is not of this site.
func (s *site) goTo(v *visit, address string) {
	path := walletPath
	if to, ok := pageAt(address); ok {
		path = to.String()
	}
	if isFragment(v.r) {
		v.w.Header().Set("HX-Redirect", path)
		v.w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// done redirects to another page, which shows the notice.
func (s *site) done(v *visit, path, notice string) error {
	v.sessions.setNotice(v.w, v.r, v.session, notice)
	s.goTo(v, path)
	return nil
}

// sessionHeader is the header in which htmx says of which session the page is.
const sessionHeader = "Page-Session"

// isFragment reports whether htmx requests the live part of a page.
func isFragment(r *http.Request) bool { return r.Header.Get("Hx-Request") == "true" }

func (s *site) pageNotFound(v *visit) error {
	next := "Go to the wallet."
	if placeOf(v.r.URL.Path) == "explorer" {
		next = "Go to the explorer."
	}
	if placeOf(v.r.URL.Path) == "admin" {
		next = "Go to the node's health."
	}
	return &problem{
		Status: http.StatusNotFound, What: fmt.Sprintf("There is no page %q.", v.r.URL.Path), Next: next,
	}
}
