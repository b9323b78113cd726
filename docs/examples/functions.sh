# Functions of the examples, for bash: `. docs/examples/functions.sh`. FLORIN_URL names the node, by default that of `make run`.

# Use the program of this checkout if none is installed.
command -v florin > /dev/null || PATH=$PWD/bin:$PATH
API=${FLORIN_URL:-http://127.0.0.1:7575}

# as USER: send the token of this user from now on.
as() { TOKEN=$(florin token --user "$1"); }
# get PATH, post PATH BODY, put PATH BODY: send one request and print the body of the answer.
get()  { curl -s "$API$1" -H "Authorization: Bearer $TOKEN"; }
post() { curl -sw '\n' "$API$1" -H "Authorization: Bearer $TOKEN" -d "$2"; }
put()  { curl -sw '\n' -X PUT "$API$1" -H "Authorization: Bearer $TOKEN" -d "$2"; }
# field NAME: print the first string of that name in the JSON on standard input.
field() { grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; }
# active PARTY TEMPLATE: print the active contracts of a template that a party sees.
active() { post /v2/state/active-contracts '{"activeAtOffset":'"$(get /v2/state/ledger-end | tr -dc 0-9)"',"eventFormat":{"verbose":true,"filtersByParty":{"'"$1"'":{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":{"templateId":"'"$2"'"}}}}]}}}}'; }

# network: set RULES and ROUND to the contracts that coin choices name, and SHARED to their disclosure. Every user may
# read them from the scan proxy.
network() {
  get /v0/scan-proxy/amulet-rules > rules.json
  get /v0/scan-proxy/open-and-issuing-mining-rounds > rounds.json
  RULES=$(field contract_id < rules.json) ROUND=$(field contract_id < rounds.json)
  SHARED='"disclosedContracts":['$(disclosed rules.json)','$(disclosed rounds.json)']'
  DSO=$(get /v0/scan-proxy/dso-party-id | field dso_party_id)
}
disclosed() { echo '{"contractId":"'"$(field contract_id < "$1")"'","createdEventBlob":"'"$(field created_event_blob < "$1")"'"}'; }
# tap PARTY AMOUNT, transfer SENDER HOLDING RECEIVER AMOUNT: print a command of the coin for /v2.
tap() { echo '{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"'"$RULES"'","choice":"AmuletRules_DevNet_Tap","choiceArgument":{"receiver":"'"$1"'","amount":"'"$2"'","openRound":"'"$ROUND"'"}}}'; }
transfer() { echo '{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"'"$RULES"'","choice":"AmuletRules_Transfer","choiceArgument":{"transfer":{"sender":"'"$1"'","provider":"'"$1"'","inputs":[{"tag":"InputAmulet","value":"'"$2"'"}],"outputs":[{"receiver":"'"$3"'","receiverFeeRatio":"0.0","amount":"'"$4"'","lock":null}]},"context":{"openMiningRound":"'"$ROUND"'","issuingMiningRounds":[],"validatorRights":[],"featuredAppRight":null},"expectedDso":"'"$DSO"'"}}}'; }
