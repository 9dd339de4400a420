import { scanJson } from '../../contract/rules/json/scan.ts';
import { formatCellText } from '../../contract/rules/tables/cells.ts';
import { parseCsv, splitHeading } from './csv/parse-csv.ts';
import { decodeText } from './table/decode-text.ts';
import { MAX_CELLS } from './table/limits.ts';
import type { ReadOptions, Table, TableError } from './table/table.ts';
import type { readWorkbook } from './workbook/read-workbook.ts';

/** Start of a JSON object or of a list of objects; no table heading looks like this. */
const JSON_START = /^\s*(?:\{\s*"|\[\s*(?:\{|\]\s*$))/;

const OLE_SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0];
const isOleFile = (bytes: Uint8Array): boolean => OLE_SIGNATURE.every((byte, at) => bytes[at] === byte);

const isZipFile = ([first, second]: Uint8Array): boolean => first === 0x50 && second === 0x4b;

/** Reads a table from a CSV, JSON or XLSX file; returns a message if that is not possible. */
export async function readTable(
  file: Blob,
  onProgress: (share: number) => void,
  options: ReadOptions = {},
): Promise<Table | TableError> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const table = isZipFile(start)
    ? await loadAndReadWorkbook(file, onProgress, options.sheet)
    : readText(new Uint8Array(await file.arrayBuffer()), onProgress, options);
  if ('error' in table || table.rows.length > 0) return table;
  // The user can choose another sheet.
  const isOneOf = table.source.kind === 'workbook' && table.source.sheets.some(({ rows }) => rows > 0);
  return isOneOf ? table : { error: 'The file has a heading and no rows under it.' };
}

function readText(
  bytes: Uint8Array<ArrayBuffer>,
  onProgress: (share: number) => void,
  options: ReadOptions,
): Table | TableError {
  if (isOleFile(bytes))
    return {
      error: 'This is an old (.xls) or protected workbook. Save it as XLSX or CSV.',
    };
  const { text, encoding } = decodeText(bytes, options.encoding);
  // Every byte is valid Windows-1252, but a text contains no null character.
  if (encoding === 'windows-1252' && text.includes('\0'))
    return { error: 'This file is neither text nor a workbook. Choose a CSV, XLSX or JSON file.' };
  if (text.trim() === '') return { error: 'The file is empty.' };
  if (JSON_START.test(text)) return parseJsonTable(text);
  const { headings, rows, separator } = parseCsv(text, onProgress, options.separator);
  return { headings, rows, source: { kind: 'text', separator, encoding } };
}

async function loadAndReadWorkbook(...options: Parameters<typeof readWorkbook>): Promise<Table | TableError> {
  // Loaded on demand: the workbook reader is large and most files are text.
  const { readWorkbook: read } = await import('./workbook/read-workbook.ts');
  return read(...options);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts a JSON value to the text of a CSV cell; objects stay JSON. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return formatCellText(value);
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number');
  return isList ? formatCellText(value) : JSON.stringify(value);
}

/** The rows of a JSON file are counted from 1. */
function formatJsonIssue({ path, message }: { path: string; message: string }): string {
  const [index = '', ...names] = path.split('.');
  if (!/^\d+$/.test(index)) return `${path}: ${message}.`;
  const name = names.join('.');
  return `Object ${Number(index) + 1}${name === '' ? '' : `, ${name}`}: ${message}.`;
}

/** Parses a JSON list of objects as rows with the property names as headings. */
function parseJsonTable(text: string): Table | TableError {
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return { error: 'This file starts as JSON but is invalid. It may be cut off at the end.' };
  }
  const { issues } = scanJson(text, { rootPath: 'The file', maxIssues: 1, parseText: JSON.parse });
  const [issue] = issues;
  if (issue) return { error: formatJsonIssue(issue) };
  if (!Array.isArray(rows) || !rows.every(isObject))
    return { error: 'A JSON file must be a list of objects, one per row.' };
  if (rows.length === 0) return { error: 'The list in the file is empty.' };
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  const headings = [...names];
  if (headings.length * rows.length > MAX_CELLS)
    return { error: 'The objects have too many different property names. Split the file.' };
  const values = rows.map((row) => new Map<string, unknown>(Object.entries(row)));
  const records = values.map((row) => headings.map((heading) => cellText(row.get(heading))));
  return { ...splitHeading([headings, ...records]), source: { kind: 'json' } };
}
