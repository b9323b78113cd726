package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/florinledger/florin/client"
)

const packagesRoute = "/v2/packages"

// nodePackage is a package of the node. Name and Version are "" if it is not vetted: the API then has only its id.
type nodePackage struct {
	client.Package

	IsVetted, IsBuiltIn bool
}

type vettingView struct {
	Packages []nodePackage
	Problem  *problem
}

// packages lists the packages: those that were uploaded first.
func (s *site) vettedPackages(v *visit) error {
	data, err := s.vettingView(v)
	if err != nil {
		return err
	}
	return s.show(v, "admin_packages", data)
}

func (s *site) vettingView(v *visit) (data vettingView, err error) {
	vetted, err := v.api.Packages(v.ctx())
	if err != nil {
		return data, err
	}
	var out struct {
		IDs []string `json:"packageIds"`
	}
	if err := v.api.Get(v.ctx(), packagesRoute, &out); err != nil {
		return data, err
	}
	isListed := map[string]bool{}
	for _, one := range vetted {
		isListed[one.ID] = true
		data.Packages = append(data.Packages, nodePackage{one, true, slices.Contains(s.BuiltIn, one.ID)})
	}
	for _, id := range out.IDs {
		if !isListed[id] && !slices.Contains(s.BuiltIn, id) { // it is no other id of a built-in package
			data.Packages = append(data.Packages, nodePackage{Package: client.Package{ID: id}})
		}
	}
	slices.SortStableFunc(data.Packages, func(a, b nodePackage) int {
		switch {
		case a.IsBuiltIn == b.IsBuiltIn:
			return 0
		case b.IsBuiltIn:
			return -1
		default:
			return 1
		}
	})
	return data, nil
}

// finishPackages ends a change of the packages: it shows the list, with the problem if there is one.
func (s *site) finishPackages(v *visit, err error, notice string) error {
	if err == nil {
		return s.done(v, adminPath+"/packages", notice)
	}
	return refused(s, v, "admin_packages", err, func() (vettingView, error) { return s.vettingView(v) },
		func(data *vettingView, why *problem) { data.Problem = why })
}

// vet lets commands use a package, or forbids it.
func (s *site) vet(v *visit) error {
	id, operation, notice := v.r.PathValue("id"), "Vet", "Commands can use the package again."
	if v.field("state") == "unvetted" {
		operation, notice = "Unvet", "Commands can no longer use the package. Its contracts stay as they are."
	}
	err := v.api.Post(v.ctx(), "/v2/package-vetting/update", map[string]any{"changes": []any{map[string]any{
		"operation": map[string]any{operation: map[string]any{"value": map[string]any{
			"packages": []any{map[string]any{"packageId": id}},
		}}},
	}}}, nil)
	return s.finishPackages(v, err, notice)
}

// upload passes the file of the form to the node, which limits its size. The page does not keep it.
func (s *site) upload(v *visit) error {
	if v.file == nil || v.file.FileName() == "" {
		return s.finishPackages(v, unprocessable("No file was chosen.", "Choose a DAR file."), "")
	}
	err := v.api.UploadDARFrom(v.ctx(), v.file)
	return s.finishPackages(v, err, "The packages of "+v.file.FileName()+" are on the ledger.")
}

// uploadPath is the only path whose form has a file.
const uploadPath = adminPath + "/packages"

// isUpload reports whether a request is a form with a file.
func isUpload(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data" && r.URL.Path == uploadPath
}

// openUpload reads the fields of a form before its file, which stays unread, and returns the token of the form.
func (v *visit) openUpload() (token string, err error) {
	parts, err := v.r.MultipartReader()
	if err != nil {
		return "", err
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return token, nil
		}
		if err != nil {
			return "", err
		}
		switch part.FormName() {
		case formField:
			if token, err = readField(part); err != nil {
				return "", err
			}
		case "dar":
			v.file = part
			return token, nil
		}
	}
}

func readField(part *multipart.Part) (string, error) {
	text, err := io.ReadAll(io.LimitReader(part, maxFormBytes))
	return strings.TrimSpace(string(text)), err
}
