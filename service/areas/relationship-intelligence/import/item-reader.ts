import { hash } from 'node:crypto';
import type {
  Email,
  EmailImportItem,
  ImportKind,
  ImportWarning,
  ImportWarningCode,
  Meeting,
  MeetingImportItem,
} from '../../../../contract/generated/types.gen.ts';
import { ApiError, type FieldError, hasEnoughErrors, MAX_FIELD_ERRORS } from '../../../kernel/api-error.ts';
import { type CheckedBody, readJsonBody } from '../../../kernel/http/bodies/read-body.ts';
import { parseTimestamp } from '../../../kernel/http/parameters.ts';
import { type AddressKind, type AddressRules, createAddressBook } from './addresses.ts';
import { checkTime, type ImportPeriod } from './period.ts';
import { createListSplitter } from './split-list.ts';

/** Limits of a request (spec 8). */
export const IMPORT_LIMITS = {
  emails: { perUser: 1_000, perRequest: 50_000 },
  meetings: { perUser: 100, perRequest: 5_000 },
} as const;

/** Body of an import after unpacking, as `x-max-body` says for the body as it is sent. */
export const MAX_BODY_BYTES = 134_217_728;
/** Above the objects, lists and properties of the longest item: a body of 128 MiB has about 12 million. */
const MAX_NODES = 16_000_000;

/** A user in whose name items may be imported. */
export interface EnabledUser {
  userId: number;
  /** Address of the user, as items have it. */
  address: string;
  isHistoryComplete: boolean;
}

/** The state of the site that decides about the items of a request. */
export interface ImportContext {
  kind: ImportKind;
  period: ImportPeriod;
  users: readonly EnabledUser[];
  rules: AddressRules;
}

/** Directions of items (ri_item_user.direction). */
export const DIRECTION = { sent: 1, received: 2, meeting: 3, none: 0 } as const;

/** Rows of a statement by column. Lists within a column are joined by line feeds. */
export interface ItemBatch {
  keys: string[];
  users: number[];
  times: string[];
  modified: string[];
  contents: string[];
  addresses: string[];
  /** Whether the item occurs here for the first time in the request; another user may have it too. */
  isFirst: boolean[];
  directions: number[];
  counterparts: string[];
  names: string[];
  /** The ids as the request has them, for warnings. */
  uniqueIds: string[];
}

const ROWS_PER_BATCH = 2_500;
const createBatch = (): ItemBatch => ({
  keys: [],
  users: [],
  times: [],
  modified: [],
  contents: [],
  addresses: [],
  isFirst: [],
  directions: [],
  counterparts: [],
  names: [],
  uniqueIds: [],
});

/** What became of the items of one user before they are stored. */
export interface UserReading {
  userId: number;
  isEnabled: boolean;
  received: number;
  skipped: number;
  warnings: WarningCounts;
  /** Time of the latest item that is not skipped; null if there is none. */
  latest: string | null;
}

/** Warnings of one user by code: the number of items, and the ids of the first. */
export type WarningCounts = Partial<Record<ImportWarningCode, { count: number; uniqueIds: string[] }>>;

const MAX_LISTED_WARNINGS = 20;

/** Counts a warning; the ids of the first 20 of a code are kept. */
export function addWarning(warnings: WarningCounts, code: ImportWarningCode, uniqueId: string): void {
  const entry = (warnings[code] ??= { count: 0, uniqueIds: [] });
  entry.count += 1;
  if (entry.uniqueIds.length < MAX_LISTED_WARNINGS) entry.uniqueIds.push(uniqueId);
}

const WARNING_TEXTS: Record<ImportWarningCode, string> = {
  BEFORE_PERIOD: 'The item is older than the historical sync period',
  HISTORY_CLOSED:
    'The historical upload of the user is complete, and the item is older than the previous month',
  EXCLUDED: 'An address of the item is excluded',
  INTERNAL_ONLY: 'All addresses of the item are internal',
  LATE_FOR_MONTH: 'Data of the previous month was due by 01:00 of the second day of the month',
  CONTENT_DIFFERS: 'An item with this uniqueId and other content is stored already; it was kept',
  USER_NOT_ENABLED: 'The user is not enabled in the settings of Relationship Intelligence',
};

/** Warnings in the notation of the answer: the first 20 of a code, then how many there are. */
export const formatWarnings = (warnings: WarningCounts): ImportWarning[] =>
  Object.entries(warnings).flatMap(([name, { count, uniqueIds }]) => {
    const code = name as ImportWarningCode;
    const message = WARNING_TEXTS[code];
    const listed = uniqueIds.map((uniqueId): ImportWarning => ({ code, message, uniqueId }));
    return count > listed.length || listed.length === 0 ? [...listed, { code, message, count }] : listed;
  });

/** The checked items of a request. */
export interface ImportReading {
  errors: FieldError[];
  received: number;
  users: UserReading[];
  batches: ItemBatch[];
}

/** An e-mail or meeting in one form. */
interface Item {
  uniqueId: string;
  at: ItemTime;
  modified: ItemTime;
  people: readonly { address: string; name: string }[];
}

/** A time in milliseconds since 1970, and in UTC as text of a fixed length. */
interface ItemTime {
  ms: number;
  text: string;
}

/** The list of a user in an import item, with the names of its properties. */
const PARTS = {
  emails: { time: 'sentDate', noun: 'e-mail' },
  meetings: { time: 'startDate', noun: 'meeting' },
} as const;

/** The first 16 bytes of the SHA-256 of a text, as a UUID. */
const toKey = (text: string): string => hash('sha256', text, 'hex').slice(0, 32);

/** Times as most programs write them need not be formatted again. */
const CANONICAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** @throws ApiError 400 as `parseTimestamp` */
function parseTime(path: string, text: string): ItemTime {
  const time = parseTimestamp(path, text);
  return { ms: time.getTime(), text: CANONICAL_TIME.test(text) ? text : time.toISOString() };
}

const toLine = (name: string): string => name.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/**
 * Reads the list of a request as it arrives and checks everything that the request alone shows (shapes 6): shape, limits, order,
 * repeated ids and users, handler types. Decides by the state of the site which items are skipped.
 * @param validateItem validates `{items: [...]}` with the schema of the import item
 * @param onBatch gets each batch as soon as it is complete; the rest of the request may still be wrong
 */
export function createItemReader(
  context: ImportContext,
  validateItem: (body: unknown, isStorable: boolean) => CheckedBody,
  onBatch: (batch: ItemBatch) => void = () => {},
): { write(chunk: Buffer): void; end(): ImportReading } {
  const { kind } = context;
  const limits = IMPORT_LIMITS[kind];
  const part = PARTS[kind];
  const users = new Map(context.users.map((user) => [user.userId, user]));
  const classify = createAddressBook(context.rules);
  const indexesByUser = new Map<number, number>();
  /** Contents by unique id: items that several users of the request have are stored once. */
  const contents = new Map<string, string>();
  const reading: ImportReading = { errors: [], received: 0, users: [], batches: [] };
  let batch = createBatch();

  const report = (path: string, message: string): void => {
    if (!hasEnoughErrors(reading.errors)) reading.errors.push({ path, message });
  };

  const splitter = createListSplitter((bytes, index) => {
    // The number of users is bounded by that of the items; the check keeps an endless list of empty items short.
    if (index >= limits.perRequest) {
      if (index === limits.perRequest) report('body', `must have at most ${limits.perRequest} items`);
      return;
    }
    if (hasEnoughErrors(reading.errors)) return;
    const { value, errors } = readJsonBody(
      bytes,
      (item, isStorable) => validateItem({ items: [item] }, isStorable),
      MAX_NODES,
    );
    for (const { path, message } of errors) report(path.replace(/^(items\.0|body)/, String(index)), message);
    // A body with errors of its syntax is not wrapped into a list.
    const { items: [item = value] = [] } = Object(value) as { items?: unknown[] };
    if (errors.length > 0) checkParts(item, index);
    else readUser(item as EmailImportItem & MeetingImportItem, index);
  });

  function checkUser(userId: number, index: number): void {
    const earlier = indexesByUser.get(userId);
    if (earlier !== undefined) report(`${index}.userId`, `user ${userId} is in item ${earlier} already`);
    indexesByUser.set(userId, index);
  }

  function checkHandlerType(handlerType: number, index: number): void {
    if (handlerType === 2 || handlerType === 3)
      report(`${index}.handlerType`, `${handlerType} is not available yet; only 1 (RI) is`);
  }

  /** Starts to check the ids and the order of a user's list. */
  function startList(index: number): (at: number, uniqueId: unknown, time: number | undefined) => void {
    const positions = new Map<unknown, number>();
    let before = -Infinity;
    return (at, uniqueId, time) => {
      const path = `${index}.${kind}.${at}`;
      const first = uniqueId === undefined ? undefined : positions.get(uniqueId);
      if (first !== undefined) report(`${path}.uniqueId`, `is that of ${index}.${kind}.${first} too`);
      positions.set(uniqueId, at);
      if (time === undefined) return;
      if (time < before)
        report(
          `${path}.${part.time}`,
          `is before that of the previous ${part.noun}; the order must be chronological`,
        );
      before = time;
    };
  }

  /** Reports what else is wrong with an item whose shape is wrong, as far as its parts have the right one (shapes 6). */
  function checkParts(item: unknown, index: number): void {
    const { userId, handlerType, [kind]: list } = Object(item) as Record<string, unknown>;
    if (typeof userId === 'number') checkUser(userId, index);
    if (typeof handlerType === 'number') checkHandlerType(handlerType, index);
    if (!Array.isArray(list)) return;
    const reported = new Set(reading.errors.map(({ path }) => path));
    const checkEntry = startList(index);
    for (const [at, entry] of list.entries()) {
      const { uniqueId, [part.time]: time, modifiedDate, endDate } = Object(entry) as Record<string, unknown>;
      const times = parseTimes({ time, modifiedDate, endDate }, (name, message) => {
        const path = `${index}.${kind}.${at}.${name}`;
        if (!reported.has(path)) report(path, message);
      });
      checkEntry(at, uniqueId, times.at?.ms);
    }
  }

  function readUser(item: EmailImportItem & MeetingImportItem, index: number): void {
    const { userId } = item;
    checkUser(userId, index);
    checkHandlerType(item.handlerType, index);
    const list = kind === 'emails' ? item.emails.map(fromEmail) : item.meetings.map(fromMeeting);
    reading.received += list.length;
    const user = users.get(userId);
    const result: UserReading = {
      userId,
      isEnabled: user !== undefined,
      received: list.length,
      skipped: user ? 0 : list.length,
      warnings: {},
      latest: null,
    };
    reading.users.push(result);
    const checkEntry = startList(index);
    for (const [at, { uniqueId, people, ...raw }] of list.entries()) {
      const times = parseTimes(raw, (name, message) => report(`${index}.${kind}.${at}.${name}`, message));
      checkEntry(at, uniqueId, times.at?.ms);
      if (user && times.at && times.modified && reading.errors.length === 0)
        place({ uniqueId, people, at: times.at, modified: times.modified }, user, result);
    }
  }

  /** Converts the times. Reports those that are no valid date and time. */
  function parseTimes(
    { time, modifiedDate, endDate }: Partial<Record<keyof RawTimes, unknown>>,
    reportProperty: (name: string, message: string) => void,
  ): { at: ItemTime | undefined; modified: ItemTime | undefined } {
    const read = (name: string, text: unknown): ItemTime | undefined => {
      if (typeof text !== 'string') return undefined;
      try {
        return parseTime(name, text);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        for (const { path, message } of error.fields) reportProperty(path, message);
        return undefined;
      }
    };
    const at = read(part.time, time);
    const modified = at && modifiedDate === time ? at : read('modifiedDate', modifiedDate);
    const end = read('endDate', endDate);
    if (at && end && end.ms < at.ms) reportProperty('endDate', 'is before startDate');
    return { at, modified };
  }

  /** Adds an item to the rows, or counts why it is skipped. */
  function place({ uniqueId, at, modified, people }: Item, user: EnabledUser, result: UserReading): void {
    const timing = checkTime(at.ms, context.period, user.isHistoryComplete);
    const skip = (code: ImportWarningCode) => {
      result.skipped += 1;
      addWarning(result.warnings, code, uniqueId);
    };
    if (timing === 'BEFORE_PERIOD' || timing === 'HISTORY_CLOSED') return skip(timing);
    const kinds = people.map(({ address }) => classify(address));
    if (kinds.some(({ isExcluded }) => isExcluded)) return skip('EXCLUDED');
    if (kinds.every(({ isInternal }) => isInternal)) return skip('INTERNAL_ONLY');
    if (timing) addWarning(result.warnings, timing, uniqueId);
    const time = at.text;
    if (result.latest === null || time > result.latest) result.latest = time;
    const key = toKey(uniqueId);
    const addresses = kinds.map((each) => each.key).join('\n');
    const content = toKey(`${time}\n${addresses}`);
    const stored = contents.get(uniqueId);
    if (stored === undefined) contents.set(uniqueId, content);
    else if (stored !== content) addWarning(result.warnings, 'CONTENT_DIFFERS', uniqueId);
    const direction = getDirection(kinds, user.address);
    const counterparts = new Map<string, string>();
    // Of a received e-mail the sender, otherwise everybody; nobody if the direction is unknown.
    const candidateCount =
      direction === DIRECTION.none ? 0 : direction === DIRECTION.received ? 1 : kinds.length;
    for (let index = 0; index < candidateCount; index += 1) {
      const { key: address = '', isInternal } = kinds[index] ?? {};
      if (!isInternal && address !== user.address && !counterparts.has(address))
        counterparts.set(address, toLine(people[index]?.name ?? ''));
    }
    batch.keys.push(key);
    batch.users.push(user.userId);
    batch.times.push(time);
    batch.modified.push(modified.text);
    batch.contents.push(content);
    batch.addresses.push(addresses);
    batch.isFirst.push(stored === undefined);
    batch.directions.push(direction);
    batch.counterparts.push([...counterparts.keys()].join('\n'));
    batch.names.push([...counterparts.values()].join('\n'));
    batch.uniqueIds.push(uniqueId);
    if (batch.keys.length >= ROWS_PER_BATCH) finishBatch();
  }

  function finishBatch(): void {
    reading.batches.push(batch);
    onBatch(batch);
    batch = createBatch();
  }

  /**
   * The direction of an item for the user. An e-mail of the user is also one from another internal address that does not name the user
   * as a recipient: people have several addresses.
   */
  function getDirection([sender, ...recipients]: readonly AddressKind[], own: string): number {
    if (kind === 'meetings') return DIRECTION.meeting;
    if (sender?.key === own) return DIRECTION.sent;
    if (!sender?.isInternal) return DIRECTION.received;
    return recipients.some(({ key }) => key === own) ? DIRECTION.none : DIRECTION.sent;
  }

  return {
    write: (chunk) => splitter.write(chunk),
    end() {
      splitter.end();
      if (reading.received > limits.perRequest)
        report('body', `has ${reading.received} ${kind}; a request may have at most ${limits.perRequest}`);
      if (batch.keys.length > 0) finishBatch();
      if (reading.errors.length > 0) reading.batches = [];
      reading.errors = reading.errors.slice(0, MAX_FIELD_ERRORS + 1);
      return reading;
    },
  };
}

interface RawTimes {
  time: string;
  modifiedDate: string;
  endDate?: string;
}

type RawItem = Omit<Item, 'at' | 'modified'> & RawTimes;

const fromEmail = (email: Email): RawItem => ({
  uniqueId: email.uniqueId,
  time: email.sentDate,
  modifiedDate: email.modifiedDate,
  people: [email.sender, ...email.recipientsTo, ...(email.recipientsCc ?? [])],
});

const fromMeeting = (meeting: Meeting): RawItem => ({
  uniqueId: meeting.uniqueId,
  time: meeting.startDate,
  modifiedDate: meeting.modifiedDate,
  endDate: meeting.endDate,
  people: [meeting.organizer, ...meeting.attendees],
});
