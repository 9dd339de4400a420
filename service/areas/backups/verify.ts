import { spawn } from 'node:child_process';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { StoreUnavailableError } from '../../kernel/files/blob-store.ts';
import { withLocalBlob } from '../../kernel/files/file-folder.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { buildVerificationFailedMail, queueBackupMails } from './mails.ts';
import { queueNewestForVerification } from './schedule.store.ts';
import { getBackupName } from './storage.ts';
import * as store from './verify.store.ts';

/** Name under which a verification request wakes the task. */
export const VERIFY_BACKUPS_TASK = 'backup checks';
const LEASE_RENEWAL_INTERVAL_MS = 10_000;
/** Characters of the command's error output that are kept. */
const MAX_MESSAGE_LENGTH = 2_000;

type VerificationOutcome = Parameters<typeof store.saveVerification>[2];

/** Restores the backup at `path` into a temporary database and compares it with the file. */
type Restore = (path: string, dataDir: string, signal: AbortSignal) => Promise<VerificationOutcome>;

/**
 * Restores in a child process, so that it uses neither the memory nor the event loop of the service, and proves that
 * the file alone is sufficient. `command` is the path of the steward command, which exits with 0 for an intact backup, 1 for a damaged one, and any other code
 * when it failed itself.
 */
export const restoreInChildProcess =
  (command: string): Restore =>
  (path, dataDir, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<VerificationOutcome>();
    const child = spawn(process.execPath, [command, 'restore', path, '--verify'], {
      // The child's input closes when this process ends for any reason, and then the child ends too.
      stdio: ['pipe', 'ignore', 'pipe'],
      // The embedded database has no standby.
      env: {
        ...process.env,
        DATABASE_URL: '',
        DATABASE_READ_URL: '',
        DATA_DIR: dataDir,
        STEWARD_ATTACHED: '1',
      },
    });
    let errorOutput = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errorOutput = (errorOutput + text).slice(-MAX_MESSAGE_LENGTH);
    });
    const stop = () => child.stdin.end();
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', reject).once('close', (code) => {
      signal.removeEventListener('abort', stop);
      const reason = errorOutput.trim();
      if (signal.aborted) resolve(QUEUED_AGAIN);
      else if (code === 0) resolve({ state: 'passed', message: null });
      else if (code === 1) resolve({ state: 'failed', message: reason });
      else
        resolve({
          state: 'failed',
          message: `The verification did not finish: ${reason || 'it ended early'}`,
        });
    });
    return promise;
  };

/** A verification that failed to run counts as failed; without an outcome it would appear to be running for ever. */
const toFailedOutcome = (error: unknown): VerificationOutcome => ({
  state: 'failed',
  message: `The verification did not finish: ${error instanceof Error ? error.message : String(error)}`,
});

/** The verification was interrupted, or the store of files does not answer. */
const QUEUED_AGAIN: VerificationOutcome = { state: 'queued', message: null };

/** Verifies the next queued backup. @returns false when there is no more to do now */
export async function verifyNextBackup({
  db,
  services,
  signal,
  restore,
  leaseRenewalMs = LEASE_RENEWAL_INTERVAL_MS,
}: {
  db: Db;
  services: Pick<Services, 'dataDir' | 'blobs' | 'publicUrl'>;
  signal: AbortSignal;
  restore: Restore;
  leaseRenewalMs?: number;
}): Promise<boolean> {
  await queueNewestForVerification(db);
  const backup = await store.claimVerification(db);
  if (!backup) return false;
  const leaseLost = new AbortController();
  const timer = setInterval(() => {
    store
      .renewVerificationLease(db, backup)
      .then((isOurs) => isOurs || leaseLost.abort())
      .catch(() => undefined);
  }, leaseRenewalMs);
  const stop = AbortSignal.any([signal, leaseLost.signal]);
  const outcome = await withLocalBlob(services, getBackupName(services, backup.storageId), stop, (path) =>
    restore(path, services.dataDir, stop),
  )
    .catch((error: unknown) =>
      stop.aborted || error instanceof StoreUnavailableError ? QUEUED_AGAIN : toFailedOutcome(error),
    )
    .finally(() => clearInterval(timer));
  await change(db, createHostActor(backup.siteId), async (tx, record) => {
    if (!(await store.saveVerification(tx, backup, outcome)) || outcome.state === 'queued') return;
    record({
      action: 'backup.verified',
      subject: ['backup', backup.fileName],
      changes: { verified: [null, outcome.state] },
    });
    if (outcome.state === 'passed') return;
    const details = { fileName: backup.fileName, reason: outcome.message ?? '' };
    const link = `${services.publicUrl}/backups`;
    await queueBackupMails(tx, backup, { failure: details.reason }, (to) =>
      buildVerificationFailedMail({ ...to, ...details, link }),
    );
  });
  return !signal.aborted && outcome.state !== 'queued';
}
