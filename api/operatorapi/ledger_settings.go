package operatorapi

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// LedgerSettings stores the settings of the ledger, which all nodes share.
type LedgerSettings interface {
	// Node reads the identity of the node.
	Node(ctx context.Context) (ledger.Node, bool, error)
	// LedgerSettings reads the current values.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// LastSettingChanges reads the last change of each setting, by name.
	LastSettingChanges(ctx context.Context) (map[string]db.LastSettingChange, error)
	// ChangeLedgerSetting changes a setting for all commits from now on.
	ChangeLedgerSetting(ctx context.Context, name, value string) (changed bool, err error)
}

// LedgerSettingsPath is the path of the settings of the ledger.
const LedgerSettingsPath = "/v0/admin/ledger-settings"

func (a *API) ledgerSettingsEndpoints() []endpoint.Endpoint {
	info := func(method, path, id, summary, description string) endpoint.Info {
		return endpoint.Info{
			Method: method, Path: path, OperationID: id, Tag: "Settings of the ledger", Access: endpoint.Admin,
			Summary: summary, Description: description,
		}
	}
	return []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, LedgerSettingsPath, "listLedgerSettings",
			"List the settings of the ledger.", "The audit log (`GET "+AuditLogPath+"?kind=setting`) has all changes."), a.listLedgerSettings),
		endpoint.New(info(http.MethodPut, LedgerSettingsPath+"/{name}", "putLedgerSetting",
			"Change a setting of the ledger.",
			"The value takes effect on every node with the next offset, without a restart. A new token secret takes "+
				"effect when a node starts with it or reads its file again. Fixed settings get their value at the first "+
				"start of the ledger and cannot change."), a.putLedgerSetting),
	}
}

// LedgerSetting is a setting of the ledger.
type LedgerSetting struct {
	Name        string              `json:"name" required:"true" doc:"Name of the setting and of its flag"`
	Value       string              `json:"value" required:"true" doc:"Current value; a digest for secrets"`
	Default     string              `json:"default" required:"true" doc:"Value of a new ledger without the flag"`
	Secret      bool                `json:"secret" required:"true" doc:"Whether the ledger stores only a digest of the value"`
	Fixed       bool                `json:"fixed" required:"true" doc:"Whether the setting can never change"`
	FromOffset  ledger.Offset       `json:"from_offset" required:"true" doc:"The first offset with this value"`
	ChangedAt   *endpoint.Timestamp `json:"changed_at" doc:"Time of the last change"`
	ChangedBy   string              `json:"changed_by" doc:"User of the last change; empty: the first start"`
	Description string              `json:"description" required:"true" doc:"What the setting does"`
}

// ListLedgerSettingsResponse lists all settings of the ledger.
type ListLedgerSettingsResponse struct {
	Settings []LedgerSetting `json:"settings" required:"true" doc:"All settings"`
}

func (a *API) listLedgerSettings(ctx context.Context, _ endpoint.NoRequest) (ListLedgerSettingsResponse, error) {
	settings, err := a.options.Ledger.LedgerSettings(ctx)
	if err != nil {
		return ListLedgerSettingsResponse{}, err
	}
	last, err := a.options.Ledger.LastSettingChanges(ctx)
	var out ListLedgerSettingsResponse
	for _, setting := range ledger.AllSettings() {
		out.Settings = append(out.Settings, toAPILedgerSetting(setting, settings, last[setting.Name]))
	}
	return out, err
}

func toAPILedgerSetting(
	setting ledger.Setting, settings ledger.Settings, last db.LastSettingChange,
) LedgerSetting {
	out := LedgerSetting{
		Name: setting.Name, Value: setting.Show(settings), Default: setting.Show(ledger.DefaultSettings()),
		Secret: setting.Secret, Fixed: setting.Fixed, FromOffset: last.From, Description: setting.Description,
		ChangedBy: ledger.IdentityText(last.By),
	}
	if !last.At.IsZero() {
		out.ChangedAt = new(endpoint.Timestamp(last.At))
	}
	return out
}

type putLedgerSettingRequest struct {
	Name string            `path:"name" doc:"The name of the setting"`
	Body ledgerSettingBody `body:"json"`
}

type ledgerSettingBody struct {
	Value string `json:"value" required:"true" doc:"Value in the form of the flag: 0.005, true, 168h, 200"`
}

func (a *API) putLedgerSetting(ctx context.Context, req putLedgerSettingRequest) (LedgerSetting, error) {
	setting, ok := ledger.FindSetting(req.Name)
	switch {
	case !ok:
		return LedgerSetting{}, v0.NotFound("The ledger has no setting %q. GET %s lists the settings.",
			req.Name, LedgerSettingsPath)
	case setting.Fixed:
		return LedgerSetting{}, v0.BadRequest("The setting %s is fixed since the first start of the ledger. To use "+
			"another value, start a new ledger.", req.Name)
	}
	settings := ledger.DefaultSettings()
	if err := setting.Set(&settings, req.Body.Value); err != nil {
		if setting.Secret {
			return LedgerSetting{}, v0.BadRequest("%s must be given.", req.Name)
		}
		return LedgerSetting{}, v0.BadRequest("%s.", err)
	}
	value, err := a.stored(ctx, setting, settings)
	if err != nil {
		return LedgerSetting{}, err
	}
	if _, err := a.options.Ledger.ChangeLedgerSetting(ctx, setting.Name, value); err != nil {
		return LedgerSetting{}, err
	}
	all, err := a.listLedgerSettings(ctx, endpoint.NoRequest{})
	for _, one := range all.Settings {
		if one.Name == setting.Name {
			return one, err
		}
	}
	return LedgerSetting{}, err
}

// stored returns the value for the record: a digest of a secret.
func (a *API) stored(ctx context.Context, setting ledger.Setting, settings ledger.Settings) (string, error) {
	value := setting.Show(settings)
	if !setting.Secret {
		return value, nil
	}
	node, _, err := a.options.Ledger.Node(ctx)
	return node.Digest(value), err
}
