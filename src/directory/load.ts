import { getUserLicense, listGroups, searchUserLicenses, searchUsers } from '../api/generated/sdk.gen.ts';
import type { GroupInfoResponse, UserInfoResponse } from '../api/generated/types.gen.ts';
import { noteLicenses, toRow } from './row.ts';
import type { DirectoryRow, Licenses } from './row.ts';

/** The directory as far as it has been read. */
export interface Snapshot {
  rows: readonly DirectoryRow[];
  groups: readonly GroupInfoResponse[];
  /** When the last reading of everything began: changes alone do not tell who was removed since. */
  asOf: number;
  /** False until the last page is there. */
  complete: boolean;
  /** Set where the next reading must read everything, so that removed users are found out. */
  reconcile: boolean;
}

const PAGE = 1000;
// A write that was committed late may carry an earlier moment than one already seen.
const OVERLAP = 60_000;
// `modifiedSince` reaches 180 days back (shapes 1).
const WINDOW = 170 * 86_400_000;
// Reading what has changed does not find the removed: everything is read again after this long.
export const RECONCILE = 600_000;
// Up to so many changed users are asked for their license one by one.
const FEW = 20;

/** Pages in order until one is not full: lists carry no totals (shapes 1). */
async function* pages<Item>(read: (pageNumber: number) => Promise<{ data: Item[] }>): AsyncGenerator<Item[]> {
  for (let pageNumber = 1; ; pageNumber += 1) {
    // Each page is asked for only when the one before it says that there is more.
    // oxlint-disable-next-line no-await-in-loop
    const { data } = await read(pageNumber);
    yield data;
    if (data.length < PAGE) return;
  }
}

const usersSince = (signal: AbortSignal, modifiedSince?: string) =>
  pages((pageNumber) =>
    searchUsers({ signal, query: { pageNumber, pageSize: PAGE, ...(modifiedSince && { modifiedSince }) } }),
  );
const licensePages = (signal: AbortSignal) =>
  pages((pageNumber) => searchUserLicenses({ signal, query: { pageNumber, pageSize: PAGE } }));
const groupPages = (signal: AbortSignal) =>
  pages((pageNumber) => listGroups({ signal, query: { pageNumber, pageSize: PAGE } }));

async function all<Item>(source: AsyncGenerator<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of source) items.push(...page);
  return items;
}

/** Reads everything; `onPart` is given what is there after each page but the last. */
async function readAll(signal: AbortSignal, onPart: (part: Snapshot) => void): Promise<Snapshot> {
  const asOf = Date.now();
  const groups = await all(groupPages(signal));
  const licenses: Licenses = new Map();
  const licenseSource = licensePages(signal);
  let users: UserInfoResponse[] = [];
  const snapshot = (complete: boolean): Snapshot => ({
    rows: users.map((user) => toRow(user, licenses.get(user.id))),
    groups,
    asOf,
    complete,
    reconcile: false,
  });
  // Both lists are ordered by user id: their pages tell about the same people.
  for await (const page of usersSince(signal)) {
    users = [...users, ...page];
    const next = await licenseSource.next();
    if (!next.done) noteLicenses(licenses, next.value);
    if (page.length === PAGE) onPart(snapshot(false));
  }
  for await (const page of licenseSource) noteLicenses(licenses, page);
  return snapshot(true);
}

/** The moment after which changes are asked for, told by the service's own clock; undefined: read everything. */
function changedSince({ complete, reconcile, rows, asOf }: Snapshot): string | undefined {
  const newest = rows.reduce((latest, { modifiedAt }) => Math.max(latest, modifiedAt), 0);
  if (!complete || reconcile || Date.now() - asOf >= RECONCILE || Date.now() - newest > WINDOW)
    return undefined;
  return new Date(newest - OVERLAP).toISOString();
}

async function licensesOf(users: readonly UserInfoResponse[], signal: AbortSignal): Promise<Licenses> {
  const licenses: Licenses = new Map();
  if (users.length > FEW) {
    for await (const page of licensePages(signal)) noteLicenses(licenses, page);
    return licenses;
  }
  const answers = await Promise.all(users.map(({ id }) => getUserLicense({ signal, path: { userId: id } })));
  noteLicenses(
    licenses,
    answers.map(({ data }) => data),
  );
  return licenses;
}

/** Brings what is known up to date, with what has changed since where that is enough. */
export async function readAgain(
  before: Snapshot | undefined,
  signal: AbortSignal,
  onPart: (part: Snapshot) => void,
): Promise<Snapshot> {
  const since = before && changedSince(before);
  // Rows on screen stay until all new ones are there.
  if (!before || since === undefined) return readAll(signal, before?.complete ? () => undefined : onPart);
  const [groups, users] = await Promise.all([all(groupPages(signal)), all(usersSince(signal, since))]);
  const licenses = await licensesOf(users, signal);
  const changed = new Map(users.map((user) => [user.id, toRow(user, licenses.get(user.id))]));
  const rows = before.rows.map((row) => changed.get(row.id) ?? row);
  const known = new Set(before.rows.map(({ id }) => id));
  const added = [...changed.values()].filter(({ id }) => !known.has(id));
  return { ...before, rows: [...rows, ...added], groups };
}
