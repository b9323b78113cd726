package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	settingsPath = "/v0/admin/ledger-settings"
	// changesPage is the number of changes on a page.
	changesPage = 50
)

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

// settingChange is a change of a setting of the ledger.
type settingChange struct {
	ID        int64     `json:"id"`
	ChangedAt time.Time `json:"changed_at"`
	ChangedBy string    `json:"changed_by"`
	Name      string    `json:"name"`
	Before    string    `json:"before"`
	After     string    `json:"after"`
	From      int64     `json:"from_offset"`
}

// automationChange is a change of a setting of the automation.
type automationChange struct {
	ID        int64           `json:"id"`
	ChangedAt time.Time       `json:"changed_at"`
	ChangedBy string          `json:"changed_by"`
	Kind      string          `json:"kind"`
	Party     string          `json:"party"`
	Action    string          `json:"action"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
}

// WasSet is the value before, and IsSet the value after the change.
func (c automationChange) WasSet() string { return settingText(c.Before) }

// IsSet is the value after the change.
func (c automationChange) IsSet() string { return settingText(c.After) }

func settingText(value json.RawMessage) string {
	if len(value) == 0 || string(value) == "null" {
		return "off"
	}
	return string(value)
}

type settingsView struct {
	Settings   []ledgerSetting
	Changes    []settingChange
	Automation []automationChange
	// Older and OlderAutomation are the numbers of the last changes of the page; 0 on the last page.
	Older, OlderAutomation int64
	Problem                *problem
}

// settings shows the settings of the ledger, and who changed which setting when.
func (s *site) settings(v *visit) error {
	data, err := v.settingsView()
	if err != nil {
		return err
	}
	return s.show(v, "admin_settings", data)
}

func (v *visit) settingsView() (data settingsView, err error) {
	var settings struct {
		Settings []ledgerSetting `json:"settings"`
	}
	var ledger struct {
		Changes []settingChange `json:"changes"`
	}
	var automation struct {
		Changes []automationChange `json:"changes"`
	}
	for path, out := range map[string]any{
		settingsPath: &settings,
		settingsPath + "/changes" + v.changesBefore("before"):                  &ledger,
		automationPath + "/settings/changes" + v.changesBefore("tasks-before"): &automation,
	} {
		if err := v.api.Get(v.ctx(), path, out); err != nil {
			return data, err
		}
	}
	data = settingsView{Settings: settings.Settings, Changes: ledger.Changes, Automation: automation.Changes}
	for i, setting := range data.Settings {
		data.Settings[i].Typed = setting.Value
	}
	if len(data.Changes) == changesPage {
		data.Older = data.Changes[changesPage-1].ID
	}
	if len(data.Automation) == changesPage {
		data.OlderAutomation = data.Automation[changesPage-1].ID
	}
	return data, nil
}

// changesBefore is the query for a page of changes, which the parameter of this page's address chooses.
func (v *visit) changesBefore(parameter string) string {
	query := "?limit=" + strconv.Itoa(changesPage)
	if before := v.r.URL.Query().Get(parameter); before != "" {
		query += "&before=" + url.QueryEscape(before)
	}
	return query
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
