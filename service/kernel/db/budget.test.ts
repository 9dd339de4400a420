import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endlessQuery, onEachDatabase } from '../../testing/databases.ts';
import { createBudget, type Tx, withBudget, withTransaction } from './database.ts';
import { Budget } from './driver/budget.ts';

const HOUR_MS = 3_600_000;

/** The time in whole milliseconds: with fractions, an hour that a test adds may be less than an hour after subtraction. */
const getWholeMs = (): number => Math.ceil(performance.now());

/** Uses all that is left, without waiting: the clock moves during a wait. */
async function spend(budget: Budget): Promise<void> {
  let now = getWholeMs();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  await budget.run(async () => {
    now += HOUR_MS;
  });
  clock.mockRestore();
  expect(budget.isSpent).toBe(true);
}

const insert = (tx: Tx, slug: string) => tx.insertInto('site').values({ slug, name: '' }).execute();

/** A budget of 100 ms whose waits end by themselves, and a clock that moves only in waits. */
function createBudgetWithClock() {
  let now = getWholeMs();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const pass = (ms: number) => {
    now += ms;
  };
  return { budget: new Budget({ totalMs: 100, singleMs: 0 }), pass };
}

const waitForSignal = (signal: AbortSignal | undefined) =>
  new Promise<string>((resolve) => signal?.addEventListener('abort', () => resolve('ended')));

describe('a budget', () => {
  test('is used by waits for the database only', async () => {
    const { budget, pass } = createBudgetWithClock();
    await budget.run(async () => pass(60));
    pass(HOUR_MS);
    expect(budget.isSpent).toBe(false);
    const failing = budget.run(async () => {
      pass(40);
      throw new Error('The statement failed');
    });
    await expect(failing).rejects.toThrow('The statement failed');
    expect(budget.isSpent).toBe(true);
  });

  test('counts waits at the same time once', async () => {
    const { budget, pass } = createBudgetWithClock();
    const last = Promise.withResolvers<void>();
    const waits = [budget.run(() => last.promise), budget.run(async () => pass(50))];
    await waits[1];
    pass(40);
    last.resolve();
    await Promise.all(waits);
    expect(budget.isSpent).toBe(false);
    await budget.run(async () => pass(10));
    expect(budget.isSpent).toBe(true);
  });

  test('limits nothing once it is lifted', async () => {
    const { budget, pass } = createBudgetWithClock();
    await budget.run(async () => pass(200));
    expect(budget.isSpent).toBe(true);
    budget.lift();
    await budget.run(async () => pass(HOUR_MS));
    expect(budget.isSpent).toBe(false);
  });

  test('ends a wait with a signal, also the one of the caller', async () => {
    expect(await new Budget({ totalMs: 5, singleMs: Infinity }).run(waitForSignal)).toBe('ended');
    const caller = new AbortController();
    const waiting = new Budget({ totalMs: HOUR_MS, singleMs: Infinity }).run(waitForSignal, caller.signal);
    caller.abort();
    expect(await waiting).toBe('ended');
  });
});

onEachDatabase(
  (getDatabase, kind) => {
    const open = (totalMs: number) => {
      const budget = new Budget({ totalMs, singleMs: Infinity });
      return { budget, db: withBudget(getDatabase().db, budget) };
    };
    const listSlugs = async (db = getDatabase().db) => {
      const rows = await db.selectFrom('site').select('slug').execute();
      return rows.map(({ slug }) => slug);
    };
    const spentError = { name: 'DbError', code: '57U02' };

    test('no statement and no transaction begins once the budget is spent', async () => {
      const { budget, db } = open(HOUR_MS / 2);
      expect(await listSlugs(db)).toEqual([]);
      await spend(budget);
      await expect(listSlugs(db)).rejects.toMatchObject(spentError);
      await expect(withTransaction(db, {}, (tx) => insert(tx, 'late'))).rejects.toMatchObject(spentError);
      expect(await listSlugs()).toEqual([]);
    });

    test('a transaction whose budget is spent before its end is rolled back', async () => {
      const { budget, db } = open(HOUR_MS / 2);
      const writing = withTransaction(db, {}, async (tx) => {
        await insert(tx, 'half');
        await spend(budget);
        await insert(tx, 'other half');
      });
      await expect(writing).rejects.toMatchObject(spentError);
      expect(await listSlugs()).toEqual([]);
    });

    test('a transaction whose statements are all done is committed; what follows must not be repeated blindly', async () => {
      const { budget, db } = open(HOUR_MS / 2);
      await withTransaction(db, {}, async (tx) => {
        await insert(tx, 'whole');
        await spend(budget);
      });
      expect(await listSlugs()).toEqual(['whole']);
      await expect(listSlugs(db)).rejects.toMatchObject({ code: '57U03' });
    });

    test('a write outside a transaction is committed too', async () => {
      const { budget, db } = open(HOUR_MS / 2);
      await db.deleteFrom('site').where('slug', '=', 'nowhere').execute();
      await spend(budget);
      await expect(listSlugs(db)).rejects.toMatchObject({ code: '57U03' });
    });

    test('the wait for a connection ends, and the connection is not lost', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const holders = Array.from({ length: kind === 'postgres' ? 2 : 1 }, () =>
        withTransaction(getDatabase().db, {}, async (tx) => {
          await listSlugs(tx);
          await released;
        }),
      );
      const { db } = open(50);
      await expect(listSlugs(db)).rejects.toMatchObject(spentError);
      release();
      await Promise.all(holders);
      expect(await Promise.all([listSlugs(), listSlugs(), listSlugs()])).toEqual(
        Array.from({ length: 3 }, () => ['whole']),
      );
    });

    test('each request has a budget of its own; work for several requests has none', async () => {
      const [first, second] = [createBudget(getDatabase().db), createBudget(getDatabase().db)];
      if (!first || !second) throw new Error('The database has limits');
      await spend(first);
      expect(second.isSpent).toBe(false);
      const db = withBudget(getDatabase().db, first);
      await expect(listSlugs(db)).rejects.toMatchObject(spentError);
      expect(await listSlugs(withBudget(db, undefined))).toEqual(['whole']);
    });

    // A statement of the embedded database ends by its own limit only, which restarts the database.
    if (kind === 'embedded') return;

    test('a running statement is cancelled, and its transaction is rolled back', async () => {
      const { db } = open(200);
      const running = withTransaction(db, {}, async (tx) => {
        await insert(tx, 'undone');
        await endlessQuery.execute(tx);
      });
      await expect(running).rejects.toMatchObject(spentError);
      await expect(listSlugs(db)).rejects.toMatchObject(spentError);
      expect(await listSlugs()).toEqual(['whole']);
    });
  },
  { pool: { maxConnections: 2 }, requestMs: HOUR_MS },
);
