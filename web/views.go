package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed assets/*
var assetFiles embed.FS

// views are the pages by name, and the files that they load.
type views struct {
	pages map[string]*template.Template
	// assets are the files by served name, which contains a hash of their content.
	assets map[string][]byte
	named  map[string]string
}

const frameFile = "templates/frame.html"

// readViews reads all templates: a file is a page, its definitions other than "main" are parts of pages.
func readViews(parties partyNames) (views, error) {
	v := views{pages: map[string]*template.Template{}, assets: map[string][]byte{}, named: map[string]string{}}
	files, err := assetFiles.ReadDir("assets")
	if err != nil {
		return v, fmt.Errorf("read the files of the page: %w", err)
	}
	for _, file := range files {
		content, err := assetFiles.ReadFile("assets/" + file.Name())
		if err != nil {
			return v, fmt.Errorf("read the files of the page: %w", err)
		}
		sum := sha256.Sum256(content)
		kind := path.Ext(file.Name())
		served := strings.TrimSuffix(file.Name(), kind) + "." + hex.EncodeToString(sum[:6]) + kind
		v.assets[served], v.named[file.Name()] = content, "/assets/"+served
	}
	known := functions()
	known["name"], known["fingerprint"] = parties.name, parties.fingerprint
	known["asset"] = func(name string) string { return v.named[name] }
	frame, err := template.New("frame").Funcs(known).ParseFS(templateFiles, frameFile, "templates/parts.html")
	if err != nil {
		return v, fmt.Errorf("read the templates of the page: %w", err)
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return v, fmt.Errorf("read the templates of the page: %w", err)
	}
	for _, name := range names {
		one, err := frame.Clone()
		if err == nil {
			one, err = one.ParseFS(templateFiles, name)
		}
		if err != nil {
			return v, fmt.Errorf("read the templates of the page: %w", err)
		}
		v.pages[strings.TrimSuffix(path.Base(name), ".html")] = one
	}
	return v, nil
}

// pageData is the data of a template.
type pageData struct {
	// View is the name of the page, for the navigation.
	View string
	// Place is the part of the page: "wallet", "explorer" or "admin"; "" on the front page.
	Place   string
	Session session
	Party   string
	// Form is the token for forms.
	Form   string
	Notice string
	// Development is true on a node that lets everybody sign in by name.
	Development bool
	// Taps is true if everybody may mint coin.
	Taps bool
	// Events is the address of the stream that tells the page to read its view again; "" for none.
	Events string
	// Seen is a hash of Data. A page that already has it gets nothing new.
	Seen string
	Data any
}

func (s *site) show(v *visit, name string, data any) error {
	return s.write(v, http.StatusOK, name, data)
}

// write writes a page, or the part of a page that "page-part" names.
func (s *site) write(v *visit, status int, name string, data any) error {
	all := pageData{
		View: name, Place: placeOf(v.r.URL.Path), Session: v.session, Party: v.party,
		Form: v.sessions.form(v.session), Development: s.Development != nil, Taps: s.Taps, Data: data,
		Events: eventsOf(v, name),
	}
	block := "frame"
	pageName, part, isPart := strings.Cut(name, "-")
	if isPart {
		block = part
	} else {
		all.Notice = v.sessions.takeNotice(v.w, v.r, v.session)
	}
	content, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("write the page %s: %w", name, err)
	}
	sum := sha256.Sum256(content)
	all.Seen = hex.EncodeToString(sum[:8])
	if isPart && v.r.URL.Query().Get("seen") == all.Seen {
		v.w.WriteHeader(http.StatusNoContent) // the page and its scroll position stay
		return nil
	}
	var text bytes.Buffer
	if err := s.views.pages[pageName].ExecuteTemplate(&text, block, all); err != nil {
		return fmt.Errorf("write the page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = text.WriteTo(v.w) // the visitor may have left
	return nil
}

// asset serves a file of the page. Browsers may keep it, because its name contains a hash.
func (s *site) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, known := s.views.assets[name]
	if !known {
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	kinds := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
	w.Header().Set("Content-Type", kinds[path.Ext(name)]+"; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(content)
}
