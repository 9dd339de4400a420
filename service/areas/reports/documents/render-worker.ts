/** The thread that reads and fills documents: what a file makes it do ends with it. */
import { parentPort } from 'node:worker_threads';
import type { ReportPicture, ReportRecord, ReportValue } from '../language/values.ts';
import type { DocumentRenderer } from './docx.ts';
import { readPackage, RefusedFileError } from './package.ts';
import type { RenderReply, RenderRequest } from './render-protocol.ts';
import { MAX_MARKS, truncateTexts } from './text.ts';

// Loaded as they are needed: each thread lives for one document or report.
const loadDocx = () => import('./docx.ts');
const loadXlsx = () => import('./xlsx.ts');

let renderer: DocumentRenderer | undefined;
let entries: ReportRecord[] = [];
/** Pictures of the entries by hash: each message has its own copy of a picture that several entries show. */
let pictures: Map<string, ReportPicture> | undefined;

const sharePicture = (value: ReportValue): ReportValue =>
  value.kind === 'picture' && pictures ? pictures.getOrInsert(value.sha256, value) : value;

const sharePictures = (record: ReportRecord): ReportRecord =>
  pictures
    ? Object.fromEntries(
        Object.entries(record).map(([path, value]) => [
          path,
          value.kind === 'list' ? { ...value, items: value.items.map(sharePicture) } : sharePicture(value),
        ]),
      )
    : record;

function getRenderer(): DocumentRenderer {
  if (!renderer) throw new Error('No template is open');
  return renderer;
}

async function answer(request: RenderRequest): Promise<RenderReply> {
  switch (request.kind) {
    case 'inspect': {
      const document = await readPackage(Buffer.from(request.bytes));
      const inspected =
        document.format === 'docx'
          ? (await loadDocx()).inspectDocx(document)
          : (await loadXlsx()).inspectXlsx(document);
      const marks = inspected.texts.reduce((sum, text) => sum + text.marks.length, 0);
      if (marks > MAX_MARKS)
        throw new RefusedFileError(`The file has ${marks} placeholders; at most ${MAX_MARKS} are accepted.`);
      return { kind: 'inspected', document: truncateTexts(inspected) };
    }
    case 'open': {
      const document = await readPackage(Buffer.from(request.bytes));
      renderer =
        document.format === 'docx'
          ? (await loadDocx()).createDocxRenderer(document, request.options)
          : (await loadXlsx()).createXlsxRenderer(document, request.options);
      entries = [];
      pictures = (request.options.pictures ?? []).length > 0 ? new Map() : undefined;
      return { kind: 'done' };
    }
    case 'add':
      for (const entry of request.entries) entries.push(sharePictures(entry));
      return { kind: 'done' };
    case 'finish': {
      const added = entries;
      entries = [];
      pictures?.clear();
      return { kind: 'documents', documents: [await getRenderer().render(request.shared, added)] };
    }
    case 'each': {
      const documents: Uint8Array[] = [];
      for (const entry of request.entries) {
        // The document has one entry, so that also what is outside of rows shows its values.
        const record = { ...request.shared, ...entry };
        documents.push(await getRenderer().render(record, [record]));
      }
      return { kind: 'documents', documents };
    }
    default:
      throw new Error('The request is unknown');
  }
}

async function answerAfter(previous: Promise<void>, request: RenderRequest): Promise<void> {
  await previous;
  const reply = await answer(request).catch((error: unknown): RenderReply => {
    const message = error instanceof Error ? error.message : String(error);
    return error instanceof RefusedFileError ? { kind: 'refused', message } : { kind: 'failed', message };
  });
  parentPort?.postMessage(reply, []);
}

// One request after the other: opening a template is asynchronous.
let last = Promise.resolve();
parentPort?.on('message', (request: RenderRequest) => {
  last = answerAfter(last, request);
});
