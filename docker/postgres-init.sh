#!/bin/sh
# Run once by the PostgreSQL image on an empty volume: the service's login, which is no superuser and inherits nothing.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set password="$(cat "$TRACE_PASSWORD_FILE")" <<'SQL'
create role trace_tenant nologin;
create role trace_system nologin;
create role trace login noinherit password :'password';
grant trace_tenant, trace_system to trace;
alter database trace owner to trace;
SQL
