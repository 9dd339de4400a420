import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Connection, createBatchConnection } from './dialect.ts';
import { createReadOnlySource } from './read-only.ts';
import type { BatchOutcome, Statement } from './statement-batch.ts';
import { watchWorkers } from './worker-watch.ts';

const LOST_SITE = 7;
const OTHER_SITE = 8;
const ROWS = 'select vals from entry e where site_id = $1';
const USERS = 'select user_id from membership where site_id = $1';
const RENAME = 'update account set last_name = $1 where user_id = $2';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A source whose statements are answered when `answer` is called, or at once, with workers of which some answer no more. */
function createCluster(isAnswered: (statements: readonly Statement[]) => boolean = () => false) {
  const lostSites = new Set<number>();
  const sent: string[] = [];
  const discarded: boolean[] = [];
  const gate = Promise.withResolvers<void>();
  const runAll: NonNullable<Connection['runAll']> = async (statements): Promise<BatchOutcome> => {
    sent.push(...statements.map(({ sql }) => sql));
    if (!isAnswered(statements)) await gate.promise;
    return { results: statements.map(() => ({ rows: [], command: 'SELECT', affectedRows: 0 })) };
  };
  const source = watchWorkers(
    {
      acquire: async () => createBatchConnection(runAll, (discard) => discarded.push(discard)),
      close: async () => {},
    },
    async () => ({ count: lostSites.size, siteIds: new Set(lostSites) }),
  );
  /** Sends statements as one message on a connection of their own; resolves to the code of the failure. */
  const send = async (siteId: number | undefined, ...statements: string[]): Promise<unknown> => {
    const own = siteId === undefined ? source : source.forSite?.(siteId);
    const connection = await own?.acquire();
    const outcome = await connection?.runAll?.(statements.map((sql) => ({ sql, parameters: [] })));
    connection?.release(false);
    return outcome?.failure && (outcome.failure.error as { code?: string }).code;
  };
  return { send, sent, discarded, lostSites, source, answer: gate.resolve };
}

test('statements of a site fail as soon as its worker is known not to answer, and those of others go on', async () => {
  const { send, lostSites, discarded, answer } = createCluster();
  lostSites.add(LOST_SITE);
  const lost = send(LOST_SITE, 'start transaction', ROWS);
  const other = send(OTHER_SITE, ROWS);
  const users = send(LOST_SITE, USERS);
  const rename = send(OTHER_SITE, RENAME);
  await vi.advanceTimersByTimeAsync(500);
  expect([await lost, await rename]).toEqual(['57U04', '57U04']);
  expect(discarded).toEqual([true, true]);
  answer();
  expect([await other, await users]).toEqual([undefined, undefined]);
  expect(discarded).toEqual([true, true, false, false]);
});

test('while a worker does not answer, nothing that needs it is sent; when it is back, everything is', async () => {
  const { send, sent, lostSites, answer } = createCluster();
  lostSites.add(LOST_SITE);
  const first = send(LOST_SITE, ROWS);
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBe('57U04');
  answer();
  sent.length = 0;
  expect(await send(LOST_SITE, 'start transaction', ROWS)).toBe('57U04');
  expect(await send(undefined, RENAME)).toBe('57U04');
  expect(sent).toEqual([]);
  expect(await send(LOST_SITE, USERS)).toBeUndefined();
  expect(await send(OTHER_SITE, ROWS)).toBeUndefined();
  lostSites.clear();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await send(LOST_SITE, ROWS)).toBeUndefined();
  expect(await send(undefined, RENAME)).toBeUndefined();
});

test('accounts cannot be changed while a worker without sites does not answer', async () => {
  const NO_SITE = 0;
  const { send, lostSites, answer } = createCluster();
  lostSites.add(NO_SITE);
  const rename = send(OTHER_SITE, RENAME);
  const other = send(OTHER_SITE, ROWS);
  await vi.advanceTimersByTimeAsync(500);
  expect(await rename).toBe('57U04');
  answer();
  expect(await other).toBeUndefined();
});

test.each([
  ['select 1 from "entry"', true],
  ['copy ri_item (site_id) from stdin', true],
  ['with x as (select 1) insert into cell_log (site_id) select 1', true],
  ['select 1 from site s join saved_view v using (site_id)', true],
  ['delete from membership where site_id = $1', true],
  ['update membership set is_active = $1', false],
  ['select entry_id, field from activity', false],
  ['select count(*) from calc_queue', false],
  ['select 1 from account', false],
])('whether a statement needs the worker of its site: %s, %j', async (text, expected) => {
  const { send, lostSites, answer } = createCluster();
  lostSites.add(LOST_SITE);
  const sent = send(LOST_SITE, text);
  const trigger = send(LOST_SITE, ROWS);
  await vi.advanceTimersByTimeAsync(500);
  answer();
  expect([(await sent) === '57U04', await trigger]).toEqual([expected, '57U04']);
});

test('statements without a known site wait three seconds for a worker that does not answer', async () => {
  const { send, lostSites, answer } = createCluster();
  lostSites.add(LOST_SITE);
  const task = send(undefined, ROWS);
  const newSite = send(OTHER_SITE, 'insert into site (slug) values ($1)');
  const users = send(undefined, USERS);
  await vi.advanceTimersByTimeAsync(2_900);
  let code: unknown = 'none';
  void task.then((found) => (code = found));
  await vi.advanceTimersByTimeAsync(0);
  expect(code).toBe('none');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await task, await newSite]).toEqual(['57U04', '57U04']);
  answer();
  expect(await users).toBeUndefined();
});

test('the commit of a transaction that used rows of a lost site is given up, and the rest of it is not sent', async () => {
  const { source, sent, discarded, lostSites } = createCluster(([first]) => first?.sql !== 'commit');
  const connection = await source.forSite?.(LOST_SITE).acquire();
  const run = async (...statements: string[]) =>
    connection?.runAll?.(statements.map((sql) => ({ sql, parameters: [] })));
  expect((await run('start transaction', ROWS))?.failure).toBeUndefined();
  lostSites.add(LOST_SITE);
  const commit = run('commit');
  await vi.advanceTimersByTimeAsync(500);
  expect((await commit)?.failure).toMatchObject({ error: { code: '57U04' }, isReported: false });
  expect((await run('rollback'))?.failure).toBeDefined();
  connection?.release(false);
  expect([sent.at(-1), discarded]).toEqual(['commit', [true]]);
});

test('a source that only reads knows the site as well', async () => {
  const { source, lostSites, send, sent } = createCluster();
  lostSites.add(LOST_SITE);
  const first = send(LOST_SITE, ROWS);
  await vi.advanceTimersByTimeAsync(500);
  await first;
  sent.length = 0;
  const connection = await createReadOnlySource(source).forSite?.(LOST_SITE).acquire();
  const outcome = await connection?.runAll?.([{ sql: ROWS, parameters: [] }]);
  expect([outcome?.failure, sent]).toMatchObject([{ error: { code: '57U04' } }, []]);
});
