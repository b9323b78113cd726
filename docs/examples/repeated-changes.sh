#!/usr/bin/env bash
# Safe retries, dry runs, and the history as a table.
set -euo pipefail
. "$(dirname "$0")/functions.sh"
cd "$(mktemp -d)"

as ledger-api-user
post /v0/admin/users '{"name":"dora-'$$'"}'
as dora-$$

# tap twice with one key
for time in first second; do
  curl -siw '\n' -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: payday' -d '{"amount":"10"}' $API/v0/wallet/tap |
    grep -E '^(Florin|Idempotency|.")'
done

# show the effect and cost of a preapproval
post '/v0/wallet/transfer-preapproval?dry_run=true' '{}'

# get the history as a table
curl -s -H "Authorization: Bearer $TOKEN" -H 'Accept: text/csv' $API/v0/wallet/transactions | cut -d, -f1,3,4,6-8
