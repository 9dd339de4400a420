/** Reading of the CSV sheets in a backup. */
import { type BackupFile, InvalidBackupError, listColumns, type Member } from '../../areas/backups/index.ts';
import type { TableSheet } from '../../kernel/backup-sheets.ts';

/** A row of a sheet: an empty cell is null, two quotes are an empty text. */
export type CsvRow = (string | null)[];

/** Size of a batch of rows: number of rows, and approximate number of characters. */
const MAX_BATCH_ROWS = 5_000;
const MAX_BATCH_CHARACTERS = 4_000_000;

const countCharacters = (cells: CsvRow): number => cells.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);

/** Groups rows into batches of limited size. */
async function* batchRows(chunks: AsyncIterable<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  let batch: CsvRow[] = [];
  let characters = 0;
  for await (const rows of chunks)
    for (const cells of rows) {
      batch.push(cells);
      characters += countCharacters(cells);
      if (batch.length < MAX_BATCH_ROWS && characters < MAX_BATCH_CHARACTERS) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
  if (batch.length > 0) yield batch;
}

/**
 * Reads the rows of a sheet in batches, without the header.
 * @throws InvalidBackupError when the header or the number of rows differs from what is expected
 */
export async function* readRows(
  file: BackupFile,
  name: string,
  header: readonly string[],
): AsyncGenerator<CsvRow[]> {
  const member = getMember(file, name);
  let rowCount = 0;
  let isHeader = true;
  async function* readBody() {
    for await (const rows of parseCsvRows(file.read(member), name)) {
      if (isHeader && rows[0]?.join('\n') !== header.join('\n'))
        throw new InvalidBackupError(`${name} has columns that this version of the service does not know`);
      yield isHeader ? rows.slice(1) : rows;
      isHeader = false;
    }
  }
  for await (const batch of batchRows(readBody())) {
    rowCount += batch.length;
    yield batch;
  }
  if (rowCount !== member.rows)
    throw new InvalidBackupError(`${name} has ${rowCount} rows, but the manifest says ${member.rows}`);
}

/** The member of the manifest with this name. @throws InvalidBackupError */
export function getMember({ manifest }: Pick<BackupFile, 'manifest'>, name: string): Member {
  const member = manifest.members.find((candidate) => candidate.name === name);
  if (!member) throw new InvalidBackupError(`The backup does not contain ${name}`);
  return member;
}

/** Reads the rows of a table's sheet as records of texts; columns that an older format did not have are undefined. */
export async function* readRecords(
  file: BackupFile,
  sheet: TableSheet,
): AsyncGenerator<Record<string, string | null>[]> {
  const names = listColumns(sheet, file.manifest.formatVersion).map(({ name }) => name);
  for await (const rows of readRows(file, sheet.name, names))
    yield rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])));
}

const QUOTE = 34;
const COMMA = 44;
const NEWLINE = 10;

const malformedError = (name: string) =>
  new InvalidBackupError(`The file is damaged: ${name} is not valid CSV`);

/** Parses the row that starts at `start` and returns the start of the next one; undefined if the row is incomplete. */
function parseRow(text: string, start: number, name: string): { cells: CsvRow; next: number } | undefined {
  const cells: CsvRow = [];
  for (let cellStart = start; ;) {
    let end: number;
    if (text.charCodeAt(cellStart) === QUOTE) {
      end = text.indexOf('"', cellStart + 1);
      let hasDoubledQuotes = false;
      while (end !== -1 && text.charCodeAt(end + 1) === QUOTE) {
        hasDoubledQuotes = true;
        end = text.indexOf('"', end + 2);
      }
      if (end === -1 || end + 1 >= text.length) return undefined;
      const value = text.slice(cellStart + 1, end);
      cells.push(hasDoubledQuotes ? value.replaceAll('""', '"') : value);
      end += 1;
    } else {
      end = cellStart;
      for (let code = text.charCodeAt(end); code !== COMMA && code !== NEWLINE; code = text.charCodeAt(end)) {
        if (Number.isNaN(code)) return undefined;
        if (code === QUOTE) throw malformedError(name);
        end += 1;
      }
      cells.push(end === cellStart ? null : text.slice(cellStart, end));
    }
    const separator = text.charCodeAt(end);
    if (separator === NEWLINE) return { cells, next: end + 1 };
    if (separator !== COMMA) throw malformedError(name);
    cellStart = end + 1;
  }
}

/** Parses all complete rows of a text and returns the end of the last one. */
function parseRows(
  text: string,
  name: string,
  columnCount: number | undefined,
): { rows: CsvRow[]; next: number } {
  const rows: CsvRow[] = [];
  let next = 0;
  for (let row = parseRow(text, next, name); row; row = parseRow(text, next, name)) {
    if (row.cells.length !== (columnCount ?? rows[0]?.length ?? row.cells.length)) throw malformedError(name);
    rows.push(row.cells);
    next = row.next;
  }
  return { rows, next };
}

/**
 * Parses a CSV file in chunks; all rows must have as many cells as the first.
 * @throws InvalidBackupError for CSV that the service would not write
 */
async function* parseCsvRows(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<CsvRow[]> {
  // U+FEFF at the start is part of the text, not a byte order mark.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  let minLength = 0;
  let columnCount: number | undefined;
  for await (const chunk of chunks) {
    rest += decode(decoder, chunk, name);
    // Avoids parsing an incomplete row of many megabytes again for each chunk.
    if (rest.length < minLength) continue;
    const { rows, next } = parseRows(rest, name, columnCount);
    rest = rest.slice(next);
    minLength = rows.length === 0 ? rest.length * 2 : 0;
    columnCount ??= rows[0]?.length;
    if (rows.length > 0) yield rows;
  }
  const { rows, next } = parseRows(rest, name, columnCount);
  if (next !== rest.length) throw malformedError(name);
  if (rows.length > 0) yield rows;
}

function decode(decoder: TextDecoder, chunk: Buffer, name: string): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw malformedError(name);
  }
}
