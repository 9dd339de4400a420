/**
 * Items of an import as files have them, and the rules that make them legal (spec 2.4, limits of the contract). Pure: a value that
 * cannot be used gives a reason for its row and never an exception.
 */
import { startsWithCalendarDay } from '../../../../contract/rules/dates/dates.ts';
import { toEmailKey } from '../../../lib/text/email-key.ts';

export type ItemKind = 'emails' | 'meetings';

export interface Address {
  /** Empty where the file has only a name. */
  address: string;
  name: string;
}

/** A repair of an item that is imported all the same. */
export type Mend =
  | 'nameAdded'
  | 'bccOmitted'
  | 'groupFlattened'
  | 'addressOmitted'
  | 'exchangeNameOmitted'
  | 'exchangeNameReplaced'
  | 'idCreated'
  | 'idShortened'
  | 'nameShortened'
  | 'textRepaired'
  | 'zoneAssumed'
  | 'dateReplaced'
  | 'endAssumed'
  | 'occurrencesLimited';

/** One e-mail or meeting as a file has it. */
export interface RawItem {
  kind: ItemKind;
  /** Number of the row, message or event in its file, from 1. */
  row: number;
  uniqueId?: string | undefined;
  /** When it was sent or starts, in milliseconds since 1970; NaN for text that is no date. */
  date?: number | undefined;
  /** When it was last changed; by default `date`. */
  modified?: number | undefined;
  /** End of a meeting; by default its start. */
  end?: number | undefined;
  from?: Address | undefined;
  to: readonly Address[];
  cc: readonly Address[];
  /** Address of the mailbox that the file says it is from. */
  mailbox?: string | undefined;
  /** Id of the user whose item it is, in files of the import's own format. */
  userId?: number | undefined;
  mends?: readonly Mend[];
}

/** A row that cannot be imported. */
export interface BrokenRow {
  row: number;
  reason: string;
  /** What identifies the row for a person: an id, an address or a subject of the file's own naming. */
  label?: string | undefined;
}

/** What a reader yields for each row. */
export type ReadRow = RawItem | BrokenRow;

export const isBroken = (row: ReadRow): row is BrokenRow => 'reason' in row;

/** An item that the service accepts. */
export interface ImportItem {
  kind: ItemKind;
  row: number;
  uniqueId: string;
  date: number;
  modified: number;
  end: number;
  from: Address;
  to: readonly Address[];
  cc: readonly Address[];
  mailbox: string | undefined;
  userId: number | undefined;
  mends: readonly Mend[];
}

const MAX_ID_CHARS = 1000;
const MAX_NAME_CHARS = 500;
const MAX_ADDRESS_CHARS = 254;
/** Recipients of one list (contract, Email). */
const MAX_RECIPIENTS = 5000;

/** The form of addresses that the service validates (JSON Schema format `email`). */
const ADDRESS =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Distinguished name of an Exchange directory, alone or wrapped as an address (IMCEAEX). */
const EXCHANGE_NAME = /^(?:\/o=|imceaex-)/i;

const isAddress = (key: string): boolean => key.length <= MAX_ADDRESS_CHARS && ADDRESS.test(key);

/** The distinguished name that stands in place of an address, in lower case; undefined for anything else. */
function getExchangeName({ address, name }: Address): string | undefined {
  const text = (address === '' ? name : address).trim();
  return EXCHANGE_NAME.test(text) ? text.toLowerCase() : undefined;
}

/** Addresses by Exchange name, entered by the user. */
type ExchangeAddresses = ReadonlyMap<string, string>;

// C0 and C1 controls and the byte order mark are never part of a name or an id.
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\ufeff]+/g;

/** The text without control characters and lone surrogates, which JSON and the database refuse. */
function cleanText(text: string, mends: Set<Mend>): string {
  const cleaned = text.toWellFormed().replace(CONTROLS, ' ').trim();
  if (cleaned !== text.trim()) mends.add('textRepaired');
  return cleaned;
}

/**
 * A copy of the characters. Parts of a text keep all of it in memory: the id of each e-mail its whole header, a cell the part of the file
 * that it was read with.
 */
const copyText = (text: string): string => ` ${text}`.slice(1);

type Party = { address: Address } | { exchangeName: string } | { invalid: string };

/** Parties by address and name: the same few occur again and again, and each is kept once. */
export type Parties = Map<string, { party: Party; mends: readonly Mend[] }>;

/** Longer ones hardly occur again. */
const MAX_KNOWN_CHARS = 200;

/** Facts about an import that items do not hold. */
export interface ItemKnowledge {
  exchangeAddresses: ExchangeAddresses;
  /** The parties of all items that were made legal with the same Exchange names. */
  parties: Parties;
}

function normalizeAddress(
  raw: Address,
  { exchangeAddresses, parties }: ItemKnowledge,
  mends: Set<Mend>,
): Party {
  const key = `${raw.address.length} ${raw.address}${raw.name}`;
  let known = parties.get(key);
  if (!known) {
    const found = new Set<Mend>();
    known = { party: normalizeNewAddress(raw, exchangeAddresses, found), mends: [...found] };
    if (key.length <= MAX_KNOWN_CHARS) parties.set(key, known);
  }
  for (const mend of known.mends) mends.add(mend);
  return known.party;
}

function normalizeNewAddress(raw: Address, names: ExchangeAddresses, mends: Set<Mend>): Party {
  const exchangeName = getExchangeName(raw);
  const replacement = exchangeName === undefined ? undefined : names.get(exchangeName);
  if (exchangeName !== undefined && replacement === undefined) return { exchangeName };
  if (replacement !== undefined) mends.add('exchangeNameReplaced');
  const address = toEmailKey(cleanText(replacement ?? raw.address, mends));
  if (!isAddress(address)) return { invalid: raw.address === '' ? raw.name : raw.address };
  let name = cleanText(exchangeName === undefined || raw.address !== '' ? raw.name : '', mends);
  if (name === '') mends.add('nameAdded');
  if (name.length > MAX_NAME_CHARS) {
    name = name.slice(0, MAX_NAME_CHARS).toWellFormed();
    mends.add('nameShortened');
  }
  return { address: { address: copyText(address), name: copyText(name === '' ? address : name) } };
}

function normalizeList(list: readonly Address[], knowledge: ItemKnowledge, mends: Set<Mend>): Address[] {
  const found = new Map<string, Address>();
  for (const raw of list) {
    const party = normalizeAddress(raw, knowledge, mends);
    if ('exchangeName' in party) mends.add('exchangeNameOmitted');
    else if ('invalid' in party) mends.add('addressOmitted');
    else if (!found.has(party.address.address)) found.set(party.address.address, party.address);
  }
  return [...found.values()];
}

/** Two 32-bit FNV-1a hashes with different seeds, in hexadecimal digits: an id that is the same in every import of the item. */
function hashText(text: string): string {
  let [first, second] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x85ebca6b);
    second ^= second >>> 13;
  }
  return [first, second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function normalizeId(raw: RawItem, from: Address, to: readonly Address[], mends: Set<Mend>): string {
  const id = cleanText(raw.uniqueId ?? '', mends).replace(/^<(.*)>$/, '$1');
  if (id === '') {
    mends.add('idCreated');
    const parties = [from, ...to].map(({ address }) => address).join(' ');
    return `created-${hashText(`${raw.kind} ${raw.date} ${raw.end ?? ''} ${parties}`)}`;
  }
  if (id.length <= MAX_ID_CHARS) return copyText(id);
  mends.add('idShortened');
  return `${id.slice(0, MAX_ID_CHARS - 17).toWellFormed()}-${hashText(id)}`;
}

/** The latest time of a date in JavaScript's and PostgreSQL's common range that an import can mean. */
const LATEST = Date.UTC(9999, 11, 31);

/** Makes an item legal, or says why that is impossible. */
export function normalizeItem(raw: RawItem, knowledge: ItemKnowledge): ImportItem | BrokenRow {
  const { kind, row } = raw;
  const mends = new Set<Mend>(raw.mends);
  const label = raw.uniqueId === undefined || raw.uniqueId === '' ? raw.from?.address : raw.uniqueId;
  const refuse = (reason: string): BrokenRow => ({
    row,
    reason: copyText(reason),
    label: label && copyText(label),
  });
  const noun = kind === 'emails' ? 'sender' : 'organizer';
  if (raw.date === undefined) return refuse('Has no date');
  if (Number.isNaN(raw.date) || raw.date > LATEST) return refuse('Has a date that cannot be read');
  if (raw.date < 0) return refuse('Has a date before 1970');
  if (!raw.from) return refuse(`Has no ${noun}`);
  const sender = normalizeAddress(raw.from, knowledge, mends);
  if ('exchangeName' in sender) return refuse(`The ${noun} is the Exchange name ${sender.exchangeName}`);
  if ('invalid' in sender)
    return refuse(
      sender.invalid.trim() === ''
        ? `Has no ${noun}`
        : `The ${noun} has no valid e-mail address: ${cleanText(sender.invalid, mends).slice(0, 200)}`,
    );
  const longest = Math.max(raw.to.length, raw.cc.length);
  if (longest > MAX_RECIPIENTS) return refuse(`Has ${longest} recipients; ${MAX_RECIPIENTS} are possible`);
  let to = normalizeList(raw.to, knowledge, mends);
  let cc = normalizeList(raw.cc, knowledge, mends);
  // A mail that names its recipients only as copies still has recipients (spec 2.4: at least 1).
  if (to.length === 0) [to, cc] = [cc, []];
  if (to.length === 0) return refuse(kind === 'emails' ? 'Has no recipients' : 'Has no attendees');
  const end = raw.end === undefined || Number.isNaN(raw.end) || raw.end < raw.date ? raw.date : raw.end;
  if (kind === 'meetings' && end !== raw.end) mends.add('endAssumed');
  const { modified = raw.date } = raw;
  return {
    kind,
    row,
    uniqueId: normalizeId(raw, sender.address, to, mends),
    date: raw.date,
    modified: Number.isNaN(modified) || modified < 0 ? raw.date : modified,
    end,
    from: sender.address,
    to,
    cc,
    mailbox: raw.mailbox === undefined ? undefined : toEmailKey(raw.mailbox),
    userId: raw.userId,
    mends: [...mends],
  };
}

const copyAddress = ({ address, name }: Address): Address => ({
  address: copyText(address),
  name: copyText(name),
});

/** A copy of an item that is kept as its file has it. */
export const copyItem = (raw: RawItem): RawItem => ({
  ...raw,
  uniqueId: raw.uniqueId && copyText(raw.uniqueId),
  from: raw.from && copyAddress(raw.from),
  to: raw.to.map(copyAddress),
  cc: raw.cc.map(copyAddress),
  mailbox: raw.mailbox && copyText(raw.mailbox),
});

/** Distinguished names among the parties of an item. */
export const listExchangeNames = ({ from, to, cc }: RawItem): string[] =>
  [...(from ? [from] : []), ...to, ...cc].flatMap((one) => getExchangeName(one) ?? []);

const isExchangeName = (party: Address): boolean => getExchangeName(party) !== undefined;

/** Whether a party of an item is a distinguished name. */
export const hasExchangeName = ({ from, to, cc }: RawItem): boolean =>
  (from !== undefined && isExchangeName(from)) || to.some(isExchangeName) || cc.some(isExchangeName);

/** A zone at the end of a date. An offset follows a time: `-2026` may be a year. AM and PM are no names of zones. */
const ZONE = /(?:[zZ]|:\d{2}(?:[.,]\d+)?\s*(?:[AP]M\s*)?[+-]\d{2}:?\d{2}|\b(?![AP]M$)[A-Z]{2,4})$/;
/** A day with full stops comes first everywhere; the browser would read it as a month. */
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})\b/;

/** A day of numbers with slashes or dashes, which does not say whether the day or the month comes first. */
const EITHER_FIRST = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4}|(?<=\/)\d{2})(?!\d)/;
const MONTHS = 12;

/** Order of day and month in dates such as 3/4/2026. */
export type DateOrder = 'dmy' | 'mdy';

/** The order in which the dates of a file are read, and the orders that they show. */
export interface DateReading {
  readonly order: DateOrder;
  /** Orders that dates of the file have, because the other one gives no date; `both` for dates that are other days in each order. */
  readonly found: Set<DateOrder | 'both'>;
}

export const createDateReading = (order: DateOrder): DateReading => ({ order, found: new Set() });

/** The order of the dates of a file; `unknown` if they do not show it or show both, undefined if it does not matter. */
export const getDateOrder = ({ found }: DateReading): DateOrder | 'unknown' | undefined => {
  if (found.size === 0) return undefined;
  if (found.has('dmy') === found.has('mdy')) return 'unknown';
  return found.has('dmy') ? 'dmy' : 'mdy';
};

/** A day as exports of mail programs write it; the browser reads it, but accepts February 31 as March 3. */
const MONTH_FIRST = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})\b/;

const formatIsoDay = (year: string, month: string, day: string): string =>
  `${year.padStart(4, '20')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;

const toIsoDay = (text: string): string =>
  text.replace(DAY_FIRST, (_date, day: string, month: string, year: string) =>
    formatIsoDay(year, month, day),
  );

/** Puts the month first, as the browser reads it. */
const toMonthFirst = (text: string, { order, found }: DateReading): string =>
  text.replace(EITHER_FIRST, (_date, a: string, _sign, b: string, year: string) => {
    const [first, second] = [Number(a), Number(b)];
    if (first > MONTHS !== second > MONTHS) found.add(first > MONTHS ? 'dmy' : 'mdy');
    else if (first <= MONTHS && first !== second) found.add('both');
    return order === 'mdy' ? `${a}/${b}/${year}` : `${b}/${a}/${year}`;
  });

/**
 * Parses a date of a file; without a zone it is read as UTC (shapes 1), which `isZoneMissing` says.
 * `date` is NaN for text that is no date, and for a day that does not exist. Dates such as 3/4/2026 are read as `reading` says; those of
 * mails have the month by name.
 */
export function parseDate(
  text: string,
  reading = createDateReading('mdy'),
): { date: number; isZoneMissing: boolean } {
  const trimmed = toMonthFirst(toIsoDay(text.trim().replace(/\s*\([^()]*\)\s*$/, '')), reading);
  const isZoneMissing = !ZONE.test(trimmed);
  const day = trimmed.replace(MONTH_FIRST, (_date, month: string, number: string, year: string) =>
    formatIsoDay(year, month, number),
  );
  if (/^\d{4}-\d{2}-\d{2}/.test(day) && !startsWithCalendarDay(day))
    return { date: Number.NaN, isZoneMissing };
  const withZone = /^\d{4}-\d{2}-\d{2}$/.test(trimmed) ? `${trimmed}T00:00:00` : trimmed;
  const suffix = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(withZone) ? 'Z' : ' UTC';
  return { date: Date.parse(isZoneMissing ? `${withZone}${suffix}` : trimmed), isZoneMissing };
}
