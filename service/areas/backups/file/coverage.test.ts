/**
 * Every table and column of a site must be in its backups or be left out on purpose; an area decides on its tables in
 * `area.ts`.
 */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { TableSheet } from '../../../kernel/backup-sheets.ts';
import { onEachApp } from '../../../testing/site.ts';
import { registry } from '../../registry.ts';
import { FILES_SHEET } from './sheets.ts';

/** Table that a sheet is read from. */
const getTable = ({ from }: TableSheet): string => /from (\w+)/.exec(from)?.[1] ?? from;

test('the backup sheet that an area names for a table is read from that table', () => {
  const wrong = Object.entries(registry.tables).filter(([table, { backup }]) => {
    if ('leftOut' in backup) return false;
    const sheet = registry.sheets[backup.sheet];
    return sheet === undefined || !sheet.from.includes(table);
  });
  expect(wrong).toEqual([]);
});

onEachApp((context) => {
  test('every table belongs to one area', async () => {
    // The set-up of a cluster adds the table cluster_commit, which has no rows.
    const { rows } = await sql<{ table: string }>`
      select table_name as "table" from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely_%' and table_name <> 'cluster_commit'`.execute(
      context().db,
    );
    expect(rows.map(({ table }) => table).toSorted()).toEqual(Object.keys(registry.tables).toSorted());
  });

  test('every table and column of a site is in its backups or left out on purpose', async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      select c.table_name as "table", c.column_name as "column" from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and exists (
        select from information_schema.columns s where s.table_schema = 'public'
        and s.table_name = c.table_name and s.column_name = 'site_id')`.execute(context().db);
    const sheetsByTable = Map.groupBy([...Object.values(registry.sheets), FILES_SHEET], getTable);
    const missing = rows.filter(({ table, column }) => {
      const backup = registry.tables[table]?.backup;
      if (column === 'site_id' || (backup && 'leftOut' in backup)) return false;
      if (backup?.columnsLeftOut?.includes(column)) return false;
      return !sheetsByTable.get(table)?.some(({ columns }) => columns.some(({ name }) => name === column));
    });
    expect(missing).toEqual([]);
  });
});
