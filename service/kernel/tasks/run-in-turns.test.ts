import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { makeSite } from '../../testing/site.ts';
import { DbError } from '../db/driver/errors.ts';
import { getRetryDelayMs, MAX_ATTEMPTS } from './backoff.ts';
import { createItemTask } from './run-in-turns.ts';
import { listFailures, type TaskItem } from './task-failures.store.ts';

test.each([
  [1, 5_000],
  [2, 20_000],
  [3, 80_000],
  [4, 320_000],
  [9, 3_600_000],
])('the delay after %d failures is about %d ms', (failures, delayMs) => {
  for (let sample = 0; sample < 100; sample += 1) {
    const delay = getRetryDelayMs(failures);
    expect(delay).toBeGreaterThanOrEqual(delayMs * 0.8);
    expect(delay).toBeLessThanOrEqual(delayMs * 1.2);
  }
});

onEachDatabase((database) => {
  const TASK = 'test task';
  let sites: [number, number, number];
  beforeEach(async () => {
    await sql`delete from task_failure`.execute(database().db);
    const { db } = database();
    sites = [await makeSite(db), await makeSite(db), await makeSite(db)];
  });

  /** A task over the items of the sites; `runStep` receives the id of the site. */
  const createTask = (
    runStep: (siteId: number) => Promise<boolean>,
    options: { maxRunMs?: number; items?: () => TaskItem[] } = {},
  ) =>
    createItemTask(database().db, {
      name: TASK,
      intervalMs: 60_000,
      ...(options.maxRunMs !== undefined && { maxRunMs: options.maxRunMs }),
      listItems: async () => options.items?.() ?? sites.map((siteId) => ({ siteId, item: '' })),
      runStep: ({ siteId }) => runStep(siteId ?? 0),
    });
  const makeDue = () =>
    sql`update task_failure set retry_at = now() - interval '1 second' where retry_at is not null`.execute(
      database().db,
    );
  const tooLarge = new DbError('total size of jsonb array elements exceeds the maximum', { code: '54000' });

  test('a site that fails does not keep the sites after it from their turn', async () => {
    const [bad, ...others] = sites;
    const processed: number[] = [];
    const task = createTask(async (siteId) => {
      if (siteId === bad) throw tooLarge;
      processed.push(siteId);
      return false;
    });
    const outcome = await task.run();
    expect(processed).toEqual(others);
    expect(outcome).toMatchObject({ failures: [{ siteId: bad, error: tooLarge, attempts: 1 }] });
    expect(outcome?.runAgainInMs).toBeLessThanOrEqual(6_000);
    expect(await listFailures(database().db, TASK)).toMatchObject([{ siteId: bad, attempts: 1 }]);
  });

  test('a failure whose reason no text of the database can be is recorded', async () => {
    const [bad, ...others] = sites;
    const processed: number[] = [];
    const task = createTask(async (siteId) => {
      if (siteId === bad) throw new Error('Unexpected token \0 and \ud83d');
      processed.push(siteId);
      return false;
    });
    await task.run();
    expect(processed).toEqual(others);
    const { rows } = await sql`select reason from task_failure`.execute(database().db);
    expect(rows).toEqual([{ reason: 'Unexpected token  and \ufffd' }]);
  });

  test('a failed item is retried with growing delays, and parked after five failures', async () => {
    const [bad] = sites;
    let attempts = 0;
    const task = createTask(async (siteId) => {
      if (siteId !== bad) return false;
      attempts += 1;
      throw tooLarge;
    });
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await task.run();
      // Not due yet.
      await task.run();
      expect(attempts).toBe(attempt);
      const [failure] = await listFailures(database().db, TASK);
      const nominalMs = 5_000 * 4 ** (attempt - 1);
      expect(failure?.attempts).toBe(attempt);
      expect(failure?.retryInMs).toBeGreaterThan(nominalMs * 0.8 - 2_000);
      expect(failure?.retryInMs).toBeLessThanOrEqual(nominalMs * 1.2);
      await makeDue();
    }
    await task.run();
    expect(await listFailures(database().db, TASK)).toEqual([
      { siteId: bad, item: '', attempts: MAX_ATTEMPTS, retryInMs: null },
    ]);
    await makeDue();
    await task.run();
    expect(attempts).toBe(MAX_ATTEMPTS);
    const { rows } = await sql<{ reason: string }>`select reason from task_failure`.execute(database().db);
    expect(rows).toEqual([
      {
        reason:
          'The database refused the change (54000): total size of jsonb array elements exceeds the maximum',
      },
    ]);
  });

  test.each(['53000', '53200', '53400'])(
    'a site that always lacks resources (%s) is parked; the others get all their steps',
    async (code) => {
      const [bad, ...others] = sites;
      const exhausted = new DbError('temporary file size exceeds temp_file_limit', { code });
      const steps = new Map<number, number>();
      const task = createTask(async (siteId) => {
        const done = (steps.get(siteId) ?? 0) + 1;
        steps.set(siteId, done);
        if (siteId === bad) throw exhausted;
        return done % 10 !== 0;
      });
      for (let run = 1; run <= MAX_ATTEMPTS; run += 1) {
        expect(await task.run()).toMatchObject({ failures: [{ siteId: bad, attempts: run }] });
        expect(others.map((siteId) => steps.get(siteId))).toEqual([10 * run, 10 * run]);
        await makeDue();
      }
      expect(await task.run()).toMatchObject({ failures: [] });
      expect(steps.get(bad)).toBe(MAX_ATTEMPTS);
      expect(await listFailures(database().db, TASK)).toEqual([
        { siteId: bad, item: '', attempts: MAX_ATTEMPTS, retryInMs: null },
      ]);
    },
  );

  test.each(['40001', '40P01', '57014'])('a failure that passes (%s) parks no item', async (code) => {
    const [unlucky] = sites;
    const passing = new DbError('deadlock detected', { code });
    const task = createTask(async (siteId) => {
      if (siteId === unlucky) throw passing;
      return false;
    });
    for (let run = 1; run <= MAX_ATTEMPTS + 1; run += 1) {
      await task.run();
      const [failure] = await listFailures(database().db, TASK);
      expect(failure?.attempts).toBe(run);
      const nominalMs = Math.min(5_000 * 4 ** (run - 1), 3_600_000);
      expect(failure?.retryInMs).toBeGreaterThan(nominalMs * 0.8 - 2_000);
      await makeDue();
    }
  });

  test('a failure is forgotten when the item succeeds, and when it has no work left', async () => {
    const [first, second] = sites;
    let isBroken = true;
    let items: TaskItem[] = [first, second].map((siteId) => ({ siteId, item: '' }));
    const run = async () => {
      if (isBroken) throw new Error('Broken');
      return false;
    };
    const task = createTask(run, { items: () => items });
    await task.run();
    expect(await listFailures(database().db, TASK)).toHaveLength(2);
    isBroken = false;
    await makeDue();
    items = items.slice(0, 1);
    await task.run();
    expect(await listFailures(database().db, TASK)).toEqual([]);
  });

  /** Runs steps of these lengths in milliseconds until `steps` are done; returns the sites in the order of their steps. */
  const listTurns = async (stepMs: ReadonlyMap<number, number>, steps: number, maxRunMs?: number) => {
    const turns: number[] = [];
    let timeMs = 0;
    const task = createItemTask(
      database().db,
      {
        name: TASK,
        intervalMs: 60_000,
        ...(maxRunMs !== undefined && { maxRunMs }),
        listItems: async () => [...stepMs.keys()].map((siteId) => ({ siteId, item: '' })),
        async runStep({ siteId }) {
          turns.push(siteId);
          timeMs += stepMs.get(siteId) ?? 0;
          return turns.length < steps;
        },
      },
      () => timeMs,
    );
    while (turns.length < steps) await task.run();
    return turns.slice(0, steps);
  };

  test.each([undefined, 0])(
    'sites get equal shares of time, with a time limit of %s per run',
    async (maxRunMs) => {
      const [slow, quick, quicker] = sites;
      const stepMs = new Map([
        [slow, 400],
        [quick, 100],
        [quicker, 50],
      ]);
      const turns = await listTurns(stepMs, 140, maxRunMs);
      const shares = [...stepMs].map(([site, ms]) => turns.filter((turn) => turn === site).length * ms);
      expect(turns.slice(0, 3)).toEqual(sites);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(400);
    },
  );

  test.each(['08006', '08007', '53100', '53300', '57P03', '57U00', '58030', '25006'])(
    'a failure of the database as a whole (%s) fails the run and counts against no item',
    async (code) => {
      const unavailable = new DbError('The database cannot be reached', { code });
      const task = createTask(() => Promise.reject(unavailable));
      await expect(task.run()).rejects.toBe(unavailable);
      expect(await listFailures(database().db, TASK)).toEqual([]);
    },
  );

  test('after a run that failed the next one begins with another site', async () => {
    const unavailable = new DbError('The database cannot be reached', { code: '53300' });
    const turns: number[] = [];
    let timeMs = 0;
    const task = createItemTask(
      database().db,
      {
        name: TASK,
        intervalMs: 60_000,
        listItems: async () => sites.map((siteId) => ({ siteId, item: '' })),
        async runStep({ siteId }) {
          turns.push(siteId);
          timeMs += 100;
          throw unavailable;
        },
      },
      () => timeMs,
    );
    for (let run = 0; run < 3; run += 1) await expect(task.run()).rejects.toBe(unavailable);
    expect(turns).toEqual(sites);
  });

  test('an aborted run counts against no item', async () => {
    const controller = new AbortController();
    const task = createTask(async () => {
      controller.abort();
      throw new Error('Stopped');
    });
    await expect(task.run(controller.signal)).rejects.toThrow('Stopped');
    expect(await listFailures(database().db, TASK)).toEqual([]);
  });
});
