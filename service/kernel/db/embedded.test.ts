import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newPlace } from '../../testing/databases.ts';
import { type Db, openDatabase } from './database.ts';
import { templateFile } from './pglite-template.ts';
import { MOST_PLANS, ofEveryRequest } from './prepared.ts';

test('the template was made for the installed version (make-template.ts)', () => {
  expect(existsSync(templateFile)).toBe(true);
});

test('closing lets the running transaction commit', async () => {
  const place = await newPlace('embedded');
  const first = await openDatabase(place);
  const working = first.db.transaction().execute(async (tx) => {
    await tx.insertInto('site').values({ slug: 'one', name: '' }).execute();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await tx.insertInto('site').values({ slug: 'two', name: '' }).execute();
  });
  await Promise.all([working, first.close()]);
  const second = await openDatabase(place);
  expect(await second.db.selectFrom('site').select('slug').execute()).toHaveLength(2);
  await second.close();
  await place.remove();
});

test('a folder that cannot be opened is named, and given back', async () => {
  const place = await newPlace('embedded');
  const { close } = await openDatabase(place);
  await close();
  const version = join(place.dataDir, 'db', 'cluster', 'PG_VERSION');
  await writeFile(version, '9\n');
  await expect(openDatabase(place)).rejects.toThrow(/cluster cannot be opened/);
  await writeFile(version, '18\n');
  const again = await openDatabase(place);
  await again.close();
  await place.remove();
});

/** One of very many texts. */
const ask = async (on: Db, at: number, given: number) => {
  const { rows } = await sql<{
    it: number;
  }>`${ofEveryRequest} select ${sql.lit(at)} + 10 / ${given}::int as it`.execute(on);
  return rows[0]?.it;
};

test('plans are kept, also beside a statement that fails; of very many the oldest are forgotten', async () => {
  const place = await newPlace('embedded');
  const { db, close } = await openDatabase(place);
  const kept = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_prepared_statements where statement like '/* every%'`.execute(db);
    return rows[0]?.n;
  };
  expect(await ask(db, 0, 5)).toBe(2);
  expect(await ask(db, 0, 2)).toBe(5);
  expect(await kept()).toBe(1);
  // Known to the session, and failing; then failing before it is known, within a transaction that has failed.
  await expect(ask(db, 0, 0)).rejects.toMatchObject({ code: '22012' });
  await expect(
    db.transaction().execute(async (tx) => {
      await expect(sql`select 1 / 0`.execute(tx)).rejects.toMatchObject({ code: '22012' });
      return ask(tx, 1, 1);
    }),
  ).rejects.toMatchObject({ code: '25P02' });
  expect(await ask(db, 0, 1)).toBe(10);
  expect(await ask(db, 1, 1)).toBe(11);
  for (let at = 2; at < 2 * MOST_PLANS; at += 1) expect(await ask(db, at, 10)).toBe(at + 1);
  expect(await kept()).toBe(MOST_PLANS);
  expect(await ask(db, 0, 10)).toBe(1);
  await close();
  await place.remove();
});

test('a text beyond the buffers of the wire comes back whole, with every sign in it', async () => {
  const place = await newPlace('embedded');
  const { db, close } = await openDatabase(place);
  const text = '\ufeffé\n☃😀"\\'.repeat(200_000);
  const { rows } = await sql<{
    it: string;
    none: null;
  }>`select ${text}::text as it, ${null}::text as none`.execute(db);
  expect(rows[0]?.it === text).toBe(true);
  expect(rows[0]?.none).toBeNull();
  await close();
  await place.remove();
});

test('what cannot be asked is refused at once, and does not end the session when its time would be up', async () => {
  const place = await newPlace('embedded');
  const { db, close } = await openDatabase({ ...place, limits: { statementMs: 800 } });
  const tooMany = Array.from({ length: 65_536 }, (_, at) => at);
  await expect(
    db.transaction().execute(async (tx) => {
      await sql`select ${sql.join(tooMany)}`.execute(tx);
    }),
  ).rejects.toMatchObject({ code: '54000' });
  await db.transaction().execute(async (tx) => {
    await tx.insertInto('site').values({ slug: 'kept', name: '' }).execute();
    await new Promise((resolve) => setTimeout(resolve, 900));
  });
  expect(await db.selectFrom('site').select('slug').execute()).toEqual([{ slug: 'kept' }]);
  expect((await sql`-- nothing`.execute(db)).rows).toEqual([]);
  await close();
  await place.remove();
});

test('what the database breaks off in the middle of is an error at once, and the next statement is answered', async () => {
  const place = await newPlace('embedded');
  // Whatever waits for the watchdog waits longer than this test may take.
  const { db, close } = await openDatabase({ ...place, limits: { statementMs: 600_000 } });
  await expect(sql`copy site from stdin`.execute(db)).rejects.toMatchObject({ code: '08006' });
  expect(await db.selectFrom('site').selectAll().execute()).toEqual([]);
  await close();
  await place.remove();
});
