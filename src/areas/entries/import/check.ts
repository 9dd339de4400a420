import { FIELD } from '../../../../contract/rules/fields.ts';
import { nearKey } from '../../../../contract/rules/near-names.ts';
import { isRequiredNow } from '../../../../contract/rules/required-when.ts';
import type { Fault, FieldChange, Planned } from '../../import/plan.ts';
import { quoted } from '../../../files/read.ts';
import type { Field } from '../model/schema.ts';
import type { Book } from './book.ts';
import { isNeededAtOnce, rowsIn, withoutLost } from './rows-among.ts';
import { isSame } from './stored.ts';
import type { Held } from './stored.ts';
import type { Wish } from './wish.ts';
import { joinNames } from '../../../files/name-list.ts';
import { dateWords } from '../model/dates.ts';
import { calledIn } from './book.ts';

/** An entry that is there, as far as it was read: what its fields hold, by their ids. */
export interface Entry {
  id: number;
  held: ReadonlyMap<number, Held>;
}

/** A field that is sent: the value as the service takes it (shapes 4). */
export interface SentField {
  fieldId: number;
  value: string | number | boolean | number[] | null;
  currencyCode?: string;
  /** It names entries that rows of this file make: these come `first`, or it is set in a `later` call. */
  rows?: 'first' | 'later';
}

/** What has to be sent for a row. */
export interface Work {
  items: readonly SentField[];
  /** What the fields held when it was planned, by their ids. */
  before: Readonly<Record<number, Held | undefined>>;
  /** It is stored although others have nearly its name. */
  ignoreNearDups: boolean;
}

/** What rows are compared with. */
export interface Checking {
  fields: readonly Field[];
  bookOf: (field: Field) => Book;
  /** The entries that a row can mean by the chosen key; undefined: rows are not looked for, all are new. */
  entriesOf: (wish: Wish) => readonly Entry[] | undefined;
  /** What a row is told apart by, in words and as a text: two rows with the same spoil each other. */
  keyOf: (wish: Wish) => string | undefined;
  keyField: string;
  /** Names that are there by their near keys; undefined where nearly the same names are let in. */
  near: ReadonlyMap<string, { id: number; name: string }> | undefined;
}

const NOTHING: Work = { items: [], before: {}, ignoreNearDups: false };
const UNKNOWN = { changes: [], work: NOTHING, faults: [] };
const MOST_TOLD = 5;

const listed = (numbers: readonly number[]): string =>
  `${numbers.slice(0, MOST_TOLD).join(', ')}${numbers.length > MOST_TOLD ? ` and ${numbers.length - MOST_TOLD} more` : ''}`;

function grouped(wishes: readonly Wish[], keyOf: (wish: Wish) => string | undefined): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const wish of wishes) {
    const key = keyOf(wish);
    if (key === undefined) continue;
    const same = rows.get(key);
    if (same) same.push(wish.row);
    else rows.set(key, [wish.row]);
  }
  return rows;
}

/** Decides for every row what would become of it. */
export function checkRows(wishes: readonly Wish[], checking: Checking): Planned<Work>[] {
  const { keyOf, keyField, fields } = checking;
  const twins = grouped(wishes, keyOf);
  const key = fields.find(({ isKey }) => isKey);
  const nameOf = (wish: Wish): string | undefined => {
    const held = key && wish.wanted.get(key.id)?.held;
    return typeof held === 'string' ? held : undefined;
  };
  const nearTwins = checking.near
    ? grouped(wishes, (wish) => nearKey(nameOf(wish) ?? ''))
    : new Map<string, number[]>();
  const plans = wishes.map((wish) => {
    const same = twins.get(keyOf(wish) ?? '')?.filter((row) => row !== wish.row) ?? [];
    const faults: Fault[] =
      same.length > 0
        ? [
            {
              field: keyField,
              message: `The same stands in row${same.length === 1 ? '' : 's'} ${listed(same)}`,
            },
          ]
        : [];
    return planRow(wish, faults, nearTwins, checking, key);
  });
  return withoutLost(plans, fields);
}

function planRow(
  wish: Wish,
  twinFaults: readonly Fault[],
  nearTwins: ReadonlyMap<string, readonly number[]>,
  checking: Checking,
  key: Field | undefined,
): Planned<Work> {
  const { entriesOf, keyField } = checking;
  const found = entriesOf(wish);
  const entry = found?.length === 1 ? found[0] : undefined;
  const name = key && (wish.wanted.get(key.id)?.held ?? entry?.held.get(key.id));
  const base = {
    row: wish.row,
    id: entry?.id,
    name: typeof name === 'string' ? name : '',
    detail: entry ? `Entry ${entry.id}` : '',
  };
  const faults: Fault[] = [...wish.faults, ...twinFaults];
  if (found && found.length > 1)
    faults.push({
      field: keyField,
      message: `Several entries have this: ${listed(found.map(({ id }) => id))}`,
    });
  if (wish.entryId !== undefined && keyField === 'EntryId' && !entry)
    faults.push({ field: 'EntryId', message: `There is no entry ${wish.entryId} of this type` });
  // Which one it is about is not known, or what it says: nothing else can be said of it.
  const isLost =
    faults.length > wish.faults.length + twinFaults.length ||
    wish.faults.some(({ field }) => field === undefined);
  const { changes, work, faults: own } = isLost ? UNKNOWN : compare(wish, entry, checking);
  const near = key && !isLost ? nearFaults(wish, entry, key, nearTwins, checking) : [];
  const all = [...faults, ...own, ...near];
  if (all.length > 0) return { ...base, outcome: 'cannot', changes: [], faults: all, work: NOTHING };
  const outcome = entry ? (changes.length > 0 ? 'update' : 'skip') : 'create';
  return { ...base, outcome, changes, faults: [], work };
}

function sent(field: Field, held: Held | undefined): SentField {
  if (held === undefined) return { fieldId: field.id, value: null };
  if (typeof held !== 'object') return { fieldId: field.id, value: held };
  if ('currencyCode' in held)
    return {
      fieldId: field.id,
      value: held.value,
      ...(held.currencyCode !== undefined && { currencyCode: held.currencyCode }),
    };
  return { fieldId: field.id, value: [...held] };
}

/** Where it names rows of the file, whether these come first: what is there already is changed by one call, or not. */
function inOrder(
  item: SentField,
  field: Field,
  entry: Entry | undefined,
  fields: readonly Field[],
): SentField {
  if (field.fieldType !== FIELD.reference || rowsIn(item.value).length === 0) return item;
  return { ...item, rows: entry || isNeededAtOnce(field, fields) ? 'first' : 'later' };
}

/** What the row says otherwise than the entry; of a new one everything. */
function compare(wish: Wish, entry: Entry | undefined, checking: Checking) {
  const { fields, bookOf } = checking;
  const changes: FieldChange[] = [];
  const items: SentField[] = [];
  const before: Record<number, Held | undefined> = {};
  const faults: Fault[] = [];
  const after = new Map(entry?.held);
  for (const field of fields) {
    if (!wish.wanted.has(field.id)) continue;
    const wanted = wish.wanted.get(field.id);
    const now = entry?.held.get(field.id);
    if (isSame(wanted?.held, now)) continue;
    const fault = wanted?.unless ?? currencyFault(wanted?.held, now);
    if (fault !== undefined) faults.push({ field: field.apiName, message: fault });
    if (wanted) after.set(field.id, wanted.held);
    else after.delete(field.id);
    items.push(inOrder(sent(field, wanted?.held), field, entry, fields));
    before[field.id] = now;
    const words = (held: Held | undefined) => heldWords(held, field, bookOf(field));
    changes.push({ field: field.apiName, before: words(now), after: words(wanted?.held) });
  }
  faults.push(...missing(wish, entry, after, fields));
  return { changes, faults, work: { items, before, ignoreNearDups: checking.near === undefined } };
}

function currencyFault(wanted: Held | undefined, now: Held | undefined): string | undefined {
  const isBare = typeof wanted === 'object' && 'currencyCode' in wanted && wanted.currencyCode === undefined;
  return isBare && now === undefined ? 'Needs its currency: a column of currencies, or EUR 12.50' : undefined;
}

/** Fields that need a value and would have none, as the service decides it (spec 4.6, requiredWhen). */
function missing(
  wish: Wish,
  entry: Entry | undefined,
  after: ReadonlyMap<number, Held>,
  fields: readonly Field[],
): Fault[] {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const needs = ({ isRequired, requiredWhen }: Field, held: ReadonlyMap<number, Held>) =>
    isRequired ||
    (requiredWhen !== undefined &&
      requiredWhen !== null &&
      isRequiredNow(requiredWhen, (id) => byId.get(id), Object.fromEntries(held)));
  const none: ReadonlyMap<number, Held> = new Map();
  return fields
    .filter((field) => field.isStoreRequestSupported && !after.has(field.id) && needs(field, after))
    .filter((field) => !entry || entry.held.has(field.id) || !needs(field, entry.held ?? none))
    .filter(({ apiName }) => !wish.faults.some((fault) => fault.field === apiName))
    .map(({ apiName, isRequired }) => ({
      field: apiName,
      message: isRequired ? 'Is required' : 'Is required here: its conditions hold',
    }));
}

/** Names that nearly are those of others: the service refuses them where that is not allowed. */
function nearFaults(
  wish: Wish,
  entry: Entry | undefined,
  key: Field,
  nearTwins: ReadonlyMap<string, readonly number[]>,
  { near }: Checking,
): Fault[] {
  const name = wish.wanted.get(key.id)?.held;
  if (!near || typeof name !== 'string' || name === entry?.held.get(key.id)) return [];
  const like = nearKey(name) ?? '';
  const other = near.get(like);
  if (other && other.id !== entry?.id)
    return [{ field: key.apiName, message: `Nearly the name of entry ${other.id}, ${quoted(other.name)}` }];
  const rows = nearTwins.get(like)?.filter((row) => row !== wish.row) ?? [];
  return rows.length > 0
    ? [
        {
          field: key.apiName,
          message: `Nearly the name in row${rows.length === 1 ? '' : 's'} ${listed(rows)}`,
        },
      ]
    : [];
}

/** What a field holds, as the page shows it before and after. */
function heldWords(held: Held | undefined, field: Field, book: Book): string {
  if (held === undefined) return '';
  if (typeof held === 'boolean') return held ? 'Yes' : 'No';
  if (typeof held === 'object')
    return 'currencyCode' in held
      ? `${held.currencyCode ?? ''} ${held.value}`.trim()
      : joinNames(held.map((id) => calledIn(book, id)));
  if (typeof held === 'number')
    return [FIELD.choice, FIELD.reference, FIELD.user].some((type) => type === field.fieldType)
      ? calledIn(book, held)
      : String(held);
  if (field.fieldType !== FIELD.date) return held;
  return field.isDateOnly ? dateWords(held, true) : `${dateWords(held, false)} UTC`;
}
