#!/usr/bin/env bash
# Automation: sweep a till into a shop that accepts automatically.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

# make two wallets
as ledger-api-user
SHOP=$(post /v0/admin/users '{"name":"shop-'$$'","createPartyIfMissing":true}' | field party_id)
TILL=$(post /v0/admin/users '{"name":"till-'$$'","createPartyIfMissing":true}' | field party_id)

# when the till has more than 100 US dollars, sweep it to the shop down to 10; the shop accepts
SETTINGS=/v0/admin/automation/settings
put $SETTINGS/sweeps/$TILL '{"maxBalanceUSD":"100","minBalanceUSD":"10","receiver":"'$SHOP'"}'
put $SETTINGS/auto-accept/$SHOP '{"fromParties":["'$TILL'"]}'

as till-$$
post /v0/wallet/tap '{"amount":"500"}' # US dollars
until get /v0/wallet/balance | grep '"effective_unlocked_qty":"2000\.'; do sleep 0.2; done
as shop-$$
until get /v0/wallet/balance | grep '"effective_unlocked_qty":"98000\.'; do sleep 0.2; done

# show the last change of settings
as ledger-api-user
get "/v0/admin/audit-log?kind=setting&limit=1"
