#!/bin/sh
# Makes the secrets of docker/compose.yaml in docker/secrets, and leaves those alone that are there.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
make() { [ -s "secrets/$1" ] || { shift_name=$1; shift; "$@" > "secrets/$shift_name"; }; }
make postgres_password openssl rand -hex 24
make trace_password openssl rand -hex 24
make encryption_key openssl rand -base64 32
make jwt_signing_keys openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
make database_url printf 'postgres://trace:%s@postgres:5432/trace' "$(cat secrets/trace_password)"
# Containers read them as other users.
chmod 755 secrets
chmod 644 secrets/*
