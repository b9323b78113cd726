package web

import (
	"net/http"
	"net/url"
)

const idpsPath = "/v2/idps"

// identityProvider is a further issuer of tokens.
type identityProvider struct {
	ID            string `json:"identityProviderId"`
	IsDeactivated bool   `json:"isDeactivated"`
	Issuer        string `json:"issuer"`
	KeysURL       string `json:"jwksUrl"`
	Audience      string `json:"audience"`
}

type providersView struct {
	Providers []identityProvider
	// New is what the visitor typed into the form for a new one.
	New     identityProvider
	Problem *problem
}

// identityProviders lists the identity providers.
func (s *site) identityProviders(v *visit) error {
	data, err := v.providersView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_providers", data)
}

func (v *visit) providersView() (data providersView, err error) {
	var out struct {
		Providers []identityProvider `json:"identityProviderConfigs"`
	}
	err = v.api.Get(v.ctx(), idpsPath, &out)
	data.Providers = out.Providers
	return data, err
}

// providerTyped is the identity provider of a form.
func (v *visit) providerTyped(id string) identityProvider {
	return identityProvider{
		ID: id, Issuer: v.field("issuer"), KeysURL: v.field("keys"), Audience: v.field("audience"),
		IsDeactivated: v.field("state") == "deactivated",
	}
}

// finishProvider ends a change: it shows the list, with the problem and what was typed if there is one.
func (s *site) finishProvider(v *visit, typed identityProvider, err error, notice string) error {
	if err == nil {
		return s.done(v, adminPath+"/providers", notice)
	}
	return refused(s, v, "admin_providers", err, v.providersView, func(data *providersView, why *problem) {
		data.Problem = why
		if v.r.PathValue("id") == "" {
			data.New = typed
		}
		for i, one := range data.Providers {
			if one.ID == v.r.PathValue("id") && typed.ID != "" {
				data.Providers[i] = typed
			}
		}
	})
}

// addProvider makes the node accept tokens of a further issuer.
func (s *site) addProvider(v *visit) error {
	typed := v.providerTyped(v.field("id"))
	err := v.api.Post(v.ctx(), idpsPath, map[string]any{"identityProviderConfig": typed}, nil)
	return s.finishProvider(v, typed, err, "The node now accepts tokens of "+typed.Issuer+".")
}

// changeProvider changes an identity provider.
func (s *site) changeProvider(v *visit) error {
	typed := v.providerTyped(v.r.PathValue("id"))
	err := v.api.Call(v.ctx(), http.MethodPatch, idpsPath+"/"+url.PathEscape(typed.ID), map[string]any{
		"identityProviderConfig": typed,
		"updateMask":             map[string]any{"paths": []string{"is_deactivated", "jwks_url", "issuer", "audience"}},
	}, nil)
	return s.finishProvider(v, typed, err, "The identity provider "+typed.ID+" is changed.")
}

// deleteProvider deletes an identity provider.
func (s *site) deleteProvider(v *visit) error {
	id := v.r.PathValue("id")
	err := v.api.Call(v.ctx(), http.MethodDelete, idpsPath+"/"+url.PathEscape(id), nil, nil)
	return s.finishProvider(v, identityProvider{}, err, "The identity provider "+id+" is deleted.")
}
