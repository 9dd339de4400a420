/**
 * Makes CSV of stored rows without making objects of them: most values are in the file as they are in the text of the database, so
 * their bytes are copied. All others are parsed and formatted as in exports of other formats, which decide what a cell contains.
 */
import { FIELD, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { formatCsvCell } from '../../../../contract/rules/tables/csv.ts';
import type { ColumnPart, EntryColumn } from '../../../../contract/rules/tables/entry-columns.ts';
import {
  createNamesReader,
  createValueReader,
  type StoredField,
  type StoredNames,
  type StoredRows,
} from './stored-values.ts';

/** Codes of characters. */
const SPACE = 0x20;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const EQUALS = 0x3d;
const AT_SIGN = 0x40;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** First byte of the full-width forms of characters with which formulas start, and of many others. */
const FULL_WIDTH = 0xef;

type ColumnSource = NonNullable<EntryColumn['source']>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

const TRUE = encode('true');
const FALSE = encode('false');
const YES = encode('"Yes"');
const NO = encode('"No"');
const EMPTY = encode('""');
/** Quote and apostrophe before a text that looks like a formula. */
const GUARDED_START = encode(`"'`);
const LINE_END = encode('\r\n');
const ZERO_FRACTION = encode('.000');
/** Parts of a stored amount: `{"value": 12.5, "currencyCode": "EUR"}`. */
const AMOUNT_START = encode('{"value": ');
const CURRENCY_START = encode(', "currencyCode": ');

/** Length of a stored day with its quotes: `"2026-11-23"`. */
const QUOTED_DAY_LENGTH = 12;
/** Length of a stored time with its quotes, `"2026-11-23T21:30:00.000Z"`, and of its part before the fraction of a second. */
const QUOTED_TIME_LENGTH = 26;
const QUOTED_SECONDS_LENGTH = 20;
/** Decimals of up to 15 digits are written alike by the database and by String(number), from 0.000001 on. */
const MAX_NUMBER_LENGTH = 15;
const MAX_FRACTION_LENGTH = 6;

/** Fewer bytes are copied faster one by one. */
const MIN_BLOCK_LENGTH = 48;
const BUFFER_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_CELLS = 5_000;

/** Bytes that are appended to. */
class ByteWriter {
  #bytes = new Uint8Array(BUFFER_BYTES);
  #length = 0;

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(needed * 2);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  writeByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** Appends the bytes of `source` from `start` to `end`. */
  copy(source: Uint8Array, start = 0, end = source.length): void {
    const count = end - start;
    this.#reserve(count);
    const bytes = this.#bytes;
    const to = this.#length;
    if (count >= MIN_BLOCK_LENGTH) bytes.set(source.subarray(start, end), to);
    else for (let offset = 0; offset < count; offset += 1) bytes[to + offset] = source[start + offset] ?? 0;
    this.#length = to + count;
  }

  /** Returns what was written, in the memory of `spare` if that is large enough, and starts over. */
  take(spare?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const capacity = spare?.buffer.byteLength ?? 0;
    // Pages vary in size: some room lets the next ones use the same memory.
    const buffer =
      spare && capacity >= this.#length ? spare.buffer : new ArrayBuffer(this.#length + this.#length / 4);
    const written = new Uint8Array(buffer, 0, this.#length);
    written.set(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    if (this.#bytes.length > BUFFER_BYTES) this.#bytes = new Uint8Array(BUFFER_BYTES);
    return written;
  }
}

/**
 * Writes the cell of a value, which is at `start` to `end` of the text of rows, and returns true, or writes nothing where the value must be
 * parsed. `names` are those of the rows.
 */
type WriteCell = (...value: [...Parameters<WritePlainCell>, names: StoredNames]) => boolean;

/** The same for a value that does not depend on names. */
type WritePlainCell = (out: ByteWriter, bytes: Uint8Array, start: number, end: number) => boolean;

function matches(bytes: Uint8Array, start: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index += 1)
    if (bytes[start + index] !== expected[index]) return false;
  return true;
}

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

/** Recognizes numbers whose text String(number) would repeat: not with many digits, trailing zeros or small fractions. */
function isShortestNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_NUMBER_LENGTH) return false;
  let point = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === POINT) point = at;
    else if (!isDigit(byte) && !(byte === MINUS && at === start)) return false;
  }
  return point === 0 || (bytes[end - 1] !== ZERO && end - point - 1 <= MAX_FRACTION_LENGTH);
}

const writeNumber: WritePlainCell = (out, bytes, start, end) => {
  const isWritten = isShortestNumber(bytes, start, end);
  if (isWritten) out.copy(bytes, start, end);
  return isWritten;
};

/** Recognizes the first character of a text that spreadsheets take for a formula. */
const startsFormula = (byte: number): boolean =>
  byte === EQUALS || byte === PLUS || byte === MINUS || byte === AT_SIGN;

/** Without escapes the text of JSON is that of CSV. */
const writeText: WritePlainCell = (out, bytes, start, end) => {
  const first = bytes[start + 1] ?? 0;
  if (bytes[start] !== QUOTE || first === APOSTROPHE || first === FULL_WIDTH) return false;
  if (!startsFormula(first)) out.copy(bytes, start, end);
  else {
    out.copy(GUARDED_START);
    out.copy(bytes, start + 1, end);
  }
  return true;
};

const writeScalar: WritePlainCell = (out, bytes, start, end) => {
  const first = bytes[start] ?? 0;
  if (first === QUOTE) return writeText(out, bytes, start, end);
  if (first === MINUS || isDigit(first)) return writeNumber(out, bytes, start, end);
  const isTrue = matches(bytes, start, TRUE);
  if (!isTrue && !matches(bytes, start, FALSE)) return false;
  out.copy(isTrue ? YES : NO);
  return true;
};

const writeDay: WritePlainCell = (out, bytes, start, end) =>
  end - start === QUOTED_DAY_LENGTH && writeText(out, bytes, start, end);

/** A time in UTC, without the fraction of a second if it is zero. */
const writeUtcTime: WritePlainCell = (out, bytes, start, end) => {
  if (end - start !== QUOTED_TIME_LENGTH || bytes[start] !== QUOTE) return false;
  const fraction = start + QUOTED_SECONDS_LENGTH;
  if (!matches(bytes, fraction, ZERO_FRACTION)) return writeText(out, bytes, start, end);
  out.copy(bytes, start, fraction);
  out.copy(bytes, end - 2, end);
  return true;
};

/** Start of the currency of a stored amount; -1 if the value does not look like one. */
function findCurrency(bytes: Uint8Array, start: number, end: number): number {
  if (!matches(bytes, start, AMOUNT_START)) return -1;
  let at = start + AMOUNT_START.length;
  while (at < end && bytes[at] !== COMMA) at += 1;
  return matches(bytes, at, CURRENCY_START) ? at : -1;
}

const writeAmount: WritePlainCell = (out, bytes, start, end) => {
  const currency = findCurrency(bytes, start, end);
  return currency >= 0 && writeNumber(out, bytes, start + AMOUNT_START.length, currency);
};

const writeCurrency: WritePlainCell = (out, bytes, start, end) => {
  const currency = findCurrency(bytes, start, end);
  return currency >= 0 && writeText(out, bytes, currency + CURRENCY_START.length, end - 1);
};

const writeNothing: WriteCell = () => false;

/** The id at `start` to `end`; -1 for anything else. */
function parseId(bytes: Uint8Array, start: number, end: number): number {
  let id = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (!isDigit(byte)) return -1;
    id = id * 10 + byte - ZERO;
  }
  return id;
}

type FormatValue = (value: unknown, names: StoredNames) => string;

/** Cells of users or entries. A name is encoded once, and again where another page has another name for the id. */
function createNameWriter(field: StoredField, part: ColumnPart, format: FormatValue): WriteCell {
  const cells = new Map<number, { name: string; cell: Uint8Array }>();
  return (out, bytes, start, end, names) => {
    const id = parseId(bytes, start, end);
    const item = names.get(field).get(id);
    if (!item) return false;
    if (part === 'id') {
      out.copy(bytes, start, end);
      return true;
    }
    let known = cells.get(id);
    if (known?.name !== item.name) {
      if (cells.size >= MAX_CACHED_CELLS) cells.clear();
      known = { name: item.name, cell: encode(format(id, names)) };
      cells.set(id, known);
    }
    out.copy(known.cell);
    return true;
  };
}

/** Cells of choices, which are the same in all rows, by the text of the value: one id or several. */
function createChoiceWriter(format: FormatValue): WriteCell {
  const cells = new Map<string | number, Uint8Array>();
  return (out, bytes, start, end, names) => {
    const id = parseId(bytes, start, end);
    const key = id < 0 ? decoder.decode(bytes.subarray(start, end)) : id;
    let cell = cells.get(key);
    if (!cell) {
      if (cells.size >= MAX_CACHED_CELLS) cells.clear();
      cell = encode(format(id < 0 ? JSON.parse(String(key)) : id, names));
      cells.set(key, cell);
    }
    out.copy(cell);
    return true;
  };
}

/** Returns the writer of the cells of a column. */
function getWriter(field: StoredField, source: ColumnSource, zone: string, format: FormatValue): WriteCell {
  const { fieldType, isDateOnly, isMultiSelect } = field;
  const { part, isMoney } = source;
  if (fieldType === FIELD.choice) return createChoiceWriter(format);
  if (isIdField(fieldType)) return isMultiSelect ? writeNothing : createNameWriter(field, part, format);
  if (isMoney) return part === 'value' ? writeAmount : writeCurrency;
  if (fieldType !== FIELD.date) return writeScalar;
  if (isDateOnly) return writeDay;
  return zone === 'UTC' ? writeUtcTime : writeNothing;
}

/** A column of the file. */
interface CellColumn {
  /** Index of the field in the order of ids. */
  field: number;
  write: WriteCell;
  /** Cell of a parsed value. */
  format: FormatValue;
}

function createColumn(sortedFields: readonly StoredField[], source: ColumnSource, zone: string): CellColumn {
  const index = sortedFields.findIndex(({ apiName }) => apiName === source.apiName);
  const field = sortedFields[index];
  if (!field) throw new Error(`The field ${source.apiName} is not read`);
  const read = createValueReader(field);
  const format: FormatValue = (value, names) => formatCsvCell(source.toCell(read(value, names.get(field))));
  return { field: index, write: getWriter(field, source, zone, format), format };
}

interface CsvFormat {
  /** Fields without files. */
  fields: readonly StoredField[];
  /** Columns of the file, of which the first is the id of the entry. */
  columns: readonly EntryColumn[];
  zone: string;
}

/** Returns a function that makes the CSV of rows, in the memory of `spare` if that is large enough. @throws Error for a text that is not complete */
export function createCsvScanner({
  fields,
  columns,
  zone,
}: CsvFormat): (rows: StoredRows, spare?: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> {
  const sortedFields = fields.toSorted((one, other) => one.id - other.id);
  const fieldIds = Int32Array.from(sortedFields, ({ id }) => id);
  const cellColumns = columns.flatMap(({ source }) =>
    source ? createColumn(sortedFields, source, zone) : [],
  );
  const starts = new Int32Array(fieldIds.length);
  const ends = new Int32Array(fieldIds.length);
  const areEscaped = new Uint8Array(fieldIds.length);
  const out = new ByteWriter();
  const readNames = createNamesReader(fields);
  let names: StoredNames = readNames(NO_ROWS);
  let bytes: Uint8Array = new Uint8Array(0);
  let hasEscape = false;

  /** Position after a text that starts at `start`. */
  function skipText(start: number): number {
    for (let at = start + 1; ; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        hasEscape = true;
        at += 1;
      } else if (byte === undefined) throw new Error('The text of a row is incomplete');
    }
  }

  /** Position after a value that starts at `start`. Texts in it decide whether it `hasEscape`. */
  function skipValue(start: number): number {
    let depth = 0;
    for (let at = start; ; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = skipText(at);
        if (depth === 0) return at;
        at -= 1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (byte === COMMA && depth === 0) return at;
      else if (byte === undefined) throw new Error('The text of a row is incomplete');
    }
  }

  const skipSpaces = (start: number): number => {
    let at = start;
    while (bytes[at] === SPACE) at += 1;
    return at;
  };

  /** Notes where the values of a row are, from the brace at `start`. Returns the position after the row. */
  function findValues(start: number): number {
    ends.fill(0);
    let field = 0;
    let at = start + 1;
    while (bytes[at] !== CLOSE_BRACE) {
      let id = 0;
      // jsonb has its keys in this order: shorter ones first, so that numbers ascend.
      for (at = skipSpaces(at) + 1; bytes[at] !== QUOTE; at += 1) id = id * 10 + (bytes[at] ?? 0) - ZERO;
      at = skipSpaces(at + 2);
      while (field < fieldIds.length && (fieldIds[field] ?? 0) < id) field += 1;
      const valueStart = at;
      hasEscape = false;
      at = skipValue(at);
      if (fieldIds[field] === id) {
        starts[field] = valueStart;
        ends[field] = at;
        areEscaped[field] = hasEscape ? 1 : 0;
      }
      if (bytes[at] === COMMA) at += 1;
    }
    return at + 2;
  }

  function writeCell({ field, write, format }: CellColumn): void {
    const start = starts[field] ?? 0;
    const end = ends[field] ?? 0;
    if (end === 0) out.copy(EMPTY);
    else if (areEscaped[field] !== 0 || !write(out, bytes, start, end, names))
      out.copy(encode(format(JSON.parse(decoder.decode(bytes.subarray(start, end))), names)));
  }

  function writeRows(): void {
    for (let at = 0; at < bytes.length; at += 1) {
      // After the bracket of the row.
      const idStart = at + 1;
      const idEnd = skipValue(idStart);
      at = findValues(idEnd + 1);
      out.copy(bytes, idStart, idEnd);
      for (const column of cellColumns) {
        out.writeByte(COMMA);
        writeCell(column);
      }
      out.copy(LINE_END);
    }
  }

  return (rows, spare) => {
    names = readNames(rows);
    for (const text of rows.texts) {
      bytes = text;
      writeRows();
    }
    return out.take(spare);
  };
}

const NO_ROWS: StoredRows = { texts: [], users: encode('[]'), references: encode('[]') };
