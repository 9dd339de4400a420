/** The thread that reads and fills documents: what a file makes it do ends with it. */
import { parentPort } from 'node:worker_threads';
import type { ReportRecord } from '../language/values.ts';
import { createDocxRenderer, inspectDocx, type DocumentRenderer } from './docx.ts';
import { readPackage, RefusedFileError } from './package.ts';
import type { RenderReply, RenderRequest } from './render-protocol.ts';
import { MAX_MARKS, truncateTexts } from './text.ts';
import { createXlsxRenderer, inspectXlsx } from './xlsx.ts';

let renderer: DocumentRenderer | undefined;
let entries: ReportRecord[] = [];

function getRenderer(): DocumentRenderer {
  if (!renderer) throw new Error('No template is open');
  return renderer;
}

async function answer(request: RenderRequest): Promise<RenderReply> {
  switch (request.kind) {
    case 'inspect': {
      const document = await readPackage(Buffer.from(request.bytes));
      const inspected = document.format === 'docx' ? inspectDocx(document) : inspectXlsx(document);
      const marks = inspected.texts.reduce((sum, text) => sum + text.marks.length, 0);
      if (marks > MAX_MARKS)
        throw new RefusedFileError(`The file has ${marks} placeholders; at most ${MAX_MARKS} are accepted.`);
      return { kind: 'inspected', document: truncateTexts(inspected) };
    }
    case 'open': {
      const document = await readPackage(Buffer.from(request.bytes));
      renderer =
        document.format === 'docx'
          ? createDocxRenderer(document, request.options)
          : createXlsxRenderer(document, request.options);
      entries = [];
      return { kind: 'done' };
    }
    case 'add':
      for (const entry of request.entries) entries.push(entry);
      return { kind: 'done' };
    case 'finish': {
      const added = entries;
      entries = [];
      const { shared } = request;
      const records = added.map((entry) => ({ ...shared, ...entry }));
      return { kind: 'documents', documents: [await getRenderer().render(shared, records)] };
    }
    case 'each': {
      const documents: Uint8Array[] = [];
      for (const entry of request.entries) {
        const record = { ...request.shared, ...entry };
        documents.push(await getRenderer().render(record, [record]));
      }
      return { kind: 'documents', documents };
    }
    default:
      throw new Error('The request is unknown');
  }
}

parentPort?.on('message', (request: RenderRequest) => {
  answer(request)
    .catch((error: unknown): RenderReply => {
      const message = error instanceof Error ? error.message : String(error);
      return error instanceof RefusedFileError ? { kind: 'refused', message } : { kind: 'failed', message };
    })
    .then((reply) => parentPort?.postMessage(reply, []))
    .catch((error: unknown) => {
      throw error;
    });
});
