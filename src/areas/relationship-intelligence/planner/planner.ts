/** The state of a planned import: items of the dropped files, whose they are, and the requests they become. Runs in a worker. */
import type {
  Email,
  EmailAddress,
  Meeting,
  RelationshipImportItem,
} from '../../../../contract/generated/types.gen.ts';
import {
  copyItem,
  createDateReading,
  getDateOrder,
  hasExchangeName,
  isBroken,
  listExchangeNames,
  normalizeItem,
} from '../formats/items.ts';
import type {
  Address,
  BrokenRow,
  DateOrder,
  DateReading,
  ImportItem,
  ItemKind,
  ItemKnowledge,
  Mend,
  RawItem,
} from '../formats/items.ts';
import { readImportFile } from '../formats/read-file.ts';
import type { FileFormat } from '../formats/read-file.ts';
import type { CalendarPeriod } from '../formats/read-ics.ts';
import { findLongestMailbox, planRequests } from './requests.ts';
import type { LongestMailbox, PlannedRequest, RequestLimits, RequestShare } from './requests.ts';

/** A file that was read. */
export interface ReadFile {
  name: string;
  format: FileFormat;
  bytes: number;
  durationMs: number;
  /** Order of day and month in its dates of numbers alone; `unknown` if they do not show it, undefined without such dates. */
  dateOrder: DateOrder | 'unknown' | undefined;
}

type OnProgress = (share: number, rows: number) => void;

/** What is known besides the files. */
export interface PlanOptions {
  /** User ids by address, of the directory. */
  people: ReadonlyMap<string, number>;
  /** User ids by address, chosen by the user for addresses that the directory does not have. */
  chosen: ReadonlyMap<string, number>;
  /** Addresses by Exchange name, entered by the user. */
  exchangeAddresses: ReadonlyMap<string, string>;
  /** Domains whose unknown addresses are mailboxes of the site. */
  internalDomains: readonly string[];
  /** Items before this time are not accepted, in milliseconds since 1970. */
  acceptedFrom: number;
  /** Users for whom the site takes imports; undefined while that is not known. */
  enabledUsers: ReadonlySet<number> | undefined;
  limits: RequestLimits;
}

/** A mailbox of the files: that of a user, or an address that no user has. */
export interface MailboxSummary {
  /** User, or undefined for an address that is not mapped. */
  userId: number | undefined;
  /** Address; of a user the most frequent of the files, if any. */
  mailbox: string | undefined;
  found: number;
  mended: number;
  /** Items before the accepted period. */
  tooOld: number;
  /** Further copies of an item. */
  copies: number;
  toSend: number;
  requests: number;
  state: 'ready' | 'unknown' | 'notEnabled';
}

/** The plan as the page shows it. */
export interface PlanSummary {
  /** Rows of all files. */
  rows: number;
  mended: number;
  broken: number;
  /** Items without a user of the site among their parties, part of `broken`. */
  withoutUser: number;
  tooOld: number;
  copies: number;
  toSend: Readonly<Record<ItemKind, number>>;
  users: number;
  mends: Partial<Record<Mend, number>>;
  mailboxes: readonly MailboxSummary[];
  exchangeNames: readonly { name: string; count: number }[];
  requests: readonly { kind: ItemKind; count: number; users: number }[];
  longest: (LongestMailbox & { kind: ItemKind }) | undefined;
  /** First and last date of what is sent. */
  span: { from: number; to: number } | undefined;
}

interface Mailbox {
  summary: MailboxSummary;
  addresses: Map<string, number>;
  ids: Record<ItemKind, Set<string>>;
  items: Record<ItemKind, ImportItem[]>;
}

/** A row of a file: a legal item, one that waits for the address of an Exchange name, or a broken one. */
interface SourceRow {
  file: number;
  item?: ImportItem;
  waiting?: RawItem;
  broken?: BrokenRow;
}

const KINDS = ['emails', 'meetings'] as const;
const encoder = new TextEncoder();
const NO_PERSON = 'No user of this site is among the sender and the recipients';
/** Bytes of an item of a job: parts of its upload have 8 MiB at most, and a retry should be cheap. */
const MAX_UPLOAD_ITEM_BYTES = 1_500_000;
/** Bytes that a job takes (contract, putJobPart: 256 MiB), with room for the parts around the items. */
const MAX_UPLOAD_BYTES = 250 * 1024 * 1024;
/** Bytes of an item without its list. */
const UPLOAD_ITEM_FRAME_BYTES = 64;

/** Most bytes of a body (contract, x-max-body). */
const MAX_BODY_BYTES = 134_217_728;
const LIST_BRACKETS = 2;

/** Part of a request with items of one user. */
interface UserPart {
  userId: number;
  json: Blob;
}

/** The item of a user in a request; several if it has too many bytes. A single e-mail is never divided. */
function writeUser(userId: number, kind: ItemKind, items: readonly object[], maxBytes: number): UserPart[] {
  const json = new Blob([JSON.stringify({ userId, handlerType: 1, [kind]: items })]);
  if (json.size <= maxBytes || items.length === 1) return [{ userId, json }];
  const half = Math.ceil(items.length / 2);
  return [items.slice(0, half), items.slice(half)].flatMap((part) => writeUser(userId, kind, part, maxBytes));
}

/** Lists of parts, each with a user once and with at most so many bytes. */
function joinUsers(parts: readonly UserPart[], maxBytes: number): [Blob, ...Blob[]] {
  let lists: [UserPart[], ...UserPart[][]] = [[]];
  let size = LIST_BRACKETS;
  for (const part of parts) {
    const list = lists.at(-1) ?? lists[0];
    const added = part.json.size + 1;
    if (list.length > 0 && (size + added > maxBytes || list.some(({ userId }) => userId === part.userId))) {
      lists = [...lists, [part]];
      size = LIST_BRACKETS + added;
    } else {
      list.push(part);
      size += added;
    }
  }
  const write = (list: readonly UserPart[]) =>
    new Blob(['[', ...list.flatMap(({ json }, at) => (at === 0 ? [json] : [',', json])), ']'], {
      type: 'application/json',
    });
  const [first, ...rest] = lists;
  return [write(first), ...rest.map(write)];
}

const toIso = (time: number): string => new Date(time).toISOString();

const toWireAddresses = (list: readonly Address[]): EmailAddress[] =>
  list.map(({ address, name }) => ({ address, name }));

/** An e-mail as the request has it (spec 2.4). */
const toEmail = ({ uniqueId, date, modified, from, to, cc }: ImportItem): Email => ({
  uniqueId,
  sentDate: toIso(date),
  modifiedDate: toIso(modified),
  sender: { ...from },
  recipientsTo: toWireAddresses(to),
  ...(cc.length > 0 && { recipientsCc: toWireAddresses(cc) }),
});

/** A meeting as the request has it (shapes 6). */
const toMeeting = ({ uniqueId, date, modified, end, from, to, cc }: ImportItem): Meeting => ({
  uniqueId,
  startDate: toIso(date),
  endDate: toIso(end),
  modifiedDate: toIso(modified),
  organizer: { ...from },
  attendees: toWireAddresses([...to, ...cc]),
});

/** Items of a kind as the service takes them. */
const toWire = (kind: ItemKind, items: readonly ImportItem[]): (Email | Meeting)[] =>
  kind === 'emails' ? items.map(toEmail) : items.map(toMeeting);

export class Planner {
  readonly #files: ReadFile[] = [];
  /** Files and periods, to read the files again with another order of dates. */
  readonly #sources: { file: File; period: CalendarPeriod }[] = [];
  #rows: SourceRow[] = [];
  #requests: PlannedRequest[] = [];
  #mailboxes = new Map<number, Mailbox>();
  #broken: { file: number; row: BrokenRow }[] = [];
  /** Before any Exchange name has an address. */
  readonly #knowledge: ItemKnowledge = { exchangeAddresses: new Map(), parties: new Map() };

  /** Reads a file; `onProgress` gets the share and the number of rows, a few times a second. */
  async addFile(file: File, period: CalendarPeriod, onProgress: OnProgress): Promise<ReadFile> {
    const startedAt = performance.now();
    const number = this.#files.length;
    const read: ReadFile = {
      name: file.name,
      format: 'unknown',
      bytes: file.size,
      durationMs: 0,
      dateOrder: undefined,
    };
    this.#files.push(read);
    this.#sources.push({ file, period });
    read.dateOrder = getDateOrder(await this.#read(number, 'mdy', onProgress));
    if (read.dateOrder === 'dmy') await this.#read(number, 'dmy', onProgress);
    read.durationMs = performance.now() - startedAt;
    return read;
  }

  /** Reads the files again whose dates do not show their order. */
  async chooseDateOrder(order: DateOrder, onProgress: OnProgress): Promise<void> {
    for (const [number, { dateOrder }] of this.#files.entries())
      if (dateOrder === 'unknown') await this.#read(number, order, onProgress);
  }

  /** Replaces the rows of a file by those that it has with this order of dates. */
  async #read(number: number, order: DateOrder, onProgress: OnProgress): Promise<DateReading> {
    const dates = createDateReading(order);
    const [read, source] = [this.#files[number], this.#sources[number]];
    if (!read || !source) return dates;
    const { file, period } = source;
    this.#rows = this.#rows.filter((row) => row.file !== number);
    let bytes = 0;
    let count = 0;
    let reportedAt = performance.now();
    const rows = readImportFile(file, {
      period,
      dates,
      onBytes: (now) => {
        bytes = now;
      },
      onFormat: (format) => {
        read.format = format;
      },
    });
    for await (const row of rows) {
      this.#rows.push({ file: number, ...prepare(row, this.#knowledge) });
      count += 1;
      if (count % 256 === 0 && performance.now() - reportedAt > 200) {
        reportedAt = performance.now();
        onProgress(file.size === 0 ? 1 : bytes / file.size, count);
      }
    }
    // Of copies the first is sent.
    this.#rows.sort((one, other) => one.file - other.file);
    return dates;
  }

  /** All addresses of the files: those of parties and of mailboxes. */
  listAddresses(): string[] {
    const addresses = new Set<string>();
    for (const { item, waiting } of this.#rows) {
      const row = item ?? waiting;
      if (!row) continue;
      if (row.mailbox !== undefined) addresses.add(row.mailbox.toLowerCase());
      for (const { address } of [...(row.from ? [row.from] : []), ...row.to, ...row.cc])
        if (address !== '') addresses.add(address.toLowerCase());
    }
    return [...addresses];
  }

  /** Computes the plan. */
  evaluate(options: PlanOptions): PlanSummary {
    const users = new Map<number, Mailbox>();
    const unknown = new Map<string, Mailbox>();
    const mends: Partial<Record<Mend, number>> = {};
    const exchangeNames = new Map<string, number>();
    const totals = { mended: 0, withoutUser: 0, tooOld: 0, copies: 0 };
    this.#broken = [];
    const knowledge = { exchangeAddresses: options.exchangeAddresses, parties: new Map() };
    const internal = new Set(options.internalDomains.map((domain) => domain.toLowerCase()));

    for (const source of this.#rows) {
      const { file, waiting } = source;
      if (waiting)
        for (const name of listExchangeNames(waiting))
          if (!options.exchangeAddresses.has(name))
            exchangeNames.set(name, (exchangeNames.get(name) ?? 0) + 1);
      const item = source.item ?? source.broken ?? (waiting && normalizeItem(waiting, knowledge));
      if (!item) continue;
      if (isBroken(item)) {
        this.#broken.push({ file, row: item });
        continue;
      }
      const owners = findOwners(item, options, internal);
      if (owners.users.length + owners.unknown.length === 0) {
        totals.withoutUser += 1;
        this.#broken.push({ file, row: { row: item.row, reason: NO_PERSON, label: item.uniqueId } });
        continue;
      }
      if (item.mends.length > 0) totals.mended += 1;
      for (const mend of item.mends) mends[mend] = (mends[mend] ?? 0) + 1;
      for (const { userId, address } of owners.users) {
        const mailbox = users.get(userId) ?? createMailbox(userId, undefined, options);
        users.set(userId, mailbox);
        addItem(mailbox, item, address, options.acceptedFrom);
      }
      for (const address of owners.unknown) {
        const mailbox = unknown.get(address) ?? createMailbox(undefined, address, options);
        unknown.set(address, mailbox);
        addItem(mailbox, item, address, options.acceptedFrom);
      }
    }
    this.#mailboxes = users;
    this.#requests = [];
    const counts = { emails: new Map<number, number>(), meetings: new Map<number, number>() };
    const span = { from: Infinity, to: -Infinity };
    for (const [userId, { summary, items, addresses }] of users) {
      summary.mailbox = findMostFrequent(addresses);
      totals.tooOld += summary.tooOld;
      totals.copies += summary.copies;
      if (summary.state !== 'ready') continue;
      for (const kind of KINDS) {
        items[kind].sort((one, other) => one.date - other.date || (one.uniqueId < other.uniqueId ? -1 : 1));
        const [first, last] = [items[kind][0], items[kind].at(-1)];
        if (!first || !last) continue;
        counts[kind].set(userId, items[kind].length);
        summary.toSend += items[kind].length;
        [span.from, span.to] = [Math.min(span.from, first.date), Math.max(span.to, last.date)];
      }
    }
    for (const kind of KINDS) this.#requests.push(...planRequests(kind, counts[kind], options.limits));
    for (const { shares } of this.#requests)
      for (const { userId } of shares) {
        const mailbox = users.get(userId);
        if (mailbox) mailbox.summary.requests += 1;
      }
    const longestKind = counts.emails.size > 0 ? 'emails' : 'meetings';
    const longest = findLongestMailbox(longestKind, counts[longestKind], options.limits);
    const sum = (kind: ItemKind) => counts[kind].values().reduce((total, one) => total + one, 0);
    return {
      rows: this.#rows.length,
      ...totals,
      broken: this.#broken.length,
      toSend: { emails: sum('emails'), meetings: sum('meetings') },
      users: new Set([...counts.emails.keys(), ...counts.meetings.keys()]).size,
      mends,
      mailboxes: sortMailboxes([...unknown.values(), ...users.values()].map(({ summary }) => summary)),
      exchangeNames: Array.from(exchangeNames, ([name, count]) => ({ name, count })).toSorted(
        (one, other) => other.count - one.count,
      ),
      requests: this.#requests.map(({ kind, count, shares }) => ({ kind, count, users: shares.length })),
      longest: longest && { ...longest, kind: longestKind },
      span: span.from <= span.to ? span : undefined,
    };
  }

  /** Rows that cannot be imported, as a CSV table with reasons. */
  writeBroken(): string[][] {
    return [
      ['File', 'Row', 'Id', 'Reason'],
      ...this.#broken.map(({ file, row: { row, reason, label = '' } }) => [
        this.#files[file]?.name ?? '',
        String(row),
        label,
        reason,
      ]),
    ];
  }

  /** The bodies of a planned request (spec 2.4): one, unless it has more bytes than the service accepts at once. */
  writeRequest(
    number: number,
    maxBytes = MAX_BODY_BYTES,
  ): { kind: ItemKind; bodies: [Blob, ...Blob[]] } | undefined {
    const request = this.#requests[number];
    if (!request) return undefined;
    const { kind, shares } = request;
    // User by user, so that no text is as long as the request.
    const parts = shares.flatMap((share) => {
      const items = this.#getItems(kind, share);
      return writeUser(share.userId, kind, toWire(kind, items), maxBytes - LIST_BRACKETS);
    });
    return { kind, bodies: joinUsers(parts, maxBytes) };
  }

  /** Shares of each job for one kind, in the order of the requests. A job ends where its limit of bytes is reached. */
  listUploads(kind: ItemKind, maxBytes = MAX_UPLOAD_BYTES): RequestShare[][] {
    const uploads: RequestShare[][] = [];
    let size = Infinity;
    for (const request of this.#requests) {
      if (request.kind !== kind) continue;
      for (const { share, bytes } of request.shares.flatMap((each) => this.#splitShare(kind, each))) {
        size += bytes;
        if (size > maxBytes) {
          uploads.push([]);
          size = bytes;
        }
        uploads.at(-1)?.push(share);
      }
    }
    return uploads;
  }

  /** Items of one job of `listUploads`. */
  getUploadItems(kind: ItemKind, upload: readonly RequestShare[]): RelationshipImportItem[] {
    return upload.map((share): RelationshipImportItem => {
      const { userId } = share;
      const items = this.#getItems(kind, share);
      return kind === 'emails'
        ? { userId, emails: items.map(toEmail) }
        : { userId, meetings: items.map(toMeeting) };
    });
  }

  /** Divides a share so that each part fits into an item of a job. */
  #splitShare(kind: ItemKind, share: RequestShare): { share: RequestShare; bytes: number }[] {
    const parts: { share: RequestShare; bytes: number }[] = [];
    let part: (typeof parts)[number] | undefined;
    for (const [index, item] of toWire(kind, this.#getItems(kind, share)).entries()) {
      const bytes = encoder.encode(JSON.stringify(item)).length + 1;
      if (!part || part.bytes + bytes > MAX_UPLOAD_ITEM_BYTES) {
        part = { share: { ...share, from: share.from + index, count: 0 }, bytes: UPLOAD_ITEM_FRAME_BYTES };
        parts.push(part);
      }
      part.share.count += 1;
      part.bytes += bytes;
    }
    return parts;
  }

  #getItems(kind: ItemKind, { userId, from, count }: RequestShare): ImportItem[] {
    return this.#mailboxes.get(userId)?.items[kind].slice(from, from + count) ?? [];
  }
}

/** Items that need no further knowledge are made legal at once, so that only these are kept. */
function prepare(row: RawItem | BrokenRow, knowledge: ItemKnowledge): Omit<SourceRow, 'file'> {
  if (isBroken(row)) return { broken: row };
  if (hasExchangeName(row)) return { waiting: copyItem(row) };
  const item = normalizeItem(row, knowledge);
  return isBroken(item) ? { broken: item } : { item };
}

const isInternal = (address: string, domains: ReadonlySet<string>): boolean => {
  if (domains.size === 0) return false;
  let domain = address.slice(address.lastIndexOf('@') + 1);
  // A domain includes its subdomains (contract, internalDomains).
  for (;;) {
    if (domains.has(domain)) return true;
    const dot = domain.indexOf('.');
    if (dot < 0) return false;
    domain = domain.slice(dot + 1);
  }
};

/** Whose item it is: the mailbox that the file names, otherwise all parties who are users of the site. */
function findOwners(item: ImportItem, { people, chosen }: PlanOptions, internal: ReadonlySet<string>) {
  const users: { userId: number; address: string | undefined }[] = [];
  const unknown: string[] = [];
  const find = (address: string) => chosen.get(address) ?? people.get(address);
  if (item.userId !== undefined) return { users: [{ userId: item.userId, address: undefined }], unknown };
  if (item.mailbox !== undefined) {
    const userId = find(item.mailbox);
    if (userId === undefined) unknown.push(item.mailbox);
    else users.push({ userId, address: item.mailbox });
    return { users, unknown };
  }
  const seen = new Set<number>();
  for (const { address } of [item.from, ...item.to, ...item.cc]) {
    const userId = find(address);
    if (userId !== undefined && !seen.has(userId)) {
      seen.add(userId);
      users.push({ userId, address });
    } else if (userId === undefined && isInternal(address, internal) && !unknown.includes(address))
      unknown.push(address);
  }
  return { users, unknown };
}

const createMailbox = (
  userId: number | undefined,
  mailbox: string | undefined,
  { enabledUsers }: PlanOptions,
): Mailbox => {
  let state: MailboxSummary['state'] = 'ready';
  if (userId === undefined) state = 'unknown';
  else if (enabledUsers && !enabledUsers.has(userId)) state = 'notEnabled';
  return {
    summary: {
      userId,
      mailbox,
      found: 0,
      mended: 0,
      tooOld: 0,
      copies: 0,
      toSend: 0,
      requests: 0,
      state,
    },
    addresses: new Map(),
    ids: { emails: new Set(), meetings: new Set() },
    items: { emails: [], meetings: [] },
  };
};

function addItem(
  mailbox: Mailbox,
  item: ImportItem,
  address: string | undefined,
  acceptedFrom: number,
): void {
  const { summary, addresses, ids, items } = mailbox;
  summary.found += 1;
  if (address !== undefined) addresses.set(address, (addresses.get(address) ?? 0) + 1);
  if (item.mends.length > 0) summary.mended += 1;
  if (item.date < acceptedFrom) {
    summary.tooOld += 1;
    return;
  }
  // An id may be an e-mail's and a meeting's.
  const known = ids[item.kind];
  if (known.has(item.uniqueId)) {
    summary.copies += 1;
    return;
  }
  known.add(item.uniqueId);
  items[item.kind].push(item);
}

function findMostFrequent(addresses: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  for (const [address, count] of addresses)
    if (best === undefined || count > (addresses.get(best) ?? 0)) best = address;
  return best;
}

const STATE_RANKS = { unknown: 0, notEnabled: 1, ready: 2 } as const;

/** Those that need a decision first, then the largest. */
const sortMailboxes = (mailboxes: MailboxSummary[]): MailboxSummary[] =>
  mailboxes.toSorted(
    (one, other) => STATE_RANKS[one.state] - STATE_RANKS[other.state] || other.found - one.found,
  );
