import type { BackupRequestVm } from '../../../contract/generated/types.gen.ts';
import { ApiError, badRequest, notFound } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { insertJob, type JobOwner, type NewJob, setTitle } from '../../kernel/jobs/jobs.store.ts';
import type { EntryType, SiteSchema } from '../schema/index.ts';
import { getSite } from '../sites/index.ts';
import * as store from './backups.store.ts';
import { backupJob, type BackupParameters, describeBackup } from './make-backup.ts';

/** Entry types of a backup request; undefined: all, also for empty lists. */
export function resolveEntryTypes(schema: SiteSchema, request: BackupRequestVm): EntryType[] | undefined {
  const { ids = [], apiNames = [] } = request;
  if (ids.length > 0 && apiNames.length > 0)
    throw badRequest([{ path: 'apiNames', message: 'must not be given together with ids' }]);
  if (ids.length === 0 && apiNames.length === 0) return undefined;
  const requested = [
    ...ids.map((id, at) => ({ path: `ids.${at}`, name: String(id), type: schema.typesById.get(id) })),
    ...apiNames.map((name, at) => ({
      path: `apiNames.${at}`,
      name,
      type: schema.typesByName.get(name.toLowerCase()),
    })),
  ];
  const unknown = requested.filter(({ type }) => !type);
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    const message =
      unknown.length === 1
        ? notFound(`Entry type ${names}`).message
        : `Entry types ${names} do not exist on this site`;
    const fields = unknown.map(({ path, name }) => ({
      path,
      message: notFound(`entry type ${name}`).message,
    }));
    throw new ApiError(404, message, fields);
  }
  return [...new Set(requested.flatMap(({ type }) => type ?? []))];
}

/** File name without extension, such as `northwind-20260301-080000` in UTC; only letters, digits and dashes. */
const buildFileStem = (slug: string, at: Date): string => {
  const [, day = '', time = ''] = /^(\d{8})T(\d{6})/.exec(at.toISOString().replaceAll(/[-:]/g, '')) ?? [];
  return `${slug.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 60)}-${day}-${time}`;
};

/** Who asked for a backup, with the rights of the request; undefined for the schedule. */
type Requester = Pick<NewJob, 'ip' | 'requestId'> & { owner: JobOwner };

const BY_SERVICE: Pick<NewJob, 'owner' | 'ip' | 'requestId'> = {
  owner: undefined,
  ip: '',
  requestId: 'backup schedule',
};

/**
 * Queues a backup and the job that makes it in the caller's transaction. @returns its file name; undefined while another one is queued or
 * running
 */
export async function queueBackup(
  tx: Tx,
  backup: Omit<store.NewBackup, 'fileName'>,
  record: Recorder,
  requester: Requester | undefined,
): Promise<string | undefined> {
  const { siteId, includesFiles } = backup;
  const { slug } = await getSite(tx, siteId);
  const stem = buildFileStem(slug, await store.loadDatabaseTime(tx));
  const sameStemCount = await store.countFileNames(tx, siteId, stem);
  const fileName = `${stem}${sameStemCount === 0 ? '' : `-${sameStemCount + 1}`}.zip`;
  const id = await store.insertBackup(tx, { ...backup, fileName });
  if (id === undefined) return undefined;
  const entryTypes = backup.typeIds ? backup.entryTypes : undefined;
  const parameters: BackupParameters = { fileName, entryTypes, includesFiles };
  const title = describeBackup(parameters);
  const by = requester ?? BY_SERVICE;
  const jobId = await insertJob(tx, {
    siteId,
    kind: backupJob.kind,
    title,
    state: 'waiting',
    parameters,
    ...by,
  });
  await setTitle(tx, { siteId, jobId }, { title, total: 100 });
  await store.setJob(tx, siteId, id, jobId);
  record({ action: 'job.start', subject: ['job', jobId], changes: { title: [null, title] } });
  record({
    action: 'backup.request',
    subject: ['backup', fileName],
    changes: {
      entryTypes: [null, entryTypes ?? 'all'],
      includesFiles: [null, includesFiles],
      isScheduled: [null, backup.isScheduled],
    },
  });
  return fileName;
}
