package web

import (
	"net/http"
	"net/url"
	"time"
)

const settingsPath = "/v0/admin/ledger-settings"

// ledgerSetting is a setting that all nodes of the ledger share.
type ledgerSetting struct {
	Name        string     `json:"name"`
	Value       string     `json:"value"`
	Default     string     `json:"default"`
	IsFixed     bool       `json:"fixed"`
	ChangedAt   *time.Time `json:"changed_at"`
	ChangedBy   string     `json:"changed_by"`
	Description string     `json:"description"`
	// Typed is the value in the form.
	Typed string `json:"-"`
}

type settingsView struct {
	Settings []ledgerSetting
	Problem  *problem
}

// settings shows the settings of the ledger.
func (s *site) settings(v *visit) error {
	data, err := v.settingsView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_settings", data)
}

func (v *visit) settingsView() (data settingsView, err error) {
	var out struct {
		Settings []ledgerSetting `json:"settings"`
	}
	err = v.api.Get(v.ctx(), settingsPath, &out)
	for i, setting := range out.Settings {
		out.Settings[i].Typed = setting.Value
	}
	return settingsView{Settings: out.Settings}, err
}

// changeSetting changes a setting of the ledger.
func (s *site) changeSetting(v *visit) error {
	name, value := v.r.PathValue("name"), v.field("value")
	err := v.change("Set "+name+" to "+value, http.MethodPut, settingsPath+"/"+url.PathEscape(name),
		map[string]any{"value": value}, nil)
	if err == nil {
		return s.done(v, adminPath+"/settings", "The setting "+name+" is now "+value+", from the next offset on.")
	}
	return refused(s, v, "admin_settings", err, v.settingsView, func(data *settingsView, why *problem) {
		for i, setting := range data.Settings {
			if setting.Name == name {
				data.Settings[i].Typed = value
			}
		}
		data.Problem = why
	})
}
