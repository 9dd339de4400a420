/** An export of many entries as CSV by the service, compared with psql \copy of the same values. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type Bench, type Measure, measureMs } from '../bench.ts';
import { type EntryService, startEntryService } from '../entries/entry-service.ts';
import { measureResidentMb } from '../entries/memory.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { createSessionClient } from '../sign-in.ts';

const JOBS = '/console/api/rest/v1/management/jobs';
const MB = 1e6;
const MAX_FIELDS = 20;
/** Default number of rows without the option `--rows`. */
const ROWS = 100_000;
/** Highest allowed memory growth of the service in MB during an export of any size. */
const MAX_MEMORY_MB = 150;
/** Highest allowed difference in MB between exports of all rows and of a tenth of them. */
const MAX_DIFFERENCE_MB = 30;
/** Lowest allowed speed of an export as CSV. */
const MIN_MB_PER_SECOND = 20;

/** Options of Node with which the service is started (package.json). */
const PRODUCTION = { NODE_OPTIONS: '--max-semi-space-size=4' };

const Job = z.object({
  id: z.number(),
  state: z.string(),
  stopReason: z.string().nullable(),
  startedDate: z.string().nullable(),
  finishedDate: z.string().nullable(),
  file: z.object({ size: z.number() }).nullable(),
});

/** Starts a new process and an export, waits until the file is made and samples the memory of the service. */
async function measureExport(entryService: EntryService, fields: readonly string[], query: object) {
  await entryService.service.stop();
  await entryService.service.start();
  const call = await createSessionClient(entryService.service);
  const idle = await measureResidentMb();
  const databaseUrl = entryService.service.storageEnv['DATABASE_URL'];
  const usedBefore = measureProcessorTime(databaseUrl);
  const body = { entryType: String(entryService.typeId), format: 'csv', fields: [...fields], query };
  const { id } = Job.parse(await call('POST', `${JOBS}/entryExports`, body));
  let peak = idle;
  for (;;) {
    await sleep(250);
    peak = Math.max(peak, await measureResidentMb());
    const job = Job.parse(await call('GET', `${JOBS}/${id}`));
    if (job.state === 'stopped') throw new Error(`The export stopped: ${job.stopReason}`);
    if (!job.file || !job.startedDate || !job.finishedDate) continue;
    const used = measureProcessorTime(databaseUrl);
    return {
      serviceSeconds: used.service - usedBefore.service,
      databaseSeconds: used.database - usedBefore.database,
      seconds: (Date.parse(job.finishedDate) - Date.parse(job.startedDate)) / 1000,
      size: job.file.size,
      grown: peak - idle,
    };
  }
}

export const exports: Bench = {
  name: 'Export of entries on PostgreSQL',
  peerName: 'psql \\copy',
  async run({ rows = ROWS }): Promise<Measure[]> {
    const entryService = await startEntryService('postgres', { entries: rows, changes: 0, env: PRODUCTION });
    try {
      const fields = entryService.fieldNames.slice(0, MAX_FIELDS);
      const [stage] = entryService.getField('Stage').choiceValues;
      // Choices are equally frequent; there are ten of them.
      const tenth = await measureExport(entryService, fields, { Stage: stage?.id });
      const ours = await measureExport(entryService, fields, {});
      const url = entryService.service.storageEnv['DATABASE_URL'] ?? '';
      const copyMs = await measureMs(() =>
        promisify(execFile)('psql', [
          url,
          '-c',
          `\\copy (select entry_id, vals from entry where type_id = ${entryService.typeId} order by entry_id) to '/dev/null' csv`,
        ]),
      );
      return [
        { name: `export of ${fields.length} fields`, ours: ours.seconds, floor: copyMs / 1000, unit: 's' },
        {
          name: 'CSV per second',
          ours: ours.size / MB / ours.seconds,
          unit: 'MB',
          minimum: MIN_MB_PER_SECOND,
        },
        { name: '  processor time of the service', ours: ours.serviceSeconds, unit: 's' },
        { name: '  processor time of PostgreSQL', ours: ours.databaseSeconds, unit: 's' },
        { name: 'memory over idle', ours: ours.grown, unit: 'MB', maximum: MAX_MEMORY_MB },
        {
          name: 'memory over idle : with a tenth of the rows',
          ours: ours.grown,
          floor: tenth.grown,
          unit: 'MB',
          maximum: tenth.grown + MAX_DIFFERENCE_MB,
        },
      ];
    } finally {
      await entryService.remove();
    }
  },
};
