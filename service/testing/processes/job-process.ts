/** A process that runs jobs, and kills or freezes itself at a statement that a test chooses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONTRACT_FILE } from '../../app.ts';
import { registry } from '../../areas/registry.ts';
import { type Db, openDatabase } from '../../kernel/db/database.ts';
import { roundTrips, type Limits } from '../../kernel/db/driver/dialect.ts';
import { loadContract } from '../../kernel/http/contract.ts';
import { USER_LABELS } from '../../kernel/jobs/item-labels.store.ts';
import { countOpenJobs, insertAllItems, insertJob, setTitle } from '../../kernel/jobs/jobs.store.ts';
import { runDueJobs } from '../../kernel/jobs/run-jobs.ts';
import { createLog } from '../../kernel/telemetry/log.ts';
import type { TestDatabase } from '../databases.ts';

export interface JobProcessTask extends Pick<TestDatabase, 'databaseUrl' | 'dataDir'> {
  leaseSeconds: number;
  limits?: Partial<Limits>;
  /** What the process does to itself before, or while, statements are executed: at the n-th round trip, or the n-th with the text. */
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

const RESUME_INTERVAL_MS = 100;

/** Lets a process that froze itself go on. The signal is repeated until it ends: one that arrives before the process stands still is lost. */
export function resumeProcess(child: ChildProcess): void {
  const resume = () => child.kill('SIGCONT');
  resume();
  const timer = setInterval(resume, RESUME_INTERVAL_MS);
  child.once('exit', () => clearInterval(timer));
}

/** Sends this process the signal before or while it sends its statements to the database. Returns whether it has done so. */
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
  roundTrips.subscribe((statements) => {
    if (!(statements as readonly string[]).some((sent) => sent.includes(text))) return;
    remaining -= 1;
    if (remaining !== 0) return;
    remaining = -1;
    if (isDuring) setImmediate(strike);
    else strike();
  });
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
