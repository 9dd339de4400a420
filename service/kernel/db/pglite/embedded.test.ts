import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../testing/databases.ts';
import { type Db, openDatabase } from '../database.ts';
import { MAX_PLANS } from '../driver/prepared.ts';
import { DatabaseFolderError, explainSpace } from './copies.ts';
import { templateFile } from './pglite-template.ts';

test('a template exists for the installed version (make-template.ts)', () => {
  expect(existsSync(templateFile)).toBe(true);
});

test('close waits for the commit of a running transaction', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const first = await openDatabase(testDatabase);
  const working = first.db.transaction().execute(async (tx) => {
    await tx.insertInto('site').values({ slug: 'one', name: '' }).execute();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await tx.insertInto('site').values({ slug: 'two', name: '' }).execute();
  });
  await Promise.all([working, first.close()]);
  const second = await openDatabase(testDatabase);
  expect(await second.db.selectFrom('site').select('slug').execute()).toHaveLength(2);
  await second.close();
  await testDatabase.remove();
});

/** A database that was open once and whose folder is damaged from now on. */
async function createDamaged(): Promise<TestDatabase & { repair: () => Promise<void> }> {
  const testDatabase = await createTestDatabase('embedded');
  await (await openDatabase(testDatabase)).close();
  const version = join(testDatabase.dataDir, 'db', 'cluster', 'PG_VERSION');
  await writeFile(version, '9\n');
  return { ...testDatabase, repair: () => writeFile(version, '18\n') };
}

test('a folder that cannot be opened is named in the error and unlocked', async () => {
  const testDatabase = await createDamaged();
  await expect(openDatabase(testDatabase)).rejects.toThrow(/cluster cannot be opened$/);
  await testDatabase.repair();
  const again = await openDatabase(testDatabase);
  await again.close();
  await testDatabase.remove();
});

test('the error of a damaged folder says how to go on, with the newest copy if there is one', async () => {
  const damaged = await createDamaged();
  const { dataDir } = damaged;
  const copiesFolder = join(dataDir, 'copies');
  const getAdvice = async (folder?: string): Promise<string> => {
    const error = await openDatabase({ ...damaged, advice: { copiesFolder: folder } }).catch(
      (refusal: unknown) => refusal,
    );
    if (!(error instanceof DatabaseFolderError)) throw new Error('The folder was opened', { cause: error });
    expect(error.cause).toBeInstanceOf(Error);
    return error.message;
  };
  const how = `To go on with a copy, rename ${join(dataDir, 'db')}, do not delete it, and copy`;
  const advice = await getAdvice();
  expect(advice).toMatch(/cannot be opened\. .*STEWARD_COPY_HOURS is not set/);
  expect(await getAdvice(copiesFolder)).toContain(
    `${copiesFolder} has no copy: use your own copy of DATA_DIR. ${how}`,
  );
  for (const name of ['2026-11-01T00-00-00Z', '2026-11-03T06-00-00Z', '2026-11-04T00-00-00Z.partial'])
    await mkdir(join(copiesFolder, name), { recursive: true });
  expect(await getAdvice(copiesFolder)).toContain(
    `The newest copy is ${join(copiesFolder, '2026-11-03T06-00-00Z')}. ${how}`,
  );
  const pages = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
  const [, title = '-'] = /operating\.md, "([^"]+)"/.exec(advice) ?? [];
  expect(pages).toContain(`## ${title}\n`);
  // The commands on the host have no log.
  expect(advice).toContain('The cause: PGlite failed to initialize properly.');
  expect(await explainSpace(dataDir, Infinity)).toMatch(/only \d+\.\d MB are free on its disk\. Free space/);
  expect(await explainSpace(dataDir, 0)).toBe('');
  await damaged.remove();
});

test('a service that cannot open its folder prints the advice and logs the cause', async () => {
  const damaged = await createDamaged();
  const main = fileURLToPath(new URL('../../../main.ts', import.meta.url));
  const env = { ...process.env, DATA_DIR: damaged.dataDir, DATABASE_URL: '', PORT: '0', LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [printed, logged] = await Promise.all([
    readText(child.stderr),
    readText(child.stdout),
    once(child, 'exit'),
  ]);
  expect(child.exitCode).toBe(1);
  expect(printed).toMatch(/Steward cannot start: .*It may be damaged.*docs\/operating\.md/);
  expect(logged).toMatch(/"cause":\{.*"message":"The database cannot be opened"/);
  await damaged.remove();
});

/** Runs one of many different statement texts. */
const divide = async (on: Db, summand: number, divisor: number) => {
  const query = sql<{ it: number }>`select ${sql.lit(summand)} + 10 / ${divisor}::int as it`;
  const { rows } = await query.execute(on);
  return rows[0]?.it;
};

test('plans are kept after failed statements; beyond the limit the least recently used are dropped', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const { db, close } = await openDatabase(testDatabase);
  const countPlans = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from pg_prepared_statements where statement like '%10 / $1::int as it'`.execute(
      db,
    );
    return rows[0]?.n;
  };
  expect(await divide(db, 0, 5)).toBe(2);
  expect(await divide(db, 0, 2)).toBe(5);
  expect(await countPlans()).toBe(0);
  expect(await divide(db, 0, 1)).toBe(10);
  expect(await countPlans()).toBe(1);
  for (const divisor of [1, 2]) expect(await divide(db, 1, divisor)).toBe(1 + 10 / divisor);
  // Fails with a plan; then fails before it has one, in a transaction that has already failed.
  await expect(divide(db, 0, 0)).rejects.toMatchObject({ code: '22012' });
  await expect(
    db.transaction().execute(async (tx) => {
      await expect(sql`select 1 / 0`.execute(tx)).rejects.toMatchObject({ code: '22012' });
      return divide(tx, 1, 1);
    }),
  ).rejects.toMatchObject({ code: '25P02' });
  expect(await divide(db, 0, 1)).toBe(10);
  expect(await divide(db, 1, 1)).toBe(11);
  for (let at = 2; at < 1.5 * MAX_PLANS; at += 1)
    for (let time = 0; time < 3; time += 1) expect(await divide(db, at, 10)).toBe(at + 1);
  const plans = await countPlans();
  expect(plans).toBeGreaterThan(MAX_PLANS - 5);
  expect(plans).toBeLessThanOrEqual(MAX_PLANS);
  expect(await divide(db, 0, 10)).toBe(1);
  await close();
  await testDatabase.remove();
});

test('a text larger than the protocol buffers is returned unchanged', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const { db, close } = await openDatabase(testDatabase);
  const text = '\ufeffé\n☃😀"\\'.repeat(200_000);
  const { rows } = await sql<{
    it: string;
    none: null;
  }>`select ${text}::text as it, ${null}::text as none`.execute(db);
  expect(rows[0]?.it === text).toBe(true);
  expect(rows[0]?.none).toBeNull();
  await close();
  await testDatabase.remove();
});

test('a statement that cannot be encoded fails at once and does not time out the session later', async () => {
  const testDatabase = await createTestDatabase('embedded');
  const { db, close } = await openDatabase({ ...testDatabase, limits: { statementMs: 800 } });
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
  await testDatabase.remove();
});

test('an incomplete reply is an error at once, and the next statement works', async () => {
  const testDatabase = await createTestDatabase('embedded');
  // Longer than the test may take: it fails if anything waits for the timeout.
  const { db, close } = await openDatabase({ ...testDatabase, limits: { statementMs: 600_000 } });
  await expect(sql`copy site from stdin`.execute(db)).rejects.toMatchObject({ code: '08006' });
  expect(await db.selectFrom('site').selectAll().execute()).toEqual([]);
  await close();
  await testDatabase.remove();
});
