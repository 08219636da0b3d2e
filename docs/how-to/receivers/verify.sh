#!/bin/sh
# Checks one delivery by Standard Webhooks: who sent it, when, and whether it came before. Needs openssl.
#   WEBHOOK_SECRET=whsec_… WEBHOOK_ID=… WEBHOOK_TIMESTAMP=… WEBHOOK_SIGNATURE='v1,…' verify.sh <file with the body> <folder of seen ids>
# Ends with 0: new and genuine. 1: do not believe it. 3: genuine, but handled before.
# Where what you do then fails, remove the folder again: the delivery comes once more.
set -euf
body=$1 seen=$2

case $WEBHOOK_ID in '' | *[!0-9A-Za-z_-]*) exit 1 ;; esac
case $WEBHOOK_TIMESTAMP in '' | 0* | ????????????* | *[!0-9]*) exit 1 ;; esac
apart=$(($(date +%s) - WEBHOOK_TIMESTAMP))
[ "${apart#-}" -le 300 ] || exit 1

# The secret and what is compared go through HMAC under a key of this moment, so that the time of the comparison says nothing.
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
[ ${#key} -ge 48 ] || exit 1 # with a secret that is missing, or not whole, anybody could sign
once=$(openssl rand -hex 32)
blind() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$once" -r; }
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" && cat "$body"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
expected=$(printf 'v1,%s' "$expected" | blind)

for given in $WEBHOOK_SIGNATURE; do
  if [ "$(printf %s "$given" | blind)" = "$expected" ]; then
    mkdir "$seen/$WEBHOOK_ID" 2>/dev/null && exit 0 # of two at the same time one makes the folder
    [ -d "$seen/$WEBHOOK_ID" ] && exit 3
    exit 1
  fi
done
exit 1
