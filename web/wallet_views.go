package web

// walletViews are the views of the wallet by pattern, for signed-in users.
func (s *site) walletViews() map[string]view {
	return map[string]view{
		"POST /wallet/open":                    s.open,
		"POST /wallet/tap":                     s.tap,
		"GET /wallet/send":                     s.sendForm,
		"POST /wallet/send":                    s.send,
		"POST /wallet/send/preview":            s.openPreview,
		"GET /wallet/send/preview":             s.preview,
		"GET /wallet/names":                    s.savedNames,
		"GET /wallet/inbox":                    s.inbox,
		"GET /wallet/waiting":                  s.waiting,
		"POST /wallet/inbox/{kind}/{id}/{act}": s.answer,
		"GET /wallet/receive":                  s.receive,
		"POST /wallet/preapproval":             s.preapprove,
		"POST /wallet/preapproval/cancel":      s.cancelPreapproval,
		"GET /wallet/coins":                    s.coins,
		"POST /wallet/coins/merge":             s.merge,
		"POST /wallet/coins/merge-chosen":      s.mergeChosen,
		"POST /wallet/coins/choose":            s.openChosen,
		"GET /wallet/coins/send":               s.chosen,
		"POST /wallet/coins/send":              s.sendChosen,
		"GET /wallet/tokens":                   s.tokens,
		"POST /wallet/tokens/send":             s.sendToken,
		"GET /wallet/traffic":                  s.trafficPage,
		"POST /wallet/traffic/buy":             s.buyTraffic,

		"GET /wallet/webhooks":             s.webhooks,
		"POST /wallet/webhooks":            s.createWebhook,
		"GET /wallet/webhooks/{id}":        s.webhook,
		"POST /wallet/webhooks/{id}/{act}": s.changeWebhook,

		"GET /wallet/payments":                            s.payments,
		"POST /wallet/payments/{kind}/{id}/{act}":         s.answerPayment,
		"GET /wallet/allocations":                         s.allocations,
		"POST /wallet/allocations/requests/{id}/allocate": s.allocate,
		"POST /wallet/allocations/requests/{id}/reject":   s.rejectAllocation,
		"POST /wallet/allocations/{id}/withdraw":          s.withdrawAllocation,

		"GET /wallet/external":          s.external,
		"GET /wallet/external/new":      s.newExternal,
		"POST /wallet/external/new":     s.createExternal,
		"POST /wallet/external/propose": s.proposeExternal,
		"GET /wallet/external/accept":   s.acceptExternal,
		"POST /wallet/external/accept":  s.finishAccept,
		"GET /wallet/external/send":     s.openExternalSend,
		"POST /wallet/external/send":    s.finishSend,

		"GET /wallet/history":      s.history,
		"GET /wallet/history/{id}": s.historyEntry,
		"GET /wallet/history.csv":  s.table,
	}
}
