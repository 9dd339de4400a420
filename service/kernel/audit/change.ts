import { randomUUID } from 'node:crypto';
import { getConfigurationKind } from '../../../contract/rules/configuration.ts';
import { getAuthor, type Caller, type RequestOrigin } from '../auth/caller.ts';
import { type Db, onCommit, type Tx, withTransaction } from '../db/database.ts';
import { raiseTypeVersions, type TypeChange } from '../db/type-versions.ts';
import type { ChangeEvent } from '../outbox/change-event.ts';
import { type CommittedEvents, notifyEventsCommitted } from '../outbox/commits.ts';
import { publishEvents } from '../outbox/events.store.ts';
import { insertAuditRows, type AuditRow } from './audit-log.store.ts';

/** The author of a change: a user through one of the APIs, or the service itself (first start, administration on the host). */
export interface Actor {
  siteId: number;
  /** Id of the user who made the change; the principal when a proxy acts (spec 6 rule 5). Null for the service. */
  userId: number | null;
  email: string | null;
  /** The user who acted as a proxy for the principal. */
  proxy?: { userId: number; email: string } | undefined;
  origin: RequestOrigin | undefined;
}

/** The author of the changes of a request. */
export const getActor = (call: { caller: Caller; origin: RequestOrigin }): Actor => ({
  siteId: call.caller.siteId,
  ...getAuthor(call.caller),
  proxy: call.caller.acting && { userId: call.caller.userId, email: call.caller.email },
  origin: call.origin,
});

/** Author of changes by the service itself or by an administrator on the host: no account, so audit rows have no actor. */
export const createHostActor = (siteId: number): Actor => ({
  siteId,
  userId: null,
  email: null,
  origin: undefined,
});

/** Description of one change: its audit row and, if a topic reports such changes, its event (spec 6). */
interface ChangeRecord {
  /** The site in whose audit log and topics the change appears; default: the actor's site. */
  siteId?: number;
  action: string;
  /** `name` is that of something that is not a person, for the configuration log: it says what the thing was called then. */
  subject: readonly [type: string, id: number | string, name?: string];
  /** Changed properties as property → [before, after]; never contains secrets. */
  changes: Readonly<Record<string, unknown>>;
  event?: ChangeEvent;
  /** What changed of the entries of a type of the actor's site, for caches that follow its version. */
  typeChange?: TypeChange;
}

export type Recorder = (entry: ChangeRecord) => void;

/**
 * Runs a change of state: the data, the audit rows and the events are written in one transaction or not at all. `work` must record
 * every change it makes. After a serialization failure `work` is called again.
 * `lockSite` serializes the change with others of the site. It is required for changes that can remove an administrator: whether
 * one remains depends on rows of other users, so the second of two such changes must see the first (T07). It is also required for
 * changes of group memberships, which lock users and groups and would otherwise deadlock.
 */
export function change<T>(
  db: Db,
  actor: Actor,
  work: (tx: Tx, record: Recorder) => Promise<T>,
  options: { lockSite?: boolean } = {},
): Promise<T> {
  return withTransaction(db, { lockedSiteId: options.lockSite ? actor.siteId : undefined }, async (tx) => {
    // Created per attempt: a retried transaction must not audit the records of the failed attempt.
    const records: ChangeRecord[] = [];
    const outcome = await work(tx, (record) => records.push(record));
    // All of this is sent with the commit.
    await insertAuditRows(
      tx,
      records.map((record) => toAuditRow(actor, record)),
    );
    // Last before the commit: it locks the counter row of the topic, which all writers of the site share (gap-free offsets).
    const published = publishEventsPerSite(tx, actor, records);
    if (published.length > 0) onCommit(tx, () => published.forEach(notifyEventsCommitted));
    // Likewise the versions of entry types, which their writers share.
    const typeChanges = records.flatMap(({ typeChange }) => typeChange ?? []);
    raiseTypeVersions(tx, actor.siteId, typeChanges);
    return outcome;
  });
}

/** Publishes the events site by site in ascending order of site id, so that two changes cannot deadlock. */
function publishEventsPerSite(tx: Tx, actor: Actor, records: readonly ChangeRecord[]): CommittedEvents[] {
  const siteEvents = records.flatMap(({ siteId = actor.siteId, event }) =>
    event ? [{ siteId, event }] : [],
  );
  const groups = [...Map.groupBy(siteEvents, ({ siteId }) => siteId)].toSorted(([a], [b]) => a - b);
  for (const [siteId, group] of groups) {
    // Subscribers of another site do not learn who administers this one.
    const author = siteId === actor.siteId ? actor : { siteId, userId: null, email: null };
    publishEvents(
      tx,
      author,
      group.map(({ event }) => event),
    );
  }
  return groups.map(([siteId, group]) => ({
    siteId,
    topics: [...new Set(group.map(({ event }) => event.topic))],
  }));
}

function toAuditRow(actor: Actor, record: ChangeRecord): AuditRow {
  return {
    site_id: record.siteId ?? actor.siteId,
    actor_id: actor.userId,
    proxy_id: actor.proxy?.userId ?? null,
    action: record.action,
    subject_type: record.subject[0],
    subject_id: String(record.subject[1]),
    subject_name: record.subject[2] ?? null,
    configuration_kind: getConfigurationKind(record.subject[0], record.action) ?? null,
    ip: actor.origin?.ip ?? null,
    request_id: actor.origin?.requestId ?? randomUUID(),
    changes: record.changes,
  };
}

/**
 * The properties that differ, as property → [before, after], for the audit log. `before` is undefined for a created object, `after`
 * for a deleted one; a missing property counts as null.
 */
export function diffProperties<T extends object>(
  before: T | undefined,
  after: T | undefined,
): Record<string, readonly [before: unknown, after: unknown]> {
  const oldValues = new Map<string, unknown>(Object.entries(before ?? {}));
  const newValues = new Map<string, unknown>(Object.entries(after ?? {}));
  return Object.fromEntries(
    [...new Set([...oldValues.keys(), ...newValues.keys()])]
      .map((key) => [key, [oldValues.get(key) ?? null, newValues.get(key) ?? null]] as const)
      .filter(([, [oldValue, newValue]]) => JSON.stringify(oldValue) !== JSON.stringify(newValue)),
  );
}
