#!/bin/sh
# Makes the secrets of docker/compose.yaml in docker/secrets, and leaves those alone that are there.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
# make NAME COMMAND…: written next to its place and moved, so that an interrupted run leaves no half secret behind.
make() {
  name=$1
  shift
  [ -s "secrets/$name" ] && return
  "$@" > "secrets/.$name" && mv "secrets/.$name" "secrets/$name"
}
make postgres_password openssl rand -hex 24
make trace_password openssl rand -hex 24
make redis_password openssl rand -hex 24
make encryption_key openssl rand -base64 32
make jwt_signing_keys openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
make database_url printf 'postgres://trace:%s@postgres:5432/trace' "$(cat secrets/trace_password)"
make redis_url printf 'redis://:%s@redis:6379' "$(cat secrets/redis_password)"
# Compose mounts each file by itself and with its own mode, and the users of the containers are not yours. So the files can be
# read, but only you (and root) can enter their folder.
chmod 700 secrets
chmod 444 secrets/*
