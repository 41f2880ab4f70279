/**
 * A script of bash for the container of MongoDB. It creates the user `root` with the password that is mounted there, as
 * the entry point of MongoDB's own image does. An image of FerretDB on PostgreSQL has no such entry point. In MongoDB's
 * image the script does nothing.
 */
export const createFerretUser = `
psql=$(echo /usr/lib/postgresql/*/bin/psql)
[[ -x $psql ]] || exit 0
query() { "$psql" --host 127.0.0.1 --port 9712 --username postgres --tuples-only --command "$1"; }
until query "select 1 from pg_extension where extname = 'documentdb'" 2>/dev/null | grep --quiet 1; do sleep 0.2; done
query "select 1 from pg_roles where rolname = 'root'" | grep --quiet 1 ||
  query "create role root login superuser password '$(cat /run/stores/PASSWORD)'"
`;
