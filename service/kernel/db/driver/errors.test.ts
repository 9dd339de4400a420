import { inspect } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { onEachDatabase } from '../../../testing/databases.ts';
import { openDatabase } from '../database.ts';
import { DbError, getDbError, isDatabaseUnavailable, isPassingFailure, isWorthRetrying } from './errors.ts';

onEachDatabase((database) => {
  test('an error names the violated constraint and keeps values out of logs', async () => {
    const { db } = database();
    const insert = () => db.insertInto('site').values({ slug: 'secret-slug', name: 'Secret name' }).execute();
    await insert();
    const error = await insert().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DbError);
    expect(getDbError(error)).toEqual({ code: '23505', constraint: 'site_slug_key' });
    expect(error).toMatchObject({ table: 'site', detail: 'Key (slug)=(secret-slug) already exists.' });
    expect(inspect(error, { depth: 9 })).not.toContain('ecret');
    expect(JSON.stringify(error)).not.toContain('ecret');
  });

  test('other violations have their SQLSTATE codes', async () => {
    const { db } = database();
    const missing = db.insertInto('topic').values({ site_id: 999, name: 'x' }).execute();
    await expect(missing).rejects.toMatchObject({ code: '23503', constraint: 'topic_site_id_fkey' });
    await expect(sql`insert into site (slug) values ('y')`.execute(db)).rejects.toMatchObject({
      code: '23502',
      column: 'name',
    });
    await expect(sql`selec 1`.execute(db)).rejects.toMatchObject({ code: '42601' });
  });
});

test('reports an unreachable server as a lost connection', async () => {
  const opening = openDatabase({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', dataDir: '' });
  await expect(opening).rejects.toMatchObject({ name: 'DbError', code: '08006' });
});

test('other errors are not database errors', () => {
  expect(getDbError(new Error('x'))).toBeUndefined();
});

test.each([
  ['08006', 'the database'],
  ['53100', 'the database'],
  ['53300', 'the database'],
  ['57P01', 'the database'],
  ['57U00', 'the database'],
  ['58030', 'the database'],
  ['25006', 'the database'],
  ['40001', 'the moment'],
  ['40P01', 'the moment'],
  ['57014', 'the moment'],
  ['53200', 'its resources'],
  ['53400', 'its resources'],
  ['54000', 'the statement'],
  ['23505', 'the statement'],
])('an error %s is one of %s', (code, cause) => {
  const error = new DbError('Failed', { code });
  expect(isDatabaseUnavailable(error)).toBe(cause === 'the database');
  expect(isPassingFailure(error)).toBe(cause === 'the moment');
  expect(isWorthRetrying(error)).toBe(cause !== 'the statement');
});
