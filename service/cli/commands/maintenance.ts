import { queueBackup, resolveEntryTypes } from '../../areas/backups/index.ts';
import { loadSchema } from '../../areas/schema/index.ts';
import { change, createHostActor } from '../../kernel/audit/change.ts';
import { adoptFiles } from '../../kernel/files/shared-store-check.ts';
import { describeError } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { CommandError, defineCommand, rejectArguments } from './command.ts';
import { listSites, resolveSite, retryMail } from './commands.store.ts';

/** Queues a backup, which a running service makes within seconds. */
export const requestBackup = defineCommand({
  name: 'backup',
  summary: 'Queue a backup of a site; the running service makes it',
  options: {
    site: { type: 'string', value: 'slug', description: 'site, if there are several' },
    type: { type: 'string', multiple: true, value: 'name', description: 'only this entry type' },
    files: { type: 'boolean', description: 'with the files of entries' },
  },
  async run({ db }, args, values) {
    rejectArguments(args);
    const { site_id: siteId, slug } = await resolveSite(db, values.site);
    const schema = await loadSchema(db, siteId);
    const types = resolveEntryTypes(schema, { apiNames: values.type ?? [] });
    return change(db, createHostActor(siteId), async (tx, record) => {
      const fileName = await queueBackup(
        tx,
        {
          siteId,
          typeIds: types?.map(({ id }) => id) ?? null,
          entryTypes: (types ?? schema.types).map(({ apiName }) => apiName),
          includesFiles: values.files ?? false,
          notify: false,
          isScheduled: false,
          requestedBy: null,
        },
        record,
        undefined,
      );
      if (fileName === undefined) throw new CommandError('Another backup of this site is queued or running');
      return { site: slug, fileName, status: 'Queued' };
    });
  },
});

/** Makes mails due now that wait for a retry or were given up although their links are still valid. */
export const retryMails = defineCommand({
  name: 'mail retry',
  summary: 'Send failed mails again now, unless the links in them have expired',
  options: { site: { type: 'string', value: 'slug', description: 'only mails of this site' } },
  async run({ db }, args, values) {
    rejectArguments(args);
    const sites = values.site === undefined ? await listSites(db) : [await resolveSite(db, values.site)];
    let retried = 0;
    for (const { site_id: siteId } of sites)
      retried += await change(db, createHostActor(siteId), async (tx, record) => {
        const count = await retryMail(tx, siteId);
        if (count > 0)
          record({ action: 'cli.mail-retry', subject: ['site', siteId], changes: { mails: [null, count] } });
        return count;
      });
    return { retried };
  },
});

/** After the files were restored to a new place, or moved without the file that identifies the store. */
export const adoptFolder = defineCommand({
  name: 'adopt-files',
  summary: 'Make DATA_DIR, or the bucket, the store of files of the database, for all of its processes',
  options: {},
  async run({ db, dataDir, blobs }, args) {
    rejectArguments(args);
    await adoptFiles(db, { dataDir, blobs });
    return { files: blobs.place };
  },
});

/** Scheduled tasks that delete what is older than the settings and limits say, and files to which nothing refers. */
export const PRUNE_TASKS: readonly string[] = [
  'API key usage cleanup',
  'agent call retention',
  'agent token retention',
  'delete expired events',
  'delete old delivery attempts',
  'delete orphan files',
  'expired backups',
  'expired job files',
  'expired sessions',
  'job retention',
  'notification retention',
  'old activity',
  'old audit rows',
  'old mails',
  'relationship items retention',
  'relationship runs retention',
  'report retention',
  'stray backup files',
  'stray job files',
];

export const prune = defineCommand({
  name: 'prune',
  summary: 'Delete now what the service deletes at intervals: expired and old rows, files without use',
  options: {},
  async run({ createTasks }, args) {
    rejectArguments(args);
    const tasks = (await createTasks()).filter(({ name }) => PRUNE_TASKS.includes(name));
    const outcomes = [];
    for (const task of tasks) outcomes.push(await runToEnd(task));
    return outcomes;
  },
});

/** Runs a task until no work is left; one that fails does not stop the others. */
async function runToEnd(task: ScheduledTask): Promise<{ task: string; outcome: string }> {
  try {
    for (;;) {
      const { runAgainInMs, failures = [] } = (await task.run()) ?? {};
      if (failures.length > 0) return { task: task.name, outcome: `${failures.length} items failed` };
      if (runAgainInMs !== 0) return { task: task.name, outcome: 'done' };
    }
  } catch (error) {
    return { task: task.name, outcome: `failed: ${describeError(error)}` };
  }
}
