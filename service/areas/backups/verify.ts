import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { change, hostActor } from '../../kernel/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { unprovedMail } from './mails.ts';
import { HOLDER } from './make.ts';
import { queueNewest } from './settings.store.ts';
import { backupPath } from './storage.ts';
import { tell } from './tell.ts';
import * as store from './verify.store.ts';

export const VERIFYING = 'backup checks';
const BEAT_MS = 10_000;
/** More than any message has. */
const MOST_TEXT = 2_000;

/** The command of the host that restores into a database of its own; exit codes: 0 whole, 1 not, else it broke down. */
const COMMAND = fileURLToPath(new URL('../../cli/restore.ts', import.meta.url));

type Outcome = Parameters<typeof store.setVerified>[3];

/**
 * Restores into a database that is made for that and thrown away, and compares, in a process of its own: its memory and
 * its time are nobody else's, and a backup that can be restored with nothing but its file is what is wanted.
 */
export function restoreElsewhere(path: string, dataDir: string, signal: AbortSignal): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const child = spawn(process.execPath, [COMMAND, path, '--verify'], {
    // Its input ends with this process, however that ends, and with it the child.
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir, STEWARD_ATTACHED: '1' },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_TEXT);
  });
  const stop = () => child.stdin.end();
  signal.addEventListener('abort', stop, { once: true });
  child.once('error', reject).once('close', (code) => {
    signal.removeEventListener('abort', stop);
    if (signal.aborted) resolve({ state: 'queued', message: null });
    else if (code === 0) resolve({ state: 'passed', message: null });
    else
      resolve({
        state: 'failed',
        message: code === 1 ? said.trim() : `The check could not be made: ${said.trim() || 'it ended early'}`,
      });
  });
  return promise;
}

/** Said as an outcome: a check that ended without one would be taken for one that goes on. */
const brokenDown = (error: unknown): Outcome => ({
  state: 'failed',
  message: `The check could not be made: ${error instanceof Error ? error.message : String(error)}`,
});

/** Verifies the next backup that is in line; false: there is none. */
export async function verifyNext({
  db,
  services,
  signal,
  holder = HOLDER,
  restore = restoreElsewhere,
}: {
  db: Db;
  services: Pick<Services, 'dataDir' | 'publicUrl' | 'wakeMail'>;
  signal: AbortSignal;
  holder?: string;
  restore?: typeof restoreElsewhere;
}): Promise<boolean> {
  await queueNewest(db);
  const backup = await store.claimVerification(db, holder);
  if (!backup) return false;
  const stopped = new AbortController();
  const timer = setInterval(() => {
    store
      .beatVerification(db, backup, holder)
      .then((isOurs) => isOurs || stopped.abort())
      .catch(() => undefined);
  }, BEAT_MS);
  const outcome = await restore(
    backupPath(services.dataDir, backup.storageId),
    services.dataDir,
    AbortSignal.any([signal, stopped.signal]),
  )
    .catch((error: unknown) => brokenDown(error))
    .finally(() => clearInterval(timer));
  await change(db, hostActor(backup.siteId), async (tx, record) => {
    if (!(await store.setVerified(tx, backup, holder, outcome)) || outcome.state === 'queued') return;
    record({
      action: 'backup.verified',
      subject: ['backup', backup.fileName],
      changes: { verified: [null, outcome.state] },
    });
    if (outcome.state === 'passed') return;
    const about = { fileName: backup.fileName, differs: outcome.message ?? '' };
    const link = `${services.publicUrl}/backups`;
    await tell(tx, backup, true, (to) => unprovedMail({ ...to, ...about, link }));
  });
  services.wakeMail();
  return !signal.aborted;
}
