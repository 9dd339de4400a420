import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { readWindows, type Sheet } from './file/snapshot.store.ts';

const MB = 1 << 20;

const range = (length: number) => Array.from({ length }, (_, at) => at + 1);

onEachDatabase((database) => {
  /** Reads a sheet of rows with these sizes. The database counts how often it measures a row. */
  async function readRows(sizes: readonly number[]) {
    return database()
      .db.transaction()
      .execute(async (tx) => {
        await sql`create temporary sequence measured`.execute(tx);
        const sheet: Sheet = {
          name: 'rows.csv',
          kind: 'history',
          title: null,
          header: 'id\n',
          rows: sql`select id, size from unnest(${[...sizes]}::int[]) with ordinality as r(size, id) where true`,
          keys: ['id'],
          line: sql`id || E'\n'`,
          rowBytes: sql`(size + nextval('measured') * 0)`,
        };
        const windows = await Array.fromAsync(readWindows(tx, sheet));
        const { rows } = await sql<{ count: number }>`select last_value as count from measured`.execute(tx);
        await sql`drop sequence measured`.execute(tx);
        return {
          ids: windows.flatMap(({ text }) => text.trim().split('\n').map(Number)),
          windowRows: windows.map((window) => window.rows),
          measured: rows[0]?.count ?? 0,
        };
      });
  }

  test.each([
    ['large rows', Array<number>(300).fill(MB)],
    ['small rows', Array<number>(3_000).fill(200)],
    ['small rows between large ones', range(600).map((at) => (at % 10 === 0 ? MB : 200))],
    ['large rows after small ones', [...Array<number>(1_000).fill(200), ...Array<number>(100).fill(MB)]],
    ['exactly one window', Array<number>(16).fill(200)],
    ['no rows', []],
  ])('%s are read completely and in order, with work in proportion to them', async (_name, sizes) => {
    const { ids, measured } = await readRows(sizes);
    expect(ids).toEqual(range(sizes.length));
    // A window examines more rows than the one before only if that one had room, and the first one 16.
    expect(measured).toBeLessThanOrEqual(2 * sizes.length + 16);
  });

  test('a window ends with the row that reaches half a megabyte, or after 1,250 rows', async () => {
    expect((await readRows(Array<number>(5).fill(MB))).windowRows).toEqual([1, 1, 1, 1, 1]);
    expect(Math.max(...(await readRows(Array<number>(6_000).fill(200))).windowRows)).toBe(1_250);
    expect(Math.max(...(await readRows(Array<number>(400).fill(MB / 8))).windowRows)).toBe(4);
  });
});
