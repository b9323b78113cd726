#!/usr/bin/env bash
# The ledger API from a script: two parties, a user, coin minted, coin paid, completions read.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

# two parties that the administrator may act for, and a user that acts for one of them
as ledger-api-user
ALICE=$(post /v2/parties '{"partyIdHint":"alice-'$$'","userId":"ledger-api-user"}' | field party)
BOB=$(post /v2/parties '{"partyIdHint":"bob-'$$'","userId":"ledger-api-user"}' | field party)
post /v2/users '{"user":{"id":"alice-app-'$$'","primaryParty":"'$ALICE'"},"rights":[{"kind":{"CanActAs":{"value":{"party":"'$ALICE'"}}}}]}'

# mint, as that user, without waiting; then read the completion
as alice-app-$$
network
post /v2/commands/async/submit '{"commandId":"mint","actAs":["'$ALICE'"],'"$SHARED"',"commands":['"$(tap $ALICE 1000.0)"']}'
post /v2/commands/completions '{"parties":["'$ALICE'"]}'

# pay bob: a party must agree to receive coin, so both act
COIN=$(active $ALICE '#splice-amulet:Splice.Amulet:Amulet' | field contractId)
as ledger-api-user
post /v2/commands/submit-and-wait '{"commandId":"pay-'$$'","actAs":["'$ALICE'","'$BOB'"],'"$SHARED"',"commands":['"$(transfer $ALICE $COIN $BOB 250.0)"']}'
post /v2/commands/completions '{"parties":["'$BOB'"]}'
active $BOB '#splice-amulet:Splice.Amulet:Amulet' | grep -o '"initialAmount":"[^"]*"'
