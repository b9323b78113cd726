package operatorapi

import (
	"context"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
)

// LedgerSettings are what all nodes of the ledger decide by.
type LedgerSettings interface {
	// Node reads the identity of the node.
	Node(ctx context.Context) (ledger.Node, bool, error)
	// LedgerSettings reads what counts now.
	LedgerSettings(ctx context.Context) (ledger.Settings, error)
	// LastSettingChanges reads the last change of each setting, by name.
	LastSettingChanges(ctx context.Context) (map[string]db.LedgerSettingChange, error)
	// ChangeLedgerSetting changes a setting for all that is committed from now on.
	ChangeLedgerSetting(ctx context.Context, name, value, by string) (changed bool, err error)
	// LedgerSettingChanges pages through the changes before a number, the newest first.
	LedgerSettingChanges(ctx context.Context, before int64, limit int32) ([]db.LedgerSettingChange, error)
}

// LedgerSettingsPath is where the settings of the ledger are.
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
			"List what all nodes of the ledger decide by.", ""), a.listLedgerSettings),
		endpoint.New(info(http.MethodPut, LedgerSettingsPath+"/{name}", "putLedgerSetting",
			"Change what all nodes of the ledger decide by.",
			"The value counts from the next offset on, on every node, without a restart. Of the secret of tokens, nodes take "+
				"the new one when they are started with it, or read its file again. Those that are fixed were given at the first "+
				"start of the ledger and cannot be changed."), a.putLedgerSetting),
		endpoint.New(info(http.MethodGet, LedgerSettingsPath+"/changes", "listLedgerSettingChanges",
			"List who changed the settings of the ledger, and when.", "The newest change comes first."),
			a.listLedgerSettingChanges),
	}
}

// LedgerSetting is a setting of the ledger.
type LedgerSetting struct {
	Name        string              `json:"name" required:"true" doc:"Its name, which is that of the flag"`
	Value       string              `json:"value" required:"true" doc:"What counts; a digest for secrets"`
	Default     string              `json:"default" required:"true" doc:"What a fresh ledger has that is given none"`
	Fixed       bool                `json:"fixed" required:"true" doc:"Whether it can never be changed"`
	FromOffset  ledger.Offset       `json:"from_offset" required:"true" doc:"The first offset that is decided by it"`
	ChangedAt   *endpoint.Timestamp `json:"changed_at" doc:"When it changed last"`
	ChangedBy   string              `json:"changed_by" doc:"Which user changed it last; configure: the first start"`
	Description string              `json:"description" required:"true" doc:"What it means"`
}

// ListLedgerSettingsResponse lists all settings of the ledger.
type ListLedgerSettingsResponse struct {
	Settings []LedgerSetting `json:"settings" required:"true" doc:"All of them"`
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
	setting ledger.Setting, settings ledger.Settings, last db.LedgerSettingChange,
) LedgerSetting {
	out := LedgerSetting{
		Name: setting.Name, Value: setting.Show(settings), Default: setting.Show(ledger.DefaultSettings()),
		Fixed: setting.Fixed, FromOffset: last.From, ChangedBy: last.By, Description: setting.Description,
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
	Value string `json:"value" required:"true" doc:"As the flag takes it: 0.005, true, 168h, 200"`
}

func (a *API) putLedgerSetting(ctx context.Context, req putLedgerSettingRequest) (LedgerSetting, error) {
	setting, ok := ledger.FindSetting(req.Name)
	switch {
	case !ok:
		return LedgerSetting{}, v0.NotFound("There is no setting of the ledger named %q; GET %s lists them.",
			req.Name, LedgerSettingsPath)
	case setting.Fixed:
		return LedgerSetting{}, v0.BadRequest("The setting %s was given at the first start of the ledger and cannot be "+
			"changed; begin a fresh ledger with another.", req.Name)
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
	by := ledger.IdentityText(endpoint.Claims(ctx).Identity())
	if _, err := a.options.Ledger.ChangeLedgerSetting(ctx, setting.Name, value, by); err != nil {
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

// stored is what the record keeps of a value: of secrets a digest.
func (a *API) stored(ctx context.Context, setting ledger.Setting, settings ledger.Settings) (string, error) {
	value := setting.Show(settings)
	if !setting.Secret {
		return value, nil
	}
	node, _, err := a.options.Ledger.Node(ctx)
	return node.Digest(value), err
}

// LedgerSettingChange is a change of a setting of the ledger.
type LedgerSettingChange struct {
	ID         int64              `json:"id" required:"true" doc:"Its number; later changes have higher ones"`
	ChangedAt  endpoint.Timestamp `json:"changed_at" required:"true" doc:"When"`
	ChangedBy  string             `json:"changed_by" required:"true" doc:"Which user; configure: the first start"`
	Name       string             `json:"name" required:"true" doc:"Which setting"`
	Before     string             `json:"before" required:"true" doc:"What counted before; empty: nothing was stored"`
	After      string             `json:"after" required:"true" doc:"What counts after"`
	FromOffset ledger.Offset      `json:"from_offset" required:"true" doc:"The first offset that is decided by it"`
}

// ListLedgerSettingChangesResponse is a page of changes, the newest first.
type ListLedgerSettingChangesResponse struct {
	Changes []LedgerSettingChange `json:"changes" required:"true" doc:"The changes"`
}

func (a *API) listLedgerSettingChanges(
	ctx context.Context, req changesRequest,
) (ListLedgerSettingChangesResponse, error) {
	before, limit, err := req.page()
	if err != nil {
		return ListLedgerSettingChangesResponse{}, err
	}
	found, err := a.options.Ledger.LedgerSettingChanges(ctx, before, limit)
	out := make([]LedgerSettingChange, len(found))
	for i, change := range found {
		out[i] = LedgerSettingChange{
			ID: change.ID, ChangedAt: endpoint.Timestamp(change.At), ChangedBy: change.By, Name: change.Name,
			Before: change.Before, After: change.After, FromOffset: change.From,
		}
	}
	return ListLedgerSettingChangesResponse{Changes: out}, err
}
