/** Nothing of a site is left out of its backups by oversight: what a migration adds is decided on here. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachApp } from '../../testing/site.ts';
import { FILES, SHEETS, type TableSheet } from './sheets.ts';

const LOGS = 'says what happened on the installation, and stays there';

/** Tables with rows of a site that no backup holds, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  session: 'secrets',
  access_token: 'secrets',
  api_key: 'secrets',
  one_time_link: 'secrets',
  identity_provider: 'a secret that is sealed for its installation',
  identity_attempt: 'secrets',
  identity_link: 'goes with the identity provider',
  audit_log: LOGS,
  activity: LOGS,
  activity_from: LOGS,
  activity_hour: LOGS,
  activity_network: LOGS,
  activity_person: LOGS,
  investigation: LOGS,
  acting_report: LOGS,
  acting_step: LOGS,
  topic: LOGS,
  topic_event: LOGS,
  mail: LOGS,
  backup: 'of the disk on which the files lie',
  backup_download: 'of the disk on which the files lie',
};

/** Tables worked out from values, by what writes entries. */
const DERIVED = ['entry', 'entry_multi', 'entry_text', 'list_block'];

/** Columns of tables that are in backups, which are not. */
const COLUMNS_LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  site: ['schema_stamp'],
  backup_settings: ['last_day'],
  field: ['deleted_at', 'slot_state', 'search_state'],
  field_job: ['job', 'queued_at', 'after_id'],
  calc_queue: ['attempts', 'queued_at'],
  invitation: ['token_hash'],
};

/** The tables that a sheet is read from. */
const tableOf = ({ from }: TableSheet): string => /from (\w+)/.exec(from)?.[1] ?? from;

onEachApp((house) => {
  test('every table and column of a site is in its backups, or left out for a reason', async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      select c.table_name as "table", c.column_name as "column" from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and exists (
        select from information_schema.columns s where s.table_schema = 'public'
        and s.table_name = c.table_name and s.column_name = 'site_id')`.execute(house().db);
    const held = Map.groupBy([...Object.values<TableSheet>(SHEETS), FILES], tableOf);
    const forgotten = rows.filter(({ table, column }) => {
      if (column === 'site_id' || table in LEFT_OUT || DERIVED.includes(table)) return false;
      if (COLUMNS_LEFT_OUT[table]?.includes(column)) return false;
      return !held.get(table)?.some(({ columns }) => columns.some(({ name }) => name === column));
    });
    expect(forgotten).toEqual([]);
  });
});
