#!/usr/bin/env bash
# The ledger API from a script: make two parties and a user, mint, pay, read completions.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

# make two parties for the administrator, and a user with the right to act as the first
as ledger-api-user
ALICE=$(post /v2/parties '{"partyIdHint":"alice-'$$'","userId":"ledger-api-user"}' | field party)
BOB=$(post /v2/parties '{"partyIdHint":"bob-'$$'","userId":"ledger-api-user"}' | field party)
post /v2/users '{"user":{"id":"alice-app-'$$'","primaryParty":"'$ALICE'"},"rights":[{"kind":{"CanActAs":{"value":{"party":"'$ALICE'"}}}}]}'

# mint as that user without waiting; then read the completion
as alice-app-$$
network
post /v2/commands/async/submit '{"commandId":"mint","actAs":["'$ALICE'"],'"$SHARED"',"commands":['"$(tap $ALICE 1000.0)"']}'
post /v2/commands/completions '{"parties":["'$ALICE'"]}'

# pay bob: the receiver must authorize the transfer too, so both act
COIN=$(active $ALICE '#splice-amulet:Splice.Amulet:Amulet' | field contractId)
as ledger-api-user
PAYMENT='{"commandId":"pay-'$$'","actAs":["'$ALICE'","'$BOB'"],'"$SHARED"',"commands":['"$(transfer $ALICE $COIN $BOB 250.0)"']}'
post '/v2/commands/submit-and-wait?dry_run=true' "$PAYMENT" | grep -o '"totalTrafficCostEstimation":[0-9]*' # writes nothing
post /v2/commands/submit-and-wait "$PAYMENT"
post /v2/commands/completions '{"parties":["'$BOB'"]}'
active $BOB '#splice-amulet:Splice.Amulet:Amulet' | grep -o '"initialAmount":"[^"]*"'
