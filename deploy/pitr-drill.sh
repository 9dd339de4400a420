#!/bin/sh
# Restores a base backup and the archived write-ahead log to a moment, in a server of its own beside everything else, and says what it
# finds: a drill, which changes neither the backup nor the archive nor the running server.
#
#   pitr-drill.sh BASE_BACKUP ARCHIVE MOMENT [DATABASE]
#
# BASE_BACKUP  folder that pg_basebackup wrote in plain format
# ARCHIVE      folder to which archive_command copies the files of the write-ahead log
# MOMENT       such as '2026-11-23 12:00:00+00'; must be after the end of the base backup
# DATABASE     default: steward
#
# Settings: PGBIN, the folder of the programs of the same major version (default: those on PATH); DRILL_DIR, where the copy goes
# (default: a new folder in /tmp; needs the space of the database); DRILL_USER, the user of the restored server for root (default:
# postgres); DRILL_ROLE, a superuser of the database (default: postgres). Prints seconds, counts and the last audit row.
# Exit codes: 0 restored, 1 wrong arguments, 2 failed.
set -eu
if [ $# -lt 3 ] || [ ! -f "$1/backup_label" ] || [ ! -d "$2" ]; then
  sed -n '2,17s/^# \{0,1\}//p' "$0" >&2
  exit 1
fi
backup=$(CDPATH='' cd -- "$1" && pwd)
archive=$(CDPATH='' cd -- "$2" && pwd)
moment=$3
database=${4:-steward}
role=${DRILL_ROLE:-postgres}
bin=${PGBIN:+$PGBIN/}
folder=${DRILL_DIR:-$(mktemp -d /tmp/steward-drill.XXXXXX)}
as=''
[ "$(id -u)" -ne 0 ] || as="runuser -u ${DRILL_USER:-postgres} --"

stop() {
  $as "${bin}pg_ctl" -D "$folder/data" -m immediate -s stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
started=$(date +%s)
mkdir -p "$folder"
cp -R "$backup" "$folder/data"
# Settings of the server may name files and sizes that do not exist here, and Debian has them outside of the backup.
: >"$folder/data/postgresql.conf"
# Its own address and no archiving: the copy must not write to the archive of the running server.
cat >>"$folder/data/postgresql.auto.conf" <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$folder'
port = 5432
archive_mode = off
hot_standby = off
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_time = '$moment'
recovery_target_action = 'promote'
SETTINGS
echo 'local all all trust' >"$folder/data/pg_hba.conf"
: >"$folder/data/recovery.signal"
chmod 700 "$folder/data"
[ -z "$as" ] || chown -R "${DRILL_USER:-postgres}" "$folder"
if ! $as "${bin}pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 86400 -s start; then
  cat "$folder/log" >&2
  exit 2
fi
ask() {
  $as "${bin}psql" -h "$folder" -U "$role" -d "$database" -XAtqc "$1"
}
# It accepts no connections before it has reached the moment; without the moment in the archive it ends.
until ask 'select 1' >/dev/null 2>&1; do
  if ! $as "${bin}pg_ctl" -D "$folder/data" status >/dev/null; then
    cat "$folder/log" >&2
    exit 2
  fi
  sleep 0.2
done
echo "seconds: $(($(date +%s) - started))"
for table in site account entry audit_log; do
  count=$(ask "select count(*) from $table")
  echo "$table: $count"
done
last=$(ask 'select max(at) from audit_log')
echo "last audit row: $last"
