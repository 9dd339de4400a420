/** Finds out what a file is and reads it with the reader of its format. Calendars load their own, the largest library. */

import type { OnBytes } from '../../../files/read-chunks.ts';
import type { DateReading, ReadRow } from './items.ts';
import { readCsv } from './read-csv.ts';
import type { CalendarPeriod } from './read-ics.ts';
import { readJson, readNdjson } from './read-json.ts';
import { readEml, readMbox, readZip } from './read-mail.ts';
import { detectUtf16 } from './text-stream.ts';

export type FileFormat =
  | 'json'
  | 'ndjson'
  | 'exchange'
  | 'google'
  | 'csv'
  | 'mbox'
  | 'eml'
  | 'zip'
  | 'ics'
  | 'pst'
  | 'unknown';

const HEAD_BYTES = 4096;
/** Byte order mark of UTF-8. */
const UTF8_MARK = [0xef, 0xbb, 0xbf];
const PST_SIGNATURE = [0x21, 0x42, 0x44, 0x4e];

/** The format by the first bytes of the file, and by its name where they are not enough. */
export function detectFormat(name: string, head: Uint8Array): FileFormat {
  if (head[0] === 0x50 && head[1] === 0x4b) return 'zip';
  // "!BDN", of PST and OST files.
  if (PST_SIGNATURE.every((byte, at) => head[at] === byte)) return 'pst';
  const utf16 = detectUtf16(head);
  const text = new TextDecoder(utf16 ?? 'utf-8')
    .decode(head)
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text.includes('\0')) return 'unknown';
  if (/^BEGIN:VCALENDAR/i.test(text)) return 'ics';
  // Mails are read as bytes.
  if (text.startsWith('From ')) return utf16 ? 'unknown' : 'mbox';
  if (text.startsWith('[')) return 'json';
  if (text.startsWith('{'))
    return /\.(ndjson|jsonl)$/i.test(name) || /^\{.*\}\s*\n\s*\{/.test(text) ? 'ndjson' : 'json';
  const [first = ''] = text.split('\n', 1);
  if (!utf16 && (/^[\w-]+:[ \t]/.test(first) || /\.eml$/i.test(name))) return 'eml';
  return /[,;\t]/.test(first) || /\.(csv|tsv)$/i.test(name) ? 'csv' : 'unknown';
}

interface ReadOptions {
  period: CalendarPeriod;
  /** Of tables and JSON, whose dates may be numbers alone. */
  dates: DateReading;
  onBytes: OnBytes;
  onFormat: (format: FileFormat) => void;
}

/** Reads all rows of a file. Whatever is wrong with it is a broken row. */
export async function* readImportFile(file: File, options: ReadOptions): AsyncGenerator<ReadRow> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const format = detectFormat(file.name, head);
  options.onFormat(format);
  if (file.size === 0) {
    yield { row: 1, reason: 'The file is empty' };
    return;
  }
  let row = 0;
  const hasMark = UTF8_MARK.every((byte, at) => head[at] === byte);
  try {
    const content = hasMark ? file.slice(UTF8_MARK.length) : file;
    for await (const one of open(content, format, options)) {
      ({ row } = one);
      yield one;
    }
  } catch (thrown) {
    // Reading fails when the file has changed or its disk is gone.
    yield {
      row: row + 1,
      reason: `Reading stopped: ${thrown instanceof Error ? thrown.message : 'unknown error'}`,
    };
  }
}

async function* open(file: Blob, format: FileFormat, options: ReadOptions): AsyncGenerator<ReadRow> {
  const { onBytes, period, dates, onFormat } = options;
  switch (format) {
    case 'json':
    case 'ndjson': {
      yield* format === 'json' ? readJson(file, onBytes, dates) : readNdjson(file, onBytes, dates);
      return;
    }
    case 'mbox':
    case 'eml':
    case 'zip': {
      if (format === 'eml') yield await readEml(file, 1);
      else yield* format === 'mbox' ? readMbox(file, onBytes) : readZip(file, onBytes);
      return;
    }
    case 'ics': {
      const { readIcs } = await import('./read-ics.ts');
      yield* readIcs(file, onBytes, period);
      return;
    }
    case 'csv':
    case 'exchange':
    case 'google': {
      yield* readCsv(file, onBytes, dates, ({ kind }) => {
        if (kind !== 'table') onFormat(kind);
      });
      return;
    }
    case 'pst':
      // docs/decisions/0067-import-of-many-emails.md says why.
      yield { row: 1, reason: "PST files aren't supported. Export them as mbox or eml." };
      return;
    case 'unknown':
    default:
      yield {
        row: 1,
        reason:
          'The format is not known. Use JSON, CSV, mbox, e-mails (.eml or a ZIP of them) or a calendar (.ics)',
      };
  }
}
