/** A process that imports e-mails again and again, and kills itself at a statement that a test chooses. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Email } from '../../../contract/generated/types.gen.ts';
import { openDatabase } from '../../kernel/db/database.ts';
import { type ApiClient, createApiClient } from '../calls.ts';
import type { TestDatabase } from '../databases.ts';
import { getCounts, importEmails, resetGate } from '../relationships.ts';
import { injectFault, type JobProcessTask } from './job-process.ts';
import { createProcessApp } from './process-app.ts';

interface ImportProcessTask
  extends Pick<TestDatabase, 'databaseUrl' | 'dataDir'>, Pick<JobProcessTask, 'fault'> {
  siteId: number;
  userId: number;
  token: string;
  /** E-mails of a process that was killed, which are sent again before anything goes wrong. */
  interrupted?: readonly Email[];
  emails: readonly Email[];
}

export interface ImportProcess {
  child: ChildProcess;
  exited: Promise<number | null>;
  /** Resolves when the process freezes itself. @throws Error when it ends before */
  frozen: Promise<unknown>;
}

/** Starts the process; without a fault it imports once and ends with 0, and with 1 if an import is refused or its counts are not right. */
export function startImportProcess(task: ImportProcessTask): ImportProcess {
  const child = spawn(process.execPath, [import.meta.filename, 'run'], {
    stdio: ['pipe', 'pipe', task.fault?.signal === 'SIGSTOP' ? 'ignore' : 'inherit'],
  });
  child.stdin.end(JSON.stringify(task));
  const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
  const ended = exited.then(() => {
    throw new Error('The process ended');
  });
  const frozen = Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  // Only whoever waits for it needs to know.
  frozen.catch(() => {});
  ended.catch(() => {});
  return { child, exited, frozen };
}

async function run({ databaseUrl, dataDir, fault, ...task }: ImportProcessTask): Promise<number> {
  const place = { databaseUrl, dataDir };
  const before = await openDatabase(place);
  // The lease of the process that was killed has lapsed.
  await resetGate(before.db, task.siteId);
  await before.close();
  const app = await createProcessApp({ ...place, filesDir: dataDir });
  const api = createApiClient(app, '', { authorization: `Bearer ${task.token}` });
  if (task.interrupted) await importAll(api, task.userId, task.interrupted);
  if (fault) injectFault(fault);
  for (;;) {
    await importAll(api, task.userId, task.emails);
    if (!fault) break;
  }
  await app.close();
  return 0;
}

/** @throws Error unless each e-mail was added or was stored before, and none of them only in part */
async function importAll(api: ApiClient, userId: number, emails: readonly Email[]): Promise<void> {
  const { status, text, body } = await importEmails(api, [{ userId, emails }]);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  const [received, added = -1, known = -1] = body.flatMap(getCounts);
  if (received !== emails.length || added + known !== received || Math.min(added, known) !== 0)
    throw new Error(`Of ${received} e-mails ${added} were added and ${known} known`);
}

if (import.meta.main) {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  process.exit(await run(JSON.parse(text) as ImportProcessTask));
}
