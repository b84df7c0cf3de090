#!/usr/bin/env bash
# A tour of the REST surface with curl: needs API_KEY, and URL where the server is not at http://127.0.0.1:4000.
set -euo pipefail
: "${API_KEY:?Set it to the key that the first start of the server printed.}"
URL=${URL:-http://127.0.0.1:4000}

# Every call carries the key and the version; --fail-with-body ends the tour at the first error, and shows it.
call() {
  curl --silent --show-error --fail-with-body --request "$1" "$URL$2" \
    --header "Authorization: Bearer $API_KEY" --header 'Service-Version: 2' --header 'Content-Type: application/json' \
    "${@:3}"
}
# Takes the first text of a name out of an answer; with jq it would be: jq -r ".$1"
field() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

echo 'What is here?'
curl --silent --show-error --fail-with-body "$URL/"
echo

echo 'A policy with one range that may come in:'
policy=$(call POST /ip_policies --data '{"description": "Office"}')
echo "$policy"
policy_id=$(field id <<<"$policy")
call POST /ip_policy_rules --data "{\"ip_policy_id\": \"$policy_id\", \"cidr\": \"192.0.2.0/24\", \"action\": \"allow\"}"
echo

echo 'A change that nobody else has got in between, thanks to If-Match:'
call PATCH "/ip_policies/$policy_id" --header 'If-Match: "1"' --data '{"description": "Office in Berlin"}'
echo

echo 'A certificate authority, and a certificate for a host key:'
authority_id=$(call POST /ssh_certificate_authorities --data '{"description": "Hosts"}' | field id)
key='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIENcvoV2zuNjCGGm3AysUU4Kk8Qdl3akquanADnq4c/a'
call POST /ssh_host_certificates --data "{\"ssh_certificate_authority_id\": \"$authority_id\",
  \"public_key\": \"$key\", \"principals\": [\"bastion.example.com\"]}" | field certificate

echo 'The first page of the policies:'
call GET '/ip_policies?limit=1'
echo

echo 'And away with it:'
call DELETE "/ip_policies/$policy_id"
