/** Reports by the service: documents beside docxtemplater alone in a loop, rows of a workbook beside an export. */
import { setTimeout as sleep } from 'node:timers/promises';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { z } from 'zod';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { makeDocx, makeXlsx, paragraph } from '../../service/testing/files/documents.ts';
import { type Bench, type Measure, measureMs, percentile } from '../bench.ts';
import { startEntryService } from '../entries/entry-service.ts';
import { measureResidentMb } from '../entries/memory.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { createSessionClient } from '../sign-in.ts';

const API = '/console/api/rest';
const DOCUMENTS = 1_000;
const ROWS = 10_000;
const FIELDS = 5;
/** Lowest allowed number of documents of one entry in a second. */
const MIN_DOCUMENTS_PER_SECOND = 100;
/** Highest allowed time of rows as a multiple of that of an export. */
const MAX_EXPORT_RATIO = 2;
const MAX_GAP_MS = 50;
/** Options of Node with which the service is started (package.json). */
const PRODUCTION = '--max-semi-space-size=4';
/** Reports and exports of which the median counts: one of them takes less than the noise of a busy machine. */
const PAIRS = 3;
/** Reports after which memory is measured, and measured again. */
const FIRST_REPORTS = 5;
const MANY_REPORTS = 25;

const Job = z.object({
  state: z.string(),
  stopReason: z.string().nullable(),
  startedDate: z.string().nullable(),
  finishedDate: z.string().nullable(),
});
const Started = z.object({ id: z.number().optional(), jobId: z.number().optional() });
const Template = z.object({ id: z.number(), status: z.literal('Ready') });
const Rows = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });
const Gap = z.object({ gapMs: z.number(), computingMs: z.number() });

interface Run {
  seconds: number;
  processorSeconds: number;
}

/** Runs a job, which returns its seconds, and measures the processor time of the service. */
async function measureRun(databaseUrl: string | undefined, run: () => Promise<number>): Promise<Run> {
  const before = measureProcessorTime(databaseUrl).service;
  const seconds = await run();
  return { seconds, processorSeconds: measureProcessorTime(databaseUrl).service - before };
}

/** Documents per second of docxtemplater alone. */
async function measureDocxtemplater(template: Buffer): Promise<number> {
  const fill = () =>
    new Docxtemplater(new PizZip(template), { paragraphLoop: true, linebreaks: true, nullGetter: () => 'x' })
      .render({})
      .toBuffer({ compression: 'DEFLATE' });
  for (let at = 0; at < 100; at += 1) fill();
  const count = 300;
  const ms = await measureMs(async () => {
    for (let at = 0; at < count; at += 1) fill();
  });
  return (count * 1000) / ms;
}

export const reports: Bench = {
  name: 'Template reports on PostgreSQL',
  peerName: 'docxtemplater, export',
  async run(): Promise<Measure[]> {
    const gapPort = await findFreePort();
    const probe = new URL('./gap-probe.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `${PRODUCTION} --import ${probe}`, GAP_PORT: String(gapPort) };
    const entryService = await startEntryService('postgres', { entries: ROWS, changes: 0, env });
    try {
      const call = await createSessionClient(entryService.service);
      const readGap = async () => Gap.parse(await (await fetch(`http://127.0.0.1:${gapPort}`)).json());
      const fields = entryService.fieldNames.slice(0, FIELDS);
      const tags = fields.map((name) => `{${name}}`);
      const document = await makeDocx(
        paragraph('Report') +
          tags.map((tag) => paragraph(`Value: ${tag}`)).join('') +
          paragraph('text '.repeat(500)),
      );
      const [first = '', ...others] = tags;
      const workbook = await makeXlsx([
        [...fields],
        [`{#rows}${first}`, ...others.slice(0, -1), `${others.at(-1)}{/rows}`],
      ]);
      const create = async (name: string, file: Buffer) => {
        const form = new FormData();
        form.append('model', JSON.stringify({ name, entryTypeId: entryService.typeId }));
        form.append('file', new Blob([new Uint8Array(file)]), name);
        return Template.parse(await call('POST', `${API}/v4/templatereports`, form)).id;
      };
      /** Seconds of a job. */
      const runJob = async (path: string, body: object) => {
        const { id, jobId } = Started.parse(await call('POST', path, body));
        for (;;) {
          await sleep(200);
          const job = Job.parse(await call('GET', `${API}/v1/management/jobs/${jobId ?? id}`));
          if (job.state === 'stopped') throw new Error(`The job stopped: ${job.stopReason}`);
          if (job.startedDate && job.finishedDate)
            return (Date.parse(job.finishedDate) - Date.parse(job.startedDate)) / 1000;
        }
      };
      const profile = await create('Profile', document);
      const list = await create('List', workbook);
      const { rows } = Rows.parse(
        JSON.parse(await entryService.queryRows({ fields: ['Name'], limit: DOCUMENTS })),
      );
      const entryIds = rows.map(({ EntryId }) => EntryId);
      const reportDocuments = () =>
        runJob(`${API}/v4/templatereports/${profile}/runs`, { entryIds, format: 'docx', document: 'zip' });
      const reportRows = () =>
        runJob(`${API}/v4/templatereports/${list}/runs`, { query: {}, format: 'xlsx' });
      const exportRows = () =>
        runJob(`${API}/v1/management/jobs/entryExports`, {
          entryType: String(entryService.typeId),
          format: 'xlsx',
          fields,
        });
      await reportRows();
      await exportRows();
      const idle = await measureResidentMb();
      await readGap();
      const documentSeconds = await reportDocuments();
      const databaseUrl = entryService.service.storageEnv['DATABASE_URL'];
      const rowRuns: Run[] = [];
      const exportRuns: Run[] = [];
      for (let at = 0; at < PAIRS; at += 1) {
        rowRuns.push(await measureRun(databaseUrl, reportRows));
        exportRuns.push(await measureRun(databaseUrl, exportRows));
      }
      const gap = await readGap();
      const median = (runs: readonly Run[], get: (run: Run) => number) => percentile(runs.map(get), 0.5);
      const exportSeconds = median(exportRuns, ({ seconds }) => seconds);
      const measureGrowth = async () => (await measureResidentMb()) - idle;
      for (let at = PAIRS + 1; at < FIRST_REPORTS; at += 1) await reportRows();
      const grown = await measureGrowth();
      for (let at = FIRST_REPORTS; at < MANY_REPORTS; at += 1) await reportRows();
      const grownLater = await measureGrowth();
      return [
        {
          name: 'documents of one entry per second',
          ours: DOCUMENTS / documentSeconds,
          floor: await measureDocxtemplater(document),
          unit: '',
          minimum: MIN_DOCUMENTS_PER_SECOND,
        },
        {
          name: `${ROWS} rows of a workbook`,
          ours: median(rowRuns, ({ seconds }) => seconds),
          floor: exportSeconds,
          unit: 's',
          maximum: exportSeconds * MAX_EXPORT_RATIO,
        },
        {
          name: '  processor time of the service',
          ours: median(rowRuns, ({ processorSeconds }) => processorSeconds),
          floor: median(exportRuns, ({ processorSeconds }) => processorSeconds),
          unit: 's',
        },
        { name: 'longest gap of the event loop', ours: gap.gapMs, unit: 'ms', maximum: MAX_GAP_MS },
        { name: 'longest computation of the main thread', ours: gap.computingMs, unit: 'ms' },
        { name: `memory over idle after ${FIRST_REPORTS} reports`, ours: grown, unit: 'MB' },
        { name: `memory over idle after ${MANY_REPORTS} reports`, ours: grownLater, unit: 'MB' },
      ];
    } finally {
      await entryService.remove();
    }
  },
};
