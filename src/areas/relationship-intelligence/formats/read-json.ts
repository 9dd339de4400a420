/** JSON and NDJSON: the import's own request (spec 2.4), or a flat list of e-mails or meetings. */
import type { OnBytes } from '../../../files/read-chunks.ts';
import { decodeText } from '../../../files/table/decode-text.ts';
import { parseDate } from './items.ts';
import type { Address, DateReading, Mend, RawItem, ReadRow } from './items.ts';
import { readLines } from './text-stream.ts';

type Properties = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Properties are matched without regard to case, as the service matches them (shapes 1). */
const get = (object: Properties, name: string): unknown => {
  if (name in object) return object[name];
  const lower = name.toLowerCase();
  const key = Object.keys(object).find((one) => one.toLowerCase() === lower);
  return key === undefined ? undefined : object[key];
};

const getText = (object: Properties, name: string): string | undefined => {
  const value = get(object, name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
};

function toAddress(value: unknown): Address[] {
  if (typeof value === 'string') return [{ address: value, name: '' }];
  if (!isObject(value)) return [];
  return [{ address: getText(value, 'address') ?? '', name: getText(value, 'name') ?? '' }];
}

const toAddresses = (value: unknown): Address[] =>
  Array.isArray(value) ? value.flatMap(toAddress) : toAddress(value);

interface ItemContext {
  dates: DateReading;
  mends: Set<Mend>;
}

function toDate(object: Properties, name: string, { dates, mends }: ItemContext): number | undefined {
  const text = getText(object, name);
  if (text === undefined) return undefined;
  const { date, isZoneMissing } = parseDate(text, dates);
  if (isZoneMissing && !Number.isNaN(date)) mends.add('zoneAssumed');
  return date;
}

interface Owner {
  userId?: number | undefined;
  mailbox?: string | undefined;
}

function toItem(object: Properties, owner: Owner, row: number, dates: DateReading): RawItem {
  const mends = new Set<Mend>();
  const context = { dates, mends };
  const isMeeting = get(object, 'startDate') !== undefined || get(object, 'organizer') !== undefined;
  return {
    kind: isMeeting ? 'meetings' : 'emails',
    row,
    uniqueId: getText(object, 'uniqueId'),
    date: toDate(object, isMeeting ? 'startDate' : 'sentDate', context),
    modified: toDate(object, 'modifiedDate', context),
    ...(isMeeting && { end: toDate(object, 'endDate', context) }),
    from: toAddress(get(object, isMeeting ? 'organizer' : 'sender'))[0],
    to: toAddresses(get(object, isMeeting ? 'attendees' : 'recipientsTo')),
    cc: isMeeting ? [] : toAddresses(get(object, 'recipientsCc')),
    ...owner,
    mends: [...mends],
  };
}

/** Reads the values of a file one after the other: rows are counted over all items. */
class ValueReader {
  #row = 0;
  readonly #dates: DateReading;

  constructor(dates: DateReading) {
    this.#dates = dates;
  }

  *read(value: unknown): Generator<ReadRow> {
    if (!isObject(value)) {
      yield { row: (this.#row += 1), reason: 'Is not an object' };
      return;
    }
    const items = get(value, 'emails') ?? get(value, 'meetings');
    const owner = { userId: getUserId(value), mailbox: getText(value, 'mailbox') };
    if (items === undefined) {
      yield toItem(value, owner, (this.#row += 1), this.#dates);
      return;
    }
    const handler = get(value, 'handlerType');
    for (const item of Array.isArray(items) ? items : [items]) {
      const row = (this.#row += 1);
      if (handler !== undefined && handler !== 1)
        yield { row, reason: 'The handler type is not 1, which alone is available' };
      else if (isObject(item)) yield toItem(item, owner, row, this.#dates);
      else yield { row, reason: 'Is not an object' };
    }
  }

  breakRow(reason: string): ReadRow {
    return { row: (this.#row += 1), reason };
  }
}

function getUserId(object: Properties): number | undefined {
  const value = get(object, 'userId');
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** Largest file that is parsed as one JSON value; NDJSON has no limit. */
const MAX_JSON_BYTES = 400 * 1024 * 1024;

/** Reads a JSON file: a list, or one object. */
export async function* readJson(file: Blob, onBytes: OnBytes, dates: DateReading): AsyncGenerator<ReadRow> {
  const values = new ValueReader(dates);
  if (file.size > MAX_JSON_BYTES) {
    yield values.breakRow('A JSON file may have 400 MB. Write one object a line (NDJSON) instead');
    return;
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(decodeText(new Uint8Array(await file.arrayBuffer())).text);
  } catch {
    yield values.breakRow('The file starts as JSON but is invalid. It may be cut off at the end');
    return;
  }
  onBytes(file.size);
  for (const value of Array.isArray(parsed) ? parsed : [parsed]) yield* values.read(value);
}

/** Reads a file of one JSON value a line. */
export async function* readNdjson(file: Blob, onBytes: OnBytes, dates: DateReading): AsyncGenerator<ReadRow> {
  const values = new ValueReader(dates);
  for await (const line of readLines(file, onBytes)) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      yield values.breakRow('The line is not JSON');
      continue;
    }
    for (const one of Array.isArray(value) ? value : [value]) yield* values.read(one);
  }
}
