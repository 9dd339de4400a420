import { randomUUID } from 'node:crypto';
import { writeAudit, type AuditRow } from './audit/store.ts';
import { authorOf, type Caller, type Origin } from './auth/caller.ts';
import type { Db, Tx } from './db/database.ts';
import { withTransaction } from './db/transaction.ts';
import { publish, type ChangeEvent } from './outbox/store.ts';

/** Who changes something: a person through a door, or the service itself (first start, host administration). */
export interface Actor {
  siteId: number;
  /** The principal where a proxy acts: theirs is the change (spec 6 rule 5). */
  userId: number | null;
  email: string | null;
  /** Who really did it, where that is somebody else. */
  proxy?: { userId: number; email: string } | undefined;
  origin: Origin | undefined;
}

export const actorOf = (call: { caller: Caller; origin: Origin }): Actor => ({
  siteId: call.caller.siteId,
  ...authorOf(call.caller),
  proxy: call.caller.acting && { userId: call.caller.userId, email: call.caller.email },
  origin: call.origin,
});

/** The service itself, or the person at its host: no account, so the audit row has no actor. */
export const hostActor = (siteId: number): Actor => ({
  siteId,
  userId: null,
  email: null,
  origin: undefined,
});

/** What a change says about itself: one audit row, and the event of it where a topic has one (spec 6). */
interface Recorded {
  /** The site on which it shows; by default the one on which it is done. */
  siteId?: number;
  action: string;
  subject: readonly [type: string, id: number | string];
  /** What is different now: property → [before, after]. Never a secret. */
  changes: Readonly<Record<string, unknown>>;
  event?: ChangeEvent;
}

export type Recorder = (entry: Recorded) => void;

/**
 * Runs a change of state: the data, the audit rows and the events stand in one transaction, or none of them does.
 * `alone` is for every change that can take an administrator away: whether one remains depends on the rows of other
 * people, so of two such changes of a site the second has to see what the first one did (T07). It is for every change
 * of who is in which group as well: these lock people and groups, and would wait for each other crosswise.
 * A change that records nothing must have changed nothing.
 */
export function change<T>(
  db: Db,
  actor: Actor,
  work: (tx: Tx, record: Recorder) => Promise<T>,
  options: { alone?: boolean } = {},
): Promise<T> {
  return withTransaction(db, { aloneOnSite: options.alone ? actor.siteId : undefined }, async (tx) => {
    // Inside the attempt: a retried transaction must not audit what its failed attempt recorded.
    const entries: Recorded[] = [];
    const result = await work(tx, (entry) => entries.push(entry));
    await writeAudit(
      tx,
      entries.map((entry) => auditRow(actor, entry)),
    );
    // Last before commit: the topic's counter row is a lock that all writers of the site share (gap-free offsets).
    await publishAll(tx, actor, entries);
    return result;
  });
}

/** The events of each site, the sites in one order in every transaction: two changes cannot wait for each other. */
async function publishAll(tx: Tx, actor: Actor, entries: readonly Recorded[]): Promise<void> {
  const told = entries.flatMap(({ siteId = actor.siteId, event }) => (event ? [{ siteId, event }] : []));
  const bySite = Map.groupBy(told, ({ siteId }) => siteId);
  for (const [siteId, entriesHere] of [...bySite].toSorted(([one], [other]) => one - other)) {
    const events = entriesHere.map(({ event }) => event);
    // Subscribers of another site are not told who works on this one.
    const author = siteId === actor.siteId ? actor : { siteId, userId: null, email: null };
    // oxlint-disable-next-line no-await-in-loop -- one connection, a handful of sites
    await publish(tx, author, events);
  }
}

function auditRow(actor: Actor, entry: Recorded): AuditRow {
  return {
    site_id: entry.siteId ?? actor.siteId,
    actor_id: actor.userId,
    proxy_id: actor.proxy?.userId ?? null,
    action: entry.action,
    subject_type: entry.subject[0],
    subject_id: String(entry.subject[1]),
    ip: actor.origin?.ip ?? null,
    request_id: actor.origin?.requestId ?? randomUUID(),
    changes: entry.changes,
  };
}
