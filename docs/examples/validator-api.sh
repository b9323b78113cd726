#!/usr/bin/env bash
# The validator API: an operator onboards parties and pays for their preapprovals; the parties sign their transfers.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

as ledger-api-user
network
EXTERNAL=/v0/admin/external-party OPERATOR=$(get /v0/validator-user | field party_id)
id() { echo "$1::$(florin key fingerprint $1.pem)"; }
submitted() { # NAME PATH: sign the transaction in NAME.json and submit it
  signature=$(field transaction < $1.json | florin key sign --hex $1.pem)
  post $EXTERNAL/$2 '{"submission":{"party_id":"'$(id $1)'","public_key":"'$(florin key public --hex $1.pem)'","transaction":"'$(field transaction < $1.json)'","signed_tx_hash":"'$signature'"}}'
}
newcomer() { # NAME: make a key (NAME.pem) and a party, and accept a preapproval
  florin key new $1.pem
  local key=$(florin key public --hex $1.pem)
  post $EXTERNAL/topology/generate '{"party_hint":"'$1'","public_key":"'$key'"}' > $1.json
  txs=$(grep -o '"topology_tx":"[^"]*","hash":"[^"]*"' $1.json | while IFS='"' read -r _ _ _ tx _ _ _ hash _; do
    printf '%s' "${comma-}"'{"topology_tx":"'$tx'","signed_hash":"'$(florin key sign --hex $1.pem --hash $hash)'"}'; comma=,
  done)
  post $EXTERNAL/topology/submit '{"public_key":"'$key'","signed_topology_txs":['"$txs"']}'
  proposal=$(post $EXTERNAL/setup-proposal '{"user_party_id":"'$(id $1)'"}' | field contract_id)
  post $EXTERNAL/setup-proposal/prepare-accept '{"contract_id":"'$proposal'","user_party_id":"'$(id $1)'"}' > $1.json
  submitted $1 setup-proposal/submit-accept
}
newcomer erin; newcomer frank
ERIN=$(id erin) FRANK=$(id frank)

# the operator mints, and pays erin, who has a preapproval
post /v2/commands/submit-and-wait '{"commandId":"mint-'$$'","actAs":["'$OPERATOR'"],'"$SHARED"',"commands":['"$(tap $OPERATOR 1000.0)"']}'
PREAPPROVAL=$(get /v0/admin/transfer-preapprovals/by-party/$ERIN | field contract_id)
COIN=$(active $OPERATOR '#splice-amulet:Splice.Amulet:Amulet' | field contractId)
post /v2/commands/submit-and-wait '{"commandId":"pay-erin-'$$'","actAs":["'$OPERATOR'"],'"$SHARED"',"commands":[{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:TransferPreapproval","contractId":"'$PREAPPROVAL'","choice":"TransferPreapproval_Send","choiceArgument":{"context":{"amuletRules":"'$RULES'","context":{"openMiningRound":"'$ROUND'","issuingMiningRounds":[],"validatorRights":[],"featuredAppRight":null}},"inputs":[{"tag":"InputAmulet","value":"'$COIN'"}],"amount":"100.0","sender":"'$OPERATOR'","description":null}}}]}'

# erin sends 40 to frank: she signs a command, and the operator executes it
post $EXTERNAL/transfer-preapproval/prepare-send '{"sender_party_id":"'$ERIN'","receiver_party_id":"'$FRANK'","amount":40,"expires_at":"2099-01-01T00:00:00Z","nonce":0}' > erin.json
submitted erin transfer-preapproval/submit-send
until get "/v0/scan-proxy/transfer-command/status?sender=$ERIN&nonce=0" | grep '"sent"'; do sleep 0.2; done
get "$EXTERNAL/balance?party_id=$ERIN"; echo; get "$EXTERNAL/balance?party_id=$FRANK"; echo
