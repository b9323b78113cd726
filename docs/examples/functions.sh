# What the examples share, for bash: `. docs/examples/functions.sh`. FLORIN_URL names the node, a fresh `make run` by default.

# The program of this checkout, unless one is installed.
command -v florin > /dev/null || PATH=$PWD/bin:$PATH
API=${FLORIN_URL:-http://127.0.0.1:7575}

# as USER: the requests that follow are this user's.
as() { TOKEN=$(florin token --user "$1"); }
# get PATH, post PATH BODY, put PATH BODY: one request; the answer's body is printed.
get()  { curl -s "$API$1" -H "Authorization: Bearer $TOKEN"; }
post() { curl -sw '\n' "$API$1" -H "Authorization: Bearer $TOKEN" -d "$2"; }
put()  { curl -sw '\n' -X PUT "$API$1" -H "Authorization: Bearer $TOKEN" -d "$2"; }
# field NAME: the first text of that name in the JSON that is read.
field() { grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; }
# active PARTY TEMPLATE: the active contracts of a template that a party sees.
active() { post /v2/state/active-contracts '{"activeAtOffset":'"$(get /v2/state/ledger-end | tr -dc 0-9)"',"eventFormat":{"verbose":true,"filtersByParty":{"'"$1"'":{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":{"templateId":"'"$2"'"}}}}]}}}}'; }

# network: RULES and ROUND are the contracts of the network that coin choices name, SHARED shows them to the node. Every
# user may read them from the scan proxy.
network() {
  get /v0/scan-proxy/amulet-rules > rules.json
  get /v0/scan-proxy/open-and-issuing-mining-rounds > rounds.json
  RULES=$(field contract_id < rules.json) ROUND=$(field contract_id < rounds.json)
  SHARED='"disclosedContracts":['$(disclosed rules.json)','$(disclosed rounds.json)']'
  DSO=$(get /v0/scan-proxy/dso-party-id | field dso_party_id)
}
disclosed() { echo '{"contractId":"'"$(field contract_id < "$1")"'","createdEventBlob":"'"$(field created_event_blob < "$1")"'"}'; }
# tap PARTY AMOUNT, transfer SENDER HOLDING RECEIVER AMOUNT: a command of the coin, as /v2 takes it.
tap() { echo '{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"'"$RULES"'","choice":"AmuletRules_DevNet_Tap","choiceArgument":{"receiver":"'"$1"'","amount":"'"$2"'","openRound":"'"$ROUND"'"}}}'; }
transfer() { echo '{"ExerciseCommand":{"templateId":"#splice-amulet:Splice.AmuletRules:AmuletRules","contractId":"'"$RULES"'","choice":"AmuletRules_Transfer","choiceArgument":{"transfer":{"sender":"'"$1"'","provider":"'"$1"'","inputs":[{"tag":"InputAmulet","value":"'"$2"'"}],"outputs":[{"receiver":"'"$3"'","receiverFeeRatio":"0.0","amount":"'"$4"'","lock":null}]},"context":{"openMiningRound":"'"$ROUND"'","issuingMiningRounds":[],"validatorRights":[],"featuredAppRight":null},"expectedDso":"'"$DSO"'"}}}'; }
