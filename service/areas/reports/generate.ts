/** Fills a template with data: for reports in the background and for previews. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { conflict } from '../../kernel/api-error.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { BlobStore } from '../../kernel/files/blob-store.ts';
import { formatNumber } from '../../kernel/numbers.ts';
import { loadSchema, type EntryType, type SiteSchema } from '../schema/index.ts';
import { convertToPdf, NO_OFFICE } from './documents/office.ts';
import type { TemplateRenderer, withTemplate } from './documents/renderer.ts';
import { checkDocument, type CheckResult } from './language/check.ts';
import { formatValue } from './language/formats.ts';
import { listItems, type ReportPicture, type ReportRecord, type ReportValue } from './language/values.ts';
import { requirePictureBytes, withReportData, type ReportEntry, type Selection } from './report-data.ts';
import type { TemplateTexts } from './templates.store.ts';

export const REPORT_LIMITS = {
  templateBytes: 10_485_760,
  sections: 1_000,
  files: 5_000,
  docxRows: 5_000,
  xlsxRows: 20_000,
  keptDays: 30,
  keptRuns: 100,
} as const;

/** JSON of the values of a report above which two reports cannot be compared. */
const MAX_VALUES_LENGTH = 8_000_000;
/** Entries that the thread gets at once; each of them is a document of its own. */
const DOCUMENTS_PER_MESSAGE = 20;
const OFFICE_BATCH = 20;

/** A template as it is filled. */
interface FilledTemplate {
  name: string;
  version: number;
  format: 'docx' | 'xlsx';
  bytes: Buffer;
  content: TemplateTexts;
}

/** How a report is generated. */
export interface ReportRequest {
  template: FilledTemplate;
  entryTypeId: number;
  selection: Selection;
  isPdf: boolean;
  document: 'one' | 'zip';
  timeZone: string;
}

interface GenerateContext {
  db: Db;
  caller: Caller;
  /** Store of the contents of files. */
  blobs: BlobStore;
  officeProgram: string | undefined;
  signal: AbortSignal | undefined;
  /** Limits the threads of requests, or not. */
  open: typeof withTemplate;
  reportProgress?: (progress: { done: number; total: number }) => void;
}

/** A generated document. */
interface GeneratedDocument {
  bytes: Uint8Array;
  /** The entry of the document; undefined for all. */
  entry: Pick<ReportEntry, 'id' | 'name'> | undefined;
}

/** What a report contains. */
export interface GeneratedReport {
  at: Date;
  entryCount: number;
  /** The only entry of the report. */
  onlyEntry: Pick<ReportEntry, 'id' | 'name'> | undefined;
  dataHash: Buffer;
  /** Values by entry as packed JSON; null where they are too large. */
  packedValues: Buffer | null;
}

/** Values of the entries of a report as text: what two reports are compared by. */
export type ReportValues = [id: number, name: string, values: Record<string, string>][];

/**
 * Checks a template against the schema of now.
 * @throws ApiError 409 with what does not fit
 */
export function requireFitting(
  content: TemplateTexts,
  schema: SiteSchema,
  entryTypeId: number,
): { check: CheckResult; type: EntryType } {
  const type = schema.typesById.get(entryTypeId);
  const check = checkDocument(content, schema, type);
  const [first] = check.findings;
  if (first || !type) {
    const more = check.findings.length > 1 ? ` (and ${formatNumber(check.findings.length - 1)} more)` : '';
    throw conflict(
      first
        ? `The template does not fit the schema: ${first.part}, ${first.place}: ${first.message}${more}`
        : 'The entry type of the template was deleted',
    );
  }
  return { check, type };
}

/** Why so many entries cannot be reported like this; undefined if they can. */
export function findLimitFault(
  count: number,
  { format, document }: { format: 'docx' | 'xlsx'; document: 'one' | 'zip' },
  { listsRows, hasSharedFields }: Pick<CheckResult, 'listsRows' | 'hasSharedFields'>,
): string | undefined {
  const say = (limit: number, what: string) =>
    count > limit
      ? `has ${formatNumber(count)} entries; ${what} has at most ${formatNumber(limit)}`
      : undefined;
  if (document === 'zip') return say(REPORT_LIMITS.files, 'a ZIP file of documents');
  if (listsRows)
    return format === 'docx'
      ? say(REPORT_LIMITS.docxRows, 'a text document with rows')
      : say(REPORT_LIMITS.xlsxRows, 'a workbook with rows');
  if (format === 'xlsx')
    return (
      say(1, 'a workbook without {#rows}') && `${say(1, 'a workbook without {#rows}')}: choose a ZIP file`
    );
  if (hasSharedFields)
    return (
      say(1, 'a document with fields in its header, footer or notes') &&
      `${say(1, 'a document with fields in its header, footer or notes')}: choose a ZIP file`
    );
  return say(REPORT_LIMITS.sections, 'a document with a section for each');
}

const listPictures = (record: ReportRecord): ReportPicture[] =>
  Object.values(record)
    .flatMap(listItems)
    .filter((value) => value.kind === 'picture');

/** A value as two reports compare it: a picture is another one when its content is. */
const describeValue = (value: ReportValue, timeZone: string): string =>
  listItems(value)
    .map((item) =>
      item.kind === 'picture' ? `${item.name} (SHA-256 ${item.sha256})` : formatValue(item, { timeZone }),
    )
    .join(', ');

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Generates a report; each document is passed to `emit` as soon as it is filled.
 * @throws ApiError 400 for more entries than the limits allow, 409 where the template does not fit the schema
 */
export async function generateReport(
  context: GenerateContext,
  request: ReportRequest,
  emit: (document: GeneratedDocument) => Promise<void>,
): Promise<GeneratedReport> {
  const { db, caller, blobs, officeProgram, signal } = context;
  const { template, entryTypeId, selection, timeZone, isPdf, document } = request;
  if (isPdf && officeProgram === undefined) throw conflict(NO_OFFICE);
  const schema = await loadSchema(db, caller.siteId);
  const { check, type } = requireFitting(template.content, schema, entryTypeId);
  const paths = check.fields.map(({ path }) => path);
  const pictures = check.fields.flatMap(({ path, isPicture }) => (isPicture ? path.toLowerCase() : []));
  const convert = async (documents: readonly Uint8Array[]): Promise<readonly Uint8Array[]> =>
    isPdf && officeProgram !== undefined
      ? convertToPdf(documents, { program: officeProgram, format: template.format, signal })
      : documents;
  const options = { listsRows: check.listsRows, pictures, timeZone, signal };
  // The thread starts while the entries are found.
  return context.open(template.bytes, options, (renderer) =>
    withReportData({ db, caller, blobs }, { type, fields: check.fields, selection }, async (data) => {
      const fault = findLimitFault(data.total, { format: template.format, document }, check);
      if (fault !== undefined) throw conflict(`The report ${fault}.`);
      const shared = buildShared(context, request, { at: data.at, count: data.total, type });
      const values: ReportValues = [];
      let valuesLength = 0;
      const addValues = (entries: readonly ReportEntry[]): ReportValues =>
        entries.map((entry) => {
          const texts = paths.flatMap((path) => {
            const value = entry.record[path.toLowerCase()];
            return value ? [[path, describeValue(value, timeZone)] as const] : [];
          });
          const item: ReportValues[number] = [entry.id, entry.name, Object.fromEntries(texts)];
          valuesLength += texts.reduce((sum, [, text]) => sum + text.length, 50);
          values.push(item);
          return item;
        });
      let done = 0;
      const pictureSizes = new Map<string, number>();
      context.reportProgress?.({ done, total: data.total });
      for await (const entries of data.pages()) {
        signal?.throwIfAborted();
        if (document === 'one') {
          for (const { record } of entries)
            for (const { sha256, bytes } of listPictures(record)) pictureSizes.set(sha256, bytes.length);
          requirePictureBytes(pictureSizes.values().reduce((sum, size) => sum + size, 0));
        }
        const pageValues = addValues(entries);
        const numbered = entries.map(({ record }, at): ReportRecord => ({
          ...record,
          $number: { kind: 'number', value: done + at + 1 },
          ...(document === 'zip' && {
            $hash: { kind: 'text', text: hashText(JSON.stringify(pageValues.slice(at, at + 1))) },
          }),
        }));
        if (document === 'zip') await renderDocuments({ entries, records: numbered, renderer, shared });
        else await renderer.add(numbered);
        done += entries.length;
        context.reportProgress?.({ done, total: Math.max(done, data.total) });
      }
      const valuesText = JSON.stringify(values);
      const hash = hashText(valuesText);
      // Packed while the document is filled.
      const packing = valuesLength > MAX_VALUES_LENGTH ? null : promisify(gzip)(valuesText);
      packing?.catch(() => undefined);
      if (document === 'one') {
        const bytes = await renderer.finish({ ...shared, $hash: { kind: 'text', text: hash } });
        const [converted = bytes] = await convert([bytes]);
        await emit({ bytes: converted, entry: undefined });
      }
      const [first] = values;
      return {
        at: data.at,
        entryCount: done,
        onlyEntry: first && done === 1 ? { id: first[0], name: first[1] } : undefined,
        dataHash: Buffer.from(hash, 'hex'),
        packedValues: await packing,
      };
    }),
  );

  async function renderDocuments({
    entries,
    records,
    renderer,
    shared,
  }: {
    entries: readonly ReportEntry[];
    records: readonly ReportRecord[];
    renderer: TemplateRenderer;
    shared: ReportRecord;
  }): Promise<void> {
    const size = isPdf ? OFFICE_BATCH : DOCUMENTS_PER_MESSAGE;
    for (let from = 0; from < records.length; from += size) {
      const documents = await convert(await renderer.renderEach(shared, records.slice(from, from + size)));
      for (const [at, bytes] of documents.entries()) await emit({ bytes, entry: entries[from + at] });
    }
  }
}

/** What is known of a report without its entries. */
function buildShared(
  { caller }: GenerateContext,
  { template }: ReportRequest,
  { at, count, type }: { at: Date; count: number; type: EntryType },
): ReportRecord {
  return {
    $date: { kind: 'moment', at: at.toISOString() },
    $generated: { kind: 'moment', at: new Date().toISOString() },
    $user: { kind: 'text', text: getAuthor(caller).email },
    $template: { kind: 'text', text: template.name },
    $version: { kind: 'number', value: template.version },
    $entrytype: { kind: 'text', text: type.singularName },
    $count: { kind: 'number', value: count },
  };
}
