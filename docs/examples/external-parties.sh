#!/usr/bin/env bash
# External parties: onboarding, and transfers that their keys sign.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

as ledger-api-user
network
SYNC=$(get /v2/state/connected-synchronizers | field synchronizerId)
id() { echo "$1::$(florin key fingerprint $1.pem)"; }
onboard() { # NAME: make a key (NAME.pem), and a party that only this key can sign for
  florin key new $1.pem
  post /v2/parties/external/generate-topology '{"synchronizer":"'$SYNC'","partyHint":"'$1'","publicKey":'"$(florin key public $1.pem)"'}' > $1.json
  post /v2/parties/external/allocate '{"synchronizer":"'$SYNC'","userId":"ledger-api-user","onboardingTransactions":[{"transaction":"'$(grep -o '"topologyTransactions":\["[^"]*' $1.json | cut -d'"' -f4)'"}],"multiHashSignatures":['"$(florin key sign $1.pem $1.json)"']}'
}
execute() { # FILE NAME…: sign the transaction in FILE as each NAME, and execute it
  local file=$1 name comma= signatures=
  for name in "${@:2}"; do
    signatures+=$comma'{"party":"'$(id $name)'","signatures":['$(florin key sign $name.pem $file)']}' comma=,
  done
  post /v2/interactive-submission/executeAndWait '{"preparedTransaction":"'$(field preparedTransaction < $file)'","hashingSchemeVersion":"'$(field hashingSchemeVersion < $file)'","submissionId":"'$file'","deduplicationPeriod":{"Empty":{}},"partySignatures":{"signatures":['"$signatures"']}}'
}
onboard carol; onboard dave
CAROL=$(id carol) DAVE=$(id dave)

# mint for carol: prepare, sign, execute
post /v2/interactive-submission/prepare '{"commandId":"mint-carol","actAs":["'$CAROL'"],'"$SHARED"',"commands":['"$(tap $CAROL 1000.0)"']}' > mint.json
execute mint.json carol

# pay dave: show the transaction; both sign it
COIN=$(active $CAROL '#splice-amulet:Splice.Amulet:Amulet' | field contractId)
post /v2/interactive-submission/prepare '{"commandId":"pay-dave","actAs":["'$CAROL'","'$DAVE'"],'"$SHARED"',"commands":['"$(transfer $CAROL $COIN $DAVE 250.0)"']}' > pay.json
florin tx show pay.json
execute pay.json carol dave
active $DAVE '#splice-amulet:Splice.Amulet:Amulet' | grep -o '"initialAmount":"[^"]*"'
