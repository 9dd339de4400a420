/** An import of many entries by the service, uploaded in parts, compared with the load command for as many entries. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { EntryImportRow } from '../../contract/generated/types.gen.ts';
import { type Bench, type Measure, measureMs } from '../bench.ts';
import { type EntryService, startEntryService } from '../entries/entry-service.ts';
import { createSessionClient } from '../sign-in.ts';

const JOBS = '/console/api/rest/v1/management/jobs';
const ENTRIES = 100_000;
const ITEMS_PER_PART = 10_000;
const POLL_MS = 200;
const MAX_RATIO = 2;
const SECONDS_IN_MS = 1000;

const Job = z.object({
  id: z.number(),
  state: z.string(),
  done: z.number(),
  stopReason: z.string().nullable(),
  startedDate: z.string().nullable(),
  finishedDate: z.string().nullable(),
});

/** Rows with eight fields: name, two choices, number, money, day, text and user. */
function createRows({ getField }: EntryService, count: number): EntryImportRow[] {
  const choices = (name: string) => getField(name).choiceValues.map(({ id }) => id);
  const [stages, regions] = [choices('Stage'), choices('Region')];
  const ids = {
    name: getField('Name').id,
    stage: getField('Stage').id,
    region: getField('Region').id,
    employees: getField('Employees').id,
    revenue: getField('Revenue').id,
    founded: getField('Founded').id,
    city: getField('City').id,
    owner: getField('Owner').id,
  };
  return Array.from({ length: count }, (_, at) => ({
    row: at + 2,
    values: [
      { fieldId: ids.name, value: `Imported company ${at}` },
      { fieldId: ids.stage, value: stages[at % stages.length] ?? null },
      { fieldId: ids.region, value: regions[at % regions.length] ?? null },
      { fieldId: ids.employees, value: (at * 7) % 10_000 },
      { fieldId: ids.revenue, value: at * 1000, currencyCode: 'EUR' },
      { fieldId: ids.founded, value: `${1900 + (at % 120)}-03-01` },
      { fieldId: ids.city, value: `City ${at % 1000}` },
      { fieldId: ids.owner, value: 1 },
    ],
  }));
}

/** Uploads and imports the rows; returns the durations of the upload and of the job in milliseconds. */
async function measureImport(entryService: EntryService, rows: readonly EntryImportRow[]) {
  const call = await createSessionClient(entryService.service);
  const body = { entryTypeId: entryService.typeId, fileName: 'companies.csv', uploadsItems: true };
  const { id } = Job.parse(await call('POST', `${JOBS}/entryImports`, body));
  const parts: string[] = [];
  // The console uploads two parts at a time as well.
  const limit = pLimit(2);
  const uploadMs = await measureMs(async () => {
    const offsets = Array.from(
      { length: Math.ceil(rows.length / ITEMS_PER_PART) },
      (_, at) => at * ITEMS_PER_PART,
    );
    await limit.map(offsets, async (offset, at) => {
      const part = { items: rows.slice(offset, offset + ITEMS_PER_PART) };
      const sha256 = createHash('sha256').update(JSON.stringify(part)).digest('hex');
      parts[at] = sha256;
      const query = `firstItem=${offset + 1}&sha256=${sha256}`;
      await call('PUT', `${JOBS}/${id}/parts/${at + 1}?${query}`, part);
    });
    await call('POST', `${JOBS}/${id}/submit`, { parts });
  });
  for (;;) {
    await sleep(POLL_MS);
    const job = Job.parse(await call('GET', `${JOBS}/${id}`));
    if (!job.finishedDate || !job.startedDate) continue;
    if (job.state !== 'finished' || job.done !== rows.length)
      throw new Error(`The import is ${job.state} with ${job.done} entries: ${job.stopReason}`);
    return { uploadMs, jobMs: Date.parse(job.finishedDate) - Date.parse(job.startedDate) };
  }
}

const createBench = (kind: 'embedded' | 'postgres', name: string): Bench => ({
  name,
  peerName: 'npm run load',
  async run({ entries = ENTRIES }): Promise<Measure[]> {
    const entryService = await startEntryService(kind, { entries, changes: 0 });
    try {
      const { loadMs } = entryService;
      const { uploadMs, jobMs } = await measureImport(entryService, createRows(entryService, entries));
      return [
        { name: 'upload', ours: uploadMs / SECONDS_IN_MS, unit: 's' },
        { name: 'job', ours: jobMs / SECONDS_IN_MS, unit: 's' },
        {
          name: `import of ${entries.toLocaleString('en')} entries × 8 fields`,
          ours: (uploadMs + jobMs) / SECONDS_IN_MS,
          floor: loadMs / SECONDS_IN_MS,
          unit: 's',
          maximum: (MAX_RATIO * loadMs) / SECONDS_IN_MS,
        },
      ];
    } finally {
      await entryService.remove();
    }
  },
});

export const imports = createBench('postgres', 'Import of entries on PostgreSQL');
export const importsEmbedded = createBench('embedded', 'Import of entries, embedded');
