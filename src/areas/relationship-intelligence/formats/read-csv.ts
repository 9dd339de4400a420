/** CSV files: an Exchange message trace, Google's e-mail log, or columns named as the import's own properties. */
import Papa from 'papaparse';
import { addressParser } from 'postal-mime';
import type { OnBytes } from '../../../files/read-chunks.ts';
import { isBroken, parseDate } from './items.ts';
import type { Address, BrokenRow, DateReading, Mend, RawItem, ReadRow } from './items.ts';
import { readLineBlocks } from './text-stream.ts';

type Field =
  | 'id'
  | 'date'
  | 'modified'
  | 'end'
  | 'sender'
  | 'senderName'
  | 'recipients'
  | 'recipientStatus'
  | 'cc'
  | 'mailbox'
  | 'userId'
  | 'event';

/** Headings in lower case without spaces and signs. */
const FIELDS: Readonly<Record<string, Field>> = {
  // The import's own names (spec 2.4) and close ones.
  uniqueid: 'id',
  id: 'id',
  sentdate: 'date',
  startdate: 'date',
  date: 'date',
  modifieddate: 'modified',
  enddate: 'end',
  sender: 'sender',
  from: 'sender',
  organizer: 'sender',
  sendername: 'senderName',
  recipientsto: 'recipients',
  recipients: 'recipients',
  attendees: 'recipients',
  to: 'recipients',
  recipientscc: 'cc',
  cc: 'cc',
  mailbox: 'mailbox',
  userid: 'userId',
  // Exchange: Get-MessageTraceV2, and the summary and extended reports.
  messageid: 'id',
  received: 'date',
  origintimestamp: 'date',
  origintimestamputc: 'date',
  datetimeutc: 'date',
  datetime: 'date',
  senderaddress: 'sender',
  recipientaddress: 'recipients',
  recipientstatus: 'recipientStatus',
  eventid: 'event',
};

/** What a CSV file is, for the summary of the file. */
type CsvKind = 'exchange' | 'google' | 'table';

export interface CsvLayout {
  kind: CsvKind;
  fields: readonly (Field | undefined)[];
  isMeetings: boolean;
}

const toKey = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Recognizes the columns of a heading; undefined if they are not those of e-mails or meetings. */
function recognizeColumns(headings: readonly string[]): CsvLayout | undefined {
  const keys = headings.map(toKey);
  const fields = keys.map((key) => FIELDS[key]);
  const has = (field: Field) => fields.includes(field);
  if (!has('date') || !has('sender') || !(has('recipients') || has('recipientStatus'))) return undefined;
  const isExchange = keys.includes('senderaddress') || keys.includes('recipientstatus');
  const isGoogle = keys.includes('messageid') && keys.includes('eventtarget');
  const isMeetings = keys.includes('organizer') || keys.includes('attendees');
  let kind: CsvKind = 'table';
  if (isExchange) kind = 'exchange';
  else if (isGoogle) kind = 'google';
  return { kind, fields, isMeetings };
}

/** `user@example.com##Receive, Deliver;other@example.com##Receive, Fail` of Exchange's summary report. */
const parseRecipientStatus = (text: string): Address[] =>
  text
    .split(';')
    .map((one) => one.split('##')[0]?.trim() ?? '')
    .filter((address) => address !== '')
    .map((address) => ({ address, name: '' }));

function parseList(text: string): Address[] {
  if (text.trim() === '') return [];
  // Lists of spreadsheets are separated by semicolons, which the parser knows, as it knows commas.
  return addressParser(text, { flatten: true }).map(({ address, name }) => ({
    address: address ?? '',
    name,
  }));
}

/** Removes the clock's zone label that the reports of Exchange do not write: their times are UTC. */
function readDate(text: string | undefined, dates: DateReading, mends: Set<Mend>): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const { date, isZoneMissing } = parseDate(text, dates);
  if (isZoneMissing && !Number.isNaN(date)) mends.add('zoneAssumed');
  return date;
}

/** Columns of a file and how its dates are read. */
interface CsvReading extends CsvLayout {
  dates: DateReading;
}

function readCells(
  cells: readonly string[],
  { fields, isMeetings, kind, dates }: CsvReading,
  row: number,
): RawItem {
  const values = new Map<Field, string>();
  for (const [at, field] of fields.entries()) {
    const text = cells[at];
    if (field !== undefined && text !== undefined && !values.has(field)) values.set(field, text);
  }
  const mends = new Set<Mend>();
  const date = readDate(values.get('date'), dates, mends);
  // The reports of Exchange are in UTC by definition, so that nothing is assumed.
  if (kind === 'exchange') mends.delete('zoneAssumed');
  const senders = parseList(values.get('sender') ?? '');
  // A name such as "Okafor, Ada" without quotation marks is two parties, the first without an address.
  const sender = senders.find(({ address }) => address !== '') ?? senders[0];
  const senderName = values.get('senderName')?.trim() ?? '';
  const userId = Number(values.get('userId') ?? '');
  const mailbox = values.get('mailbox')?.trim() ?? '';
  const status = values.get('recipientStatus');
  const recipients = values.get('recipients') ?? '';
  return {
    kind: isMeetings ? 'meetings' : 'emails',
    row,
    uniqueId: values.get('id'),
    date,
    modified: readDate(values.get('modified'), dates, new Set()),
    ...(isMeetings && { end: readDate(values.get('end'), dates, mends) }),
    from: sender && { ...sender, name: senderName === '' ? sender.name : senderName },
    to:
      recipients.trim() === '' && status !== undefined ? parseRecipientStatus(status) : parseList(recipients),
    cc: parseList(values.get('cc') ?? ''),
    ...(mailbox !== '' && { mailbox }),
    ...(Number.isInteger(userId) && userId > 0 && { userId }),
    mends: [...mends],
  };
}

/** Length of the text up to the last line end outside quotation marks. */
function findRecordEnd(text: string): number {
  let quotes = 0;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) quotes += 1;
    else if (code === 10 && quotes % 2 === 0) end = at + 1;
  }
  return end;
}

/** Most characters of a record: above it, a quotation mark was not closed. */
const MAX_RECORD_CHARS = 16 * 1024 * 1024;

/** Yields the records of a CSV file, empty lines too; the heading is the first that is not empty. */
async function* readRecords(
  file: Blob,
  onBytes: OnBytes,
): AsyncGenerator<{ cells: string[]; error?: string }> {
  let rest = '';
  let delimiter: string | undefined;
  function parse(text: string): { cells: string[]; error?: string }[] {
    delimiter ??= guessDelimiter(text);
    // Empty lines are kept: errors name rows by their position among all.
    const { data, errors } = Papa.parse<string[]>(text.replace(/\r?\n$/, ''), { delimiter });
    const reasons = new Map(
      errors.flatMap(({ type, row, message }) =>
        type === 'Quotes' && row !== undefined ? [[row, message] as const] : [],
      ),
    );
    return data.map((cells, at) => {
      const error = reasons.get(at);
      return error === undefined ? { cells } : { cells, error };
    });
  }
  for await (const block of readLineBlocks(file, onBytes)) {
    const text = rest + block;
    const end = findRecordEnd(text);
    // A quotation mark that is never closed must not collect the whole file.
    const cut = end === 0 && text.length > MAX_RECORD_CHARS ? text.length : end;
    if (cut > 0) yield* parse(text.slice(0, cut));
    rest = text.slice(cut);
  }
  if (rest !== '') yield* parse(rest);
}

const DELIMITERS = [',', ';', '\t'];

function guessDelimiter(text: string): string {
  const [heading = ''] = text.trimStart().split('\n', 1);
  const count = (one: string) => heading.split(one).length;
  return DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** Messages that are gathered at most while their rows may still come: recipients of a message are rows of their own. */
const MAX_OPEN_MESSAGES = 1_000_000;

/**
 * Reads a CSV file. Exchange and Google write one row for each recipient of a message; such rows become one e-mail.
 * @param onLayout called with the recognized columns before the first row
 */
export async function* readCsv(
  file: Blob,
  onBytes: OnBytes,
  dates: DateReading,
  onLayout: (layout: CsvLayout) => void,
): AsyncGenerator<ReadRow> {
  let layout: CsvLayout | undefined;
  let row = 0;
  const messages = new Map<string, RawItem>();
  for await (const { cells, error } of readRecords(file, onBytes)) {
    row += 1;
    if (error === undefined && cells.every((cell) => cell.trim() === '')) continue;
    if (!layout) {
      layout = recognizeColumns(cells);
      if (!layout) {
        yield {
          row,
          reason:
            'The columns are not known. Name them sentDate, sender and recipientsTo, or use a message trace',
        };
        return;
      }
      onLayout(layout);
      continue;
    }
    const item = readRecord(cells, error, { ...layout, dates }, row);
    const isGathered = layout.kind !== 'table' && !isBroken(item) && (item.uniqueId ?? '') !== '';
    if (!isGathered) yield item;
    else if (!mergeRecipients(messages, item)) messages.set(item.uniqueId ?? '', item);
    if (messages.size >= MAX_OPEN_MESSAGES) {
      yield* messages.values();
      messages.clear();
    }
  }
  yield* messages.values();
}

function readRecord(
  cells: readonly string[],
  error: string | undefined,
  reading: CsvReading,
  row: number,
): RawItem | BrokenRow {
  if (error !== undefined) return { row, reason: 'A quotation mark is not closed or not doubled' };
  try {
    return readCells(cells, reading, row);
  } catch (thrown) {
    return { row, reason: `The row cannot be read: ${thrown instanceof Error ? thrown.message : 'unknown'}` };
  }
}

/** Adds the recipients of a further row of a message; false for the first one. */
function mergeRecipients(messages: Map<string, RawItem>, { uniqueId = '', to, date }: RawItem): boolean {
  const known = messages.get(uniqueId);
  if (!known) return false;
  // oxlint-disable-next-line unicorn/prefer-spread -- pushes into the array that the item holds
  (known.to as Address[]).push(...to);
  // The events of a message are minutes apart; it was sent at the first.
  if (date !== undefined && known.date !== undefined && date < known.date) known.date = date;
  return true;
}
