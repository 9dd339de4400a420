/** The header of an e-mail: who wrote to whom, when. Bodies are never read. */
import { addressParser } from 'postal-mime';
import { parseDate } from './items.ts';
import type { Address, Mend, RawItem } from './items.ts';

/** A field that is read, with its continuation lines. The others are most of a header: a search passes over them without a text for each line. */
const FIELD =
  /(?<![^\n])(from|sender|to|cc|bcc|date|message-id|delivered-to|x-original-to|resent-date)[ \t]*:[ \t]*([^\n]*(?:\n[ \t][^\n]*)*)/gi;
const CONTINUATION = /\r?\n[ \t]+/g;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const western = new TextDecoder('windows-1252');

/** Headers are ASCII or UTF-8 (RFC 6532); older programs wrote Windows-1252. */
function decodeHeader(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return western.decode(bytes);
  }
}

/** The fields of a header by lower-case name, unfolded; the first of repeated fields counts, lists of recipients are joined. */
function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, label = '', folded = ''] of text.matchAll(FIELD)) {
    const name = label.toLowerCase();
    const value = folded.replaceAll(CONTINUATION, ' ').trimEnd();
    const known = fields.get(name);
    if (known === undefined) fields.set(name, value);
    else if (name === 'to' || name === 'cc') fields.set(name, `${known}, ${value}`);
  }
  return fields;
}

type ParsedAddress = ReturnType<typeof addressParser>[number];

/** Flattens groups (RFC 5322, 3.4), which the parser returns nested. */
function flatten(parsed: readonly ParsedAddress[], mends: Set<Mend>): Address[] {
  return parsed.flatMap((one) => {
    if (one.group === undefined) return [{ address: one.address ?? '', name: one.name }];
    // An empty group, such as "undisclosed-recipients:;", names nobody.
    if (one.group.length > 0) mends.add('groupFlattened');
    return flatten(one.group, mends);
  });
}

/** An encoded word (RFC 2047) that could not be decoded. */
const ENCODED_WORD = /=\?[\w-]+\?/;

/** Most characters of one address field: 5,000 addresses of the longest kind with their names. */
const MAX_FIELD_CHARS = 4 * 1024 * 1024;

function parseAddresses(field: string | undefined, mends: Set<Mend>): Address[] {
  if (field === undefined) return [];
  const addresses = flatten(addressParser(field.slice(0, MAX_FIELD_CHARS)), mends);
  for (const one of addresses)
    if (ENCODED_WORD.test(one.name)) {
      one.name = '';
      mends.add('textRepaired');
    }
  return addresses;
}

/**
 * Parses the header block of an e-mail.
 * @param delivered when the mailbox received it, for mails without a readable date
 */
export function parseMailHeader(bytes: Uint8Array, row: number, delivered?: number): RawItem {
  const fields = readFields(decodeHeader(bytes));
  const mends = new Set<Mend>();
  const dateField = fields.get('date') ?? fields.get('resent-date');
  const parsed = dateField === undefined ? undefined : parseDate(dateField);
  let date = parsed?.date;
  if (parsed?.isZoneMissing === true && !Number.isNaN(parsed.date)) mends.add('zoneAssumed');
  if ((date === undefined || Number.isNaN(date)) && delivered !== undefined && !Number.isNaN(delivered)) {
    date = delivered;
    mends.add('dateReplaced');
  }
  const senders = parseAddresses(fields.get('from') ?? fields.get('sender'), mends);
  if ((fields.get('bcc') ?? '') !== '') mends.add('bccOmitted');
  const [owner] = parseAddresses(fields.get('delivered-to') ?? fields.get('x-original-to'), new Set());
  return {
    kind: 'emails',
    row,
    uniqueId: fields.get('message-id'),
    date,
    from: senders.find(({ address }) => address !== '') ?? senders[0],
    to: parseAddresses(fields.get('to'), mends),
    cc: parseAddresses(fields.get('cc'), mends),
    ...(owner?.address !== undefined && owner.address !== '' && { mailbox: owner.address }),
    mends: [...mends],
  };
}

/** Longest header block that is read. */
export const MAX_HEADER_BYTES = 8 * 1024 * 1024;

/** Index after the last byte of the header block: before the first empty line; undefined if it is not in these bytes. */
export function findHeaderEnd(bytes: Uint8Array, from = 0): number | undefined {
  for (let at = bytes.indexOf(10, from); at >= 0; at = bytes.indexOf(10, at + 1)) {
    const next = bytes[at + 1];
    if (next === 10 || (next === 13 && bytes[at + 2] === 10)) return at + 1;
  }
  return undefined;
}
