package operatorapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/settings"
)

// Settings stores the settings of the automations of all processes of the node.
type Settings interface {
	// AutomationSetting reads one; an unknown one has no values.
	AutomationSetting(ctx context.Context, kind string, party ledger.Party) (db.AutomationSetting, error)
	// AutomationSettings lists those of a kind in pages.
	AutomationSettings(ctx context.Context, kind string, after ledger.Party, limit int32) ([]db.AutomationSetting, error)
	// ChooseAutomation sets a value; nil turns the automation off.
	ChooseAutomation(ctx context.Context, kind string, party ledger.Party, value []byte) (db.AutomationSetting, error)
	// ResetAutomation returns to the value of the configuration.
	ResetAutomation(ctx context.Context, kind string, party ledger.Party) (db.AutomationSetting, error)
	// KnownParties returns the known parties, and whether each is local.
	KnownParties(ctx context.Context, parties []ledger.Party) (map[ledger.Party]bool, error)
}

const (
	settingsPath = "/v0/admin/automation/settings"
	topUpPath    = settingsPath + "/top-up"
	sweepsPath   = settingsPath + "/sweeps"
	acceptsPath  = settingsPath + "/auto-accept"

	onePage = 100
	maxPage = 1000
)

// Texts of all changes in the document.
const (
	putCounts = "The value takes effect with the next run of the automation, in all processes of the node. It has " +
		"precedence over the configuration until it is deleted. `enabled` false turns the automation off. The audit log " +
		"(`GET " + AuditLogPath + "?kind=setting`) has all changes."
	deleteResets = "The value of the configuration takes effect again: the file or the text of the last start of the node."
)

func (a *API) settingsEndpoints() []endpoint.Endpoint {
	info := func(method, path, id, summary, description string) endpoint.Info {
		return endpoint.Info{
			Method: method, Path: path, OperationID: id, Tag: "Automation", Access: endpoint.Admin, Summary: summary,
			Description: description,
		}
	}
	sweep, accept := sweepsPath+"/{sender}", acceptsPath+"/{receiver}"
	return []endpoint.Endpoint{
		endpoint.New(info(http.MethodGet, topUpPath, "getTopUp", "Get how much traffic the node buys.", ""), a.getTopUp),
		endpoint.New(info(http.MethodPut, topUpPath, "putTopUp", "Change how much traffic the node buys.",
			putCounts), a.putTopUp),
		endpoint.New(info(http.MethodDelete, topUpPath, "resetTopUp", "Reset the top-up to the configuration.",
			deleteResets), a.resetTopUp),
		endpoint.New(info(http.MethodGet, sweepsPath, "listSweeps", "List the sweeps.",
			"The list includes sweeps that the operator turned off."), a.listSweeps),
		endpoint.New(info(http.MethodGet, sweep, "getSweep", "Get the sweep of a wallet.", ""), a.getSweep),
		endpoint.New(info(http.MethodPut, sweep, "putSweep", "Change the sweep of a wallet.", putCounts), a.putSweep),
		endpoint.New(info(http.MethodDelete, sweep, "resetSweep", "Reset a sweep to the configuration.",
			deleteResets), a.resetSweep),
		endpoint.New(info(http.MethodGet, acceptsPath, "listAutoAccepts", "List wallets that accept offers automatically.",
			"The list includes wallets for which the operator turned it off."), a.listAutoAccepts),
		endpoint.New(info(http.MethodGet, accept, "getAutoAccept", "Get whose offers a wallet accepts automatically.", ""),
			a.getAutoAccept),
		endpoint.New(info(http.MethodPut, accept, "putAutoAccept", "Change whose offers a wallet accepts automatically.",
			putCounts), a.putAutoAccept),
		endpoint.New(info(http.MethodDelete, accept, "resetAutoAccept", "Reset automatic accepting to the configuration.",
			deleteResets), a.resetAutoAccept),
	}
}

type topUpBody struct {
	Enabled *bool `json:"enabled" doc:"false buys nothing; true when left out"`

	TargetThroughput *int64 `json:"target_throughput" alias:"targetThroughput target-throughput" doc:"Bytes per second (also targetThroughput, target-throughput); required unless disabled"`
	MinTopupInterval string `json:"min_topup_interval" alias:"minTopupInterval min-topup-interval" doc:"As 10m or 10 minutes (also minTopupInterval, min-topup-interval); 10m when left out"`
	ReservedTraffic  *int64 `json:"reserved_traffic" alias:"reservedTraffic reserved-traffic" doc:"Bytes (also reservedTraffic, reserved-traffic); 200000 when left out"`
}

type putTopUpRequest struct {
	Body topUpBody `body:"json"`
}

func (a *API) getTopUp(ctx context.Context, _ endpoint.NoRequest) (TopUpResponse, error) {
	return respond(toAPITopUp)(a.options.Settings.AutomationSetting(ctx, string(settings.KindTopUp), ""))
}

func (a *API) resetTopUp(ctx context.Context, _ endpoint.NoRequest) (TopUpResponse, error) {
	return respond(toAPITopUp)(a.reset(ctx, settings.KindTopUp, ""))
}

func (a *API) putTopUp(ctx context.Context, req putTopUpRequest) (TopUpResponse, error) {
	body := req.Body
	if isOff(body.Enabled) {
		return respond(toAPITopUp)(a.choose(ctx, settings.KindTopUp, "", nil))
	}
	if body.TargetThroughput == nil {
		return TopUpResponse{}, missing("target_throughput")
	}
	topUp := settings.TopUp{
		TargetThroughput: *body.TargetThroughput, MinTopupInterval: settings.Duration(settings.DefaultMinTopupInterval),
		ReservedTraffic: settings.DefaultReservedTraffic,
	}
	if text := body.MinTopupInterval; text != "" {
		interval, err := settings.ParseDuration(text)
		if err != nil {
			return TopUpResponse{}, v0.BadRequest("min_topup_interval: %s", err)
		}
		topUp.MinTopupInterval = settings.Duration(interval)
	}
	if body.ReservedTraffic != nil {
		topUp.ReservedTraffic = *body.ReservedTraffic
	}
	if err := refuse(topUp.Problems()); err != nil {
		return TopUpResponse{}, err
	}
	return respond(toAPITopUp)(a.choose(ctx, settings.KindTopUp, "", topUp))
}

type sweepRequest struct {
	Sender string `path:"sender" doc:"The wallet to sweep"`
}

type putSweepRequest struct {
	Sender string    `path:"sender" doc:"The wallet to sweep"`
	Body   sweepBody `body:"json"`
}

type sweepBody struct {
	Enabled *bool `json:"enabled" doc:"false sweeps nothing; true when left out"`

	MaxBalanceUSD *decimal.Decimal `json:"max_balance_usd" alias:"maxBalanceUSD max-balance-usd" doc:"The node sweeps the wallet above this balance (also maxBalanceUSD, max-balance-usd); a number or a string"`
	MinBalanceUSD *decimal.Decimal `json:"min_balance_usd" alias:"minBalanceUSD min-balance-usd" doc:"Balance after a sweep (also minBalanceUSD, min-balance-usd); a number or a string"`
	Receiver      ledger.Party     `json:"receiver" doc:"The party that gets the rest"`

	UseTransferPreapproval bool `json:"use_transfer_preapproval" alias:"useTransferPreapproval use-transfer-preapproval" doc:"Send through the receiver's preapproval (also useTransferPreapproval, use-transfer-preapproval)"`
}

func (a *API) getSweep(ctx context.Context, req sweepRequest) (SweepResponse, error) {
	return respond(toAPISweep)(
		a.options.Settings.AutomationSetting(ctx, string(settings.KindSweep), ledger.Party(req.Sender)))
}

func (a *API) resetSweep(ctx context.Context, req sweepRequest) (SweepResponse, error) {
	return respond(toAPISweep)(a.reset(ctx, settings.KindSweep, ledger.Party(req.Sender)))
}

func (a *API) putSweep(ctx context.Context, req putSweepRequest) (SweepResponse, error) {
	sender, body := ledger.Party(req.Sender), req.Body
	if err := a.requireLocal(ctx, "sender", sender); err != nil {
		return SweepResponse{}, err
	}
	if isOff(body.Enabled) {
		return respond(toAPISweep)(a.choose(ctx, settings.KindSweep, sender, nil))
	}
	switch {
	case body.MaxBalanceUSD == nil:
		return SweepResponse{}, missing("max_balance_usd")
	case body.MinBalanceUSD == nil:
		return SweepResponse{}, missing("min_balance_usd")
	case body.Receiver == "":
		return SweepResponse{}, missing("receiver")
	}
	sweep := settings.Sweep{
		MaxBalanceUSD: *body.MaxBalanceUSD, MinBalanceUSD: *body.MinBalanceUSD, Receiver: body.Receiver,
		UseTransferPreapproval: body.UseTransferPreapproval,
	}
	if err := refuse(sweep.Problems(sender)); err != nil {
		return SweepResponse{}, err
	}
	ring, err := automation.SweepRing(sender, sweep.Receiver, a.sweepOf(ctx))
	if err != nil {
		return SweepResponse{}, err
	}
	if ring != "" {
		return SweepResponse{}, v0.BadRequest("receiver: %s", ring)
	}
	return respond(toAPISweep)(a.choose(ctx, settings.KindSweep, sender, sweep))
}

// sweepOf reads the current sweeps.
func (a *API) sweepOf(ctx context.Context) func(ledger.Party) (automation.SweepConfig, bool, error) {
	return func(wallet ledger.Party) (automation.SweepConfig, bool, error) {
		setting, err := a.options.Settings.AutomationSetting(ctx, string(settings.KindSweep), wallet)
		if err != nil || setting.Value() == nil {
			return automation.SweepConfig{}, false, err
		}
		var sweep settings.Sweep
		if err := json.Unmarshal(setting.Value(), &sweep); err != nil {
			return automation.SweepConfig{}, false, fault.Internal(err)
		}
		return sweep.Config(), true, nil
	}
}

type acceptRequest struct {
	Receiver string `path:"receiver" doc:"The wallet that accepts"`
}

type putAcceptRequest struct {
	Receiver string     `path:"receiver" doc:"The wallet that accepts"`
	Body     acceptBody `body:"json"`
}

type acceptBody struct {
	Enabled *bool `json:"enabled" doc:"false accepts nothing; true when left out"`

	FromParties []ledger.Party `json:"from_parties" alias:"fromParties from-parties" doc:"The senders whose offers the wallet accepts (also fromParties, from-parties)"`
}

func (a *API) getAutoAccept(ctx context.Context, req acceptRequest) (AutoAcceptResponse, error) {
	return respond(toAPIAutoAccept)(
		a.options.Settings.AutomationSetting(ctx, string(settings.KindAutoAccept), ledger.Party(req.Receiver)))
}

func (a *API) resetAutoAccept(ctx context.Context, req acceptRequest) (AutoAcceptResponse, error) {
	return respond(toAPIAutoAccept)(a.reset(ctx, settings.KindAutoAccept, ledger.Party(req.Receiver)))
}

func (a *API) putAutoAccept(ctx context.Context, req putAcceptRequest) (AutoAcceptResponse, error) {
	receiver := ledger.Party(req.Receiver)
	if err := a.requireLocal(ctx, "receiver", receiver); err != nil {
		return AutoAcceptResponse{}, err
	}
	if isOff(req.Body.Enabled) {
		return respond(toAPIAutoAccept)(a.choose(ctx, settings.KindAutoAccept, receiver, nil))
	}
	accept := settings.AutoAccept{FromParties: req.Body.FromParties}
	if err := refuse(accept.Problems()); err != nil {
		return AutoAcceptResponse{}, err
	}
	return respond(toAPIAutoAccept)(a.choose(ctx, settings.KindAutoAccept, receiver, accept))
}

// choose sets a value; nil turns the automation off.
func (a *API) choose(
	ctx context.Context, kind settings.Kind, party ledger.Party, value any,
) (db.AutomationSetting, error) {
	var encoded []byte
	if value != nil {
		var err error
		if encoded, err = json.Marshal(value); err != nil {
			return db.AutomationSetting{}, fault.Internal(err)
		}
	}
	return a.options.Settings.ChooseAutomation(ctx, string(kind), party, encoded)
}

func (a *API) reset(ctx context.Context, kind settings.Kind, party ledger.Party) (db.AutomationSetting, error) {
	return a.options.Settings.ResetAutomation(ctx, string(kind), party)
}

// requireLocal refuses settings for parties that are not on this node.
func (a *API) requireLocal(ctx context.Context, name string, party ledger.Party) error {
	known, err := a.options.Settings.KnownParties(ctx, []ledger.Party{party})
	if err == nil && !known[party] {
		return v0.BadRequest("%s: %q is not a party of this node. Send the complete id of a party with a wallet here",
			name, party)
	}
	return err
}

// respond converts a setting, or passes the error on.
func respond[T any](show func(db.AutomationSetting) (T, error)) func(db.AutomationSetting, error) (T, error) {
	return func(setting db.AutomationSetting, err error) (T, error) {
		if err != nil {
			var none T
			return none, err
		}
		return show(setting)
	}
}

func isOff(enabled *bool) bool { return enabled != nil && !*enabled }

func missing(name string) error {
	return v0.BadRequest("%s is missing. Send it, or send enabled false", name)
}
