/** A process that runs jobs, and kills or freezes itself at a statement that a test chooses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { CONTRACT_FILE } from '../app.ts';
import { registry } from '../areas/registry.ts';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import type { Limits } from '../kernel/db/driver/dialect.ts';
import { PgliteSession } from '../kernel/db/pglite/pglite-session.ts';
import { loadContract } from '../kernel/http/contract.ts';
import { USER_LABELS } from '../kernel/jobs/item-labels.store.ts';
import { countOpenJobs, insertAllItems, insertJob, setTitle } from '../kernel/jobs/jobs.store.ts';
import { runDueJobs } from '../kernel/jobs/run-jobs.ts';
import { createLog } from '../kernel/log.ts';
import type { TestDatabase } from './databases.ts';

export interface JobProcessTask extends Pick<TestDatabase, 'databaseUrl' | 'dataDir'> {
  leaseSeconds: number;
  limits?: Partial<Limits>;
  /** What the process does to itself before, or while, a statement is executed: the n-th one, or the n-th that contains the text. */
  fault?: { signal: 'SIGKILL' | 'SIGSTOP'; statement: number; text?: string; isDuring?: boolean };
  /** Users whom the process activates and deactivates in jobs of this owner; it starts the next job when the last has ended. */
  changes: { siteId: number; ownerId: number; userIds: readonly number[] };
}

export interface JobProcess {
  child: ChildProcess;
  /** Gives the process its task; until then it has loaded its modules and waits. */
  begin(task: JobProcessTask): void;
  /** Resolves when the process has printed this many lines with the word. @throws Error when it ends before */
  waitFor(word: 'stopping' | 'round', count?: number): Promise<void>;
  /** Number of lines with the word so far. */
  count(word: 'stopping' | 'round'): number;
  /** Exit code; null when a signal ended the process. */
  exited: Promise<number | null>;
}

/** Starts a process that waits for its task. */
export function startJobProcess(env: Readonly<Record<string, string>> = {}): JobProcess {
  const child = spawn(process.execPath, [import.meta.filename, 'run'], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const words: string[] = [];
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => words.push(line));
  const closed = once(lines, 'close').then(() => undefined);
  const count = (word: string) => words.filter((each) => each === word).length;
  return {
    child,
    begin: (task) => child.stdin.end(JSON.stringify(task)),
    count,
    async waitFor(word, wanted = 1) {
      while (count(word) < wanted) {
        const next = await Promise.race([once(lines, 'line'), closed]);
        if (!next && count(word) < wanted) throw new Error(`The process ended without "${word}"`);
      }
    },
    exited,
  };
}

const toText = (query: unknown): string => {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
};

/** Sends this process the signal at its statement. Returns whether it has done so. */
export function injectFault({
  signal,
  statement,
  text = '',
  isDuring = false,
}: NonNullable<JobProcessTask['fault']>) {
  let remaining = statement;
  const strike = () => {
    if (signal === 'SIGSTOP') writeSync(1, 'stopping\n');
    process.kill(process.pid, signal);
  };
  for (const [prototype, name] of [
    [Client.prototype, 'query'],
    [PgliteSession.prototype, 'run'],
  ] as const) {
    const run: unknown = Reflect.get(prototype, name);
    if (typeof run !== 'function') throw new Error(`There is no method ${name}`);
    Reflect.set(prototype, name, function runWithFault(this: unknown, ...args: unknown[]): unknown {
      if (toText(args[0]).includes(text)) remaining -= 1;
      const isDue = remaining === 0;
      if (isDue) remaining = -1;
      if (isDue && !isDuring) strike();
      const result: unknown = Reflect.apply(run, this, args);
      if (isDue && isDuring) setImmediate(strike);
      return result;
    });
  }
  return () => remaining < 0;
}

/** Starts a job if the last one has ended; every second one activates the users. */
async function startNextJob(db: Db, { siteId, ownerId, userIds }: JobProcessTask['changes']): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if ((await countOpenJobs(tx, siteId, ownerId)) > 0) return;
    const jobs = await tx.selectFrom('job').select('job_id').where('site_id', '=', siteId).execute();
    const items = userIds.map((userId) => ({ userId }));
    const jobId = await insertJob(tx, {
      siteId,
      kind: 'users.update',
      title: 'Change users',
      parameters: { isActive: jobs.length % 2 === 1 },
      state: 'waiting',
      ip: '127.0.0.1',
      requestId: `job ${jobs.length}`,
      owner: {
        userId: ownerId,
        principalId: null,
        reportId: null,
        scopes: null,
        isProven: true,
        isFederated: false,
      },
    });
    await insertAllItems(tx, { siteId, jobId }, { labels: USER_LABELS, items });
    await setTitle(tx, { siteId, jobId }, { title: 'Change users', total: items.length });
  });
}

const PAUSE_MS = 20;

/** Starts and runs jobs until a fault ends the process; without one, runs those that exist. */
async function runJobs({ databaseUrl, dataDir, limits = {}, ...task }: JobProcessTask): Promise<void> {
  const { db, close } = await openDatabase({ databaseUrl, dataDir, limits });
  const context = {
    db,
    log: createLog('silent'),
    kinds: registry.jobKinds,
    operations: loadContract(CONTRACT_FILE).operations,
    publicUrl: 'http://steward.test',
    leaseSeconds: task.leaseSeconds,
  };
  const hasStruck = task.fault && injectFault(task.fault);
  for (;;) {
    // A connection that the server has ended fails the round, as in the service.
    await runDueJobs(context).catch(() => {});
    writeSync(1, 'round\n');
    if (hasStruck && !hasStruck()) await startNextJob(db, task.changes);
    else if (!hasStruck && (await countOpen(db, task.changes)) === 0) break;
    await sleep(PAUSE_MS);
  }
  await close();
}

const countOpen = (db: Db, { siteId, ownerId }: JobProcessTask['changes']): Promise<number> =>
  db.transaction().execute((tx) => countOpenJobs(tx, siteId, ownerId));

if (import.meta.main) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  await runJobs(JSON.parse(text) as JobProcessTask);
}
