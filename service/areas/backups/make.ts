import { change, hostActor } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { backupMail } from './mails.ts';
import { tell } from './tell.ts';
import { discard, keep, makeFolder, partialPath } from './storage.ts';
import * as store from './store.ts';
import { type Progress, writeBackup } from './write.ts';

/** How often a maker says that it lives and how far it is, and learns whether it shall go on. */
const BEAT_MS = 1_000;

/** This process, among all that share the database. */
export const HOLDER = crypto.randomUUID();

interface Around {
  db: Db;
  services: Pick<Services, 'dataDir' | 'wakeMail' | 'publicUrl'>;
  /** Aborted when the service stops. */
  signal: AbortSignal;
  /** By default this process. */
  holder?: string;
  write?: typeof writeBackup;
}

class Stopped extends Error {
  readonly isOurs: boolean;

  constructor(isOurs: boolean) {
    super(isOurs ? 'The service was stopped.' : 'The backup is no longer ours');
    this.isOurs = isOurs;
  }
}

/**
 * Makes the next backup that is queued; false: there is none. Half a file is never left, and never told of: the file
 * gets its name when it is whole, and the row says Ready after that.
 */
export async function makeNext(around: Around): Promise<boolean> {
  const holder = around.holder ?? HOLDER;
  const backup = await store.claim(around.db, holder);
  if (!backup) return false;
  const isReady = await make(around, backup, holder).catch((error: unknown) =>
    fail(around, backup, holder, error),
  );
  if (!isReady) await discard(around.services.dataDir, backup.storageId);
  around.services.wakeMail();
  return true;
}

async function make(around: Around, backup: store.Claimed, holder: string): Promise<boolean> {
  const { db, services, write = writeBackup } = around;
  const { dataDir } = services;
  await makeFolder(dataDir);
  const heart = startBeating(around, backup, holder);
  const wanted = { siteId: backup.siteId, typeIds: backup.typeIds, includesFiles: backup.includesFiles };
  try {
    const { size, sha256, manifest } = await write(db, wanted, {
      dataDir,
      path: partialPath(dataDir, backup.storageId),
      signal: heart.signal,
      tell: heart.tell,
    });
    await keep(dataDir, backup.storageId);
    return await change(db, hostActor(backup.siteId), async (tx, record) => {
      const { schemaVersion, entryTypes } = manifest;
      const made = { size, sha256, schemaVersion, entryTypes };
      if (!(await store.setReady(tx, backup, holder, made))) return false;
      await tellOutcome(tx, backup, services.publicUrl, undefined);
      record({
        action: 'backup.ready',
        subject: ['backup', backup.fileName],
        changes: { status: ['Running', 'Ready'], size: [null, size], sha256: [null, sha256.toString('hex')] },
      });
      return true;
    });
  } catch (error) {
    throw new Interrupted(error, heart.bytes());
  } finally {
    heart.stop();
  }
}

/** What ended a backup, and how much of it was on the disk by then. */
class Interrupted extends Error {
  readonly bytes: number;

  constructor(cause: unknown, bytes: number) {
    super('The backup ended early', { cause });
    this.bytes = bytes;
  }
}

/** Says from time to time that the maker lives; the signal ends the work of one that shall not go on. */
function startBeating({ db, signal }: Around, backup: store.Claimed, holder: string) {
  const stopped = new AbortController();
  let latest: Progress = { percent: 0, stage: 'Starting', schemaVersion: 0, bytes: 0 };
  let beating = false;
  const stop = () => stopped.abort(new Stopped(true));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer = setInterval(() => {
    if (beating) return;
    beating = true;
    // On the embedded database it waits for the snapshot, and gives up: the lease is held against other processes.
    store
      .beat(db, backup, holder, latest)
      .then((isOurs) => isOurs || stopped.abort(new Stopped(false)))
      .catch(() => undefined)
      .finally(() => (beating = false));
  }, BEAT_MS);
  return {
    signal: stopped.signal,
    tell: (progress: Progress) => (latest = progress),
    bytes: () => latest.bytes,
    stop: () => {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

function reasonOf(error: unknown): { reason: store.Reason; message: string } {
  const { cause, bytes } = error instanceof Interrupted ? error : { cause: error, bytes: 0 };
  const code: unknown = Object(cause).code;
  const megabytes = new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / 1e6);
  if (typeof code === 'string' && FULL.has(code))
    return {
      reason: 'disk-full',
      message: `The disk of the service is full: ${megabytes} MB were written and are removed again.`,
    };
  if (cause instanceof Stopped) return { reason: 'interrupted', message: cause.message };
  const text = cause instanceof Error ? cause.message : 'An unknown fault';
  return { reason: 'error', message: `The backup could not be written: ${text.slice(0, 500)}` };
}

/** Writes down why; nothing where it was cancelled, or given up for dead, meanwhile. */
async function fail(
  { db, services }: Around,
  backup: store.Claimed,
  holder: string,
  error: unknown,
): Promise<false> {
  const why = reasonOf(error);
  await change(db, hostActor(backup.siteId), async (tx, record) => {
    if (!(await store.setFailed(tx, backup, holder, why))) return;
    await tellOutcome(tx, backup, services.publicUrl, why.message);
    record({
      action: 'backup.failed',
      subject: ['backup', backup.fileName],
      changes: { status: ['Running', 'Failed'], reason: [null, why.reason] },
    });
  });
  return false;
}

/** Puts mails into the outbox for those who are to be told. */
export function tellOutcome(
  tx: Tx,
  backup: Pick<store.Claimed, 'id' | 'siteId' | 'fileName'>,
  publicUrl: string,
  failure: string | undefined,
): Promise<void> {
  const link = `${publicUrl}/backups`;
  return tell(tx, backup, failure !== undefined, (to) =>
    backupMail({ ...to, fileName: backup.fileName, failure, link }),
  );
}
