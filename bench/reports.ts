/** Reports by the service: documents beside docxtemplater alone in a loop, rows of a workbook beside an export. */
import { setTimeout as sleep } from 'node:timers/promises';
import Docxtemplater from 'docxtemplater';
import PizZip from 'pizzip';
import { z } from 'zod';
import { findFreePort } from '../scripts/free-port.ts';
import { makeDocx, makeXlsx, paragraph } from '../service/testing/documents.ts';
import { signInToConsole } from './backups.ts';
import { type Bench, type Measure, measureMs } from './bench.ts';
import { startEntryService } from './entries/entry-service.ts';
import { measureResidentMb } from './entries/memory.ts';

const API = '/console/api/rest';
const DOCUMENTS = 1_000;
const ROWS = 10_000;
const FIELDS = 5;
/** Lowest allowed number of documents of one entry in a second. */
const MIN_DOCUMENTS_PER_SECOND = 100;
/** Highest allowed time of rows as a multiple of that of an export. */
const MAX_EXPORT_RATIO = 2;
const MAX_GAP_MS = 50;

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
    const probe = new URL('./bodies/gap-probe.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${probe}`, GAP_PORT: String(gapPort) };
    const entryService = await startEntryService('postgres', { entries: ROWS, changes: 0, env });
    try {
      const call = await signInToConsole(entryService);
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
      const rowSeconds = await reportRows();
      const gap = await readGap();
      const exportSeconds = await exportRows();
      for (let at = 0; at < 3; at += 1) await reportRows();
      const grown = (await measureResidentMb()) - idle;
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
          ours: rowSeconds,
          floor: exportSeconds,
          unit: 's',
          maximum: exportSeconds * MAX_EXPORT_RATIO,
        },
        { name: 'longest gap of the event loop', ours: gap.gapMs, unit: 'ms', maximum: MAX_GAP_MS },
        { name: 'longest computation of the main thread', ours: gap.computingMs, unit: 'ms' },
        { name: 'memory over idle after 5 reports', ours: grown, unit: 'MB' },
      ];
    } finally {
      await entryService.remove();
    }
  },
};
