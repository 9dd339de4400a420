import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilitiesWhenActing } from '../../../contract/rules/proxies.ts';
import { requirePresence } from '../../kernel/auth/authorize.ts';
import { authorOf, type Caller } from '../../kernel/auth/caller.ts';
import { capabilitiesHeld } from '../../kernel/auth/store.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { ApiError, invalid, type FieldError } from '../../kernel/http/errors.ts';
import { queueMails } from '../../kernel/mail/store.ts';
import { getUsers, requireHeld, type StoredUser } from '../members/index.ts';
import { getSite } from '../sites/index.ts';
import * as store from './assignments.store.ts';
import type { Assignment } from './assignments.store.ts';
import { proxyAssignedMail } from './mails.ts';

/** Nobody acts for more people than this, so that a list of them is one short answer. */
const MOST_OF_ONE = 1000;
/** A mail that says so is worth sending for three days. */
const MAIL_HOURS = 72;

/** An assignment as somebody asks for it, and where it stands in the request. */
export interface Wish extends Assignment {
  proxyPath: string;
  userPath: string;
}

const keyOf = ({ proxyUserId, userId }: Assignment) => `${proxyUserId}:${userId}`;

/** Those of `pairs` that are among `others`, or are not, each once. */
export function split<T extends Assignment>(
  pairs: readonly T[],
  others: readonly Assignment[],
): { among: T[]; beyond: T[] } {
  const known = new Set(others.map(keyOf));
  const each = [...new Map(pairs.map((pair) => [keyOf(pair), pair])).values()];
  return {
    among: each.filter((pair) => known.has(keyOf(pair))),
    beyond: each.filter((pair) => !known.has(keyOf(pair))),
  };
}

/** What is to be different, all of it checked against the site as it is in this transaction. */
interface Difference {
  added: readonly Wish[];
  removed: readonly Assignment[];
  /** Users that the request names, by place, what stays as it is included. */
  named: ReadonlyMap<string, number>;
}

/**
 * Changes who may act for whom: every fault at once, then the data, an audit row for each of the people and a mail to
 * whoever somebody may act for from now on (T06). Call it inside a change that runs alone on the site: what people can
 * do must not grow between the check and the gift.
 */
export async function assign(
  tx: Tx,
  caller: Caller,
  { added, removed, named }: Difference,
  record: Recorder,
): Promise<void> {
  const people = new Map(
    (await getUsers(tx, caller.siteId, [...new Set(named.values())])).map((user) => [user.id, user]),
  );
  const faults = [
    ...unknown(named, people),
    ...unfit(added, people),
    ...(await tooMany(tx, caller.siteId, added, removed)),
  ];
  if (faults.length > 0) throw refusal(faults, isKnown(named.get('proxyUserId'), people));
  await requireReach(tx, caller, added);
  // Whoever finds a right abused takes it away at once; only giving one asks (contract, x-step-up).
  if (added.length > 0) requirePresence(caller);
  await store.removeAssignments(tx, caller.siteId, removed);
  await store.addAssignments(tx, caller.siteId, added, authorOf(caller).userId);
  tellOf(added, removed, record);
  await mailPrincipals(tx, caller.siteId, added, people);
}

const isKnown = (id: number | undefined, people: ReadonlyMap<number, StoredUser>) =>
  id === undefined || people.has(id);

/** 404 where the one proxy user of the request is nobody here; all faults are told either way. */
function refusal(faults: readonly FieldError[], known: boolean): ApiError {
  const { message, fields, status } = invalid(faults);
  return new ApiError(known ? status : 404, message, fields);
}

/** Users whom this site does not have, at each place that names them. */
const unknown = (named: ReadonlyMap<string, number>, people: ReadonlyMap<number, StoredUser>): FieldError[] =>
  [...named].flatMap(([path, id]) =>
    people.has(id) ? [] : [{ path, message: `user ${id} does not exist on this site` }],
  );

/** The places of wishes, each with whom it names. */
export const placesOf = (wishes: readonly Wish[]): Map<string, number> =>
  new Map(
    wishes.flatMap(({ proxyUserId, proxyPath, userId, userPath }) => [
      [proxyPath, proxyUserId],
      [userPath, userId],
    ]),
  );

/** Nobody is their own proxy (shapes 2), and an assignment begins between two who are active. */
function unfit(added: readonly Wish[], people: ReadonlyMap<number, StoredUser>): FieldError[] {
  const faults = added.flatMap((wish): FieldError[] => {
    if (wish.proxyUserId === wish.userId)
      return [{ path: wish.userPath, message: 'nobody can be their own proxy' }];
    return (
      [
        [wish.proxyPath, wish.proxyUserId],
        [wish.userPath, wish.userId],
      ] as const
    ).flatMap(([path, id]) =>
      people.get(id)?.isActive === false ? [{ path, message: `user ${id} is not active` }] : [],
    );
  });
  return [...new Map(faults.map((fault) => [fault.path, fault])).values()];
}

async function tooMany(
  tx: Tx,
  siteId: number,
  added: readonly Wish[],
  removed: readonly Assignment[],
): Promise<FieldError[]> {
  const places = new Map(added.map((wish) => [wish.proxyUserId, wish.proxyPath]));
  const counts = await store.countsOf(tx, siteId, [...places.keys()]);
  const [more, fewer] = [added, removed].map((pairs) => Map.groupBy(pairs, ({ proxyUserId }) => proxyUserId));
  return [...places].flatMap(([id, path]) => {
    const count = (counts.get(id) ?? 0) + (more?.get(id)?.length ?? 0) - (fewer?.get(id)?.length ?? 0);
    return count > MOST_OF_ONE
      ? [{ path, message: `user ${id} would act for more than ${MOST_OF_ONE} users` }]
      : [];
  });
}

/**
 * Nobody lets a proxy, themselves or an accomplice, reach what they do not hold (T05): who assigns holds everything that
 * the principals pass on. Read in the transaction: both may have changed since the request came in.
 */
async function requireReach(tx: Tx, caller: Caller, added: readonly Wish[]): Promise<void> {
  const principals = [...new Set(added.map(({ userId }) => userId))];
  if (principals.length === 0) return;
  const reached = capabilitiesWhenActing(await store.capabilitiesOfAll(tx, caller.siteId, principals));
  const held: ReadonlySet<Capability> = await capabilitiesHeld(tx, caller);
  requireHeld(held, reached, 'Letting somebody act for these users');
}

/**
 * An audit row for each of the people: whom they may act for (`principals`) and who may act for them (`proxies`), those
 * who went and those who came.
 */
export function tellOf(added: readonly Assignment[], removed: readonly Assignment[], record: Recorder): void {
  const told = new Map<number, Record<string, [went: number[], came: number[]]>>();
  const tell = (id: number, property: 'principals' | 'proxies', side: 0 | 1, other: number) => {
    const changes = told.get(id) ?? {};
    told.set(id, changes);
    (changes[property] ??= [[], []])[side].push(other);
  };
  for (const [side, pairs] of [removed, added].entries()) {
    for (const { proxyUserId, userId } of pairs) {
      tell(proxyUserId, 'principals', side === 0 ? 0 : 1, userId);
      tell(userId, 'proxies', side === 0 ? 0 : 1, proxyUserId);
    }
  }
  for (const [id, changes] of told) record({ action: 'proxy.change', subject: ['user', id], changes });
}

async function mailPrincipals(
  tx: Tx,
  siteId: number,
  added: readonly Wish[],
  people: ReadonlyMap<number, StoredUser>,
): Promise<void> {
  if (added.length === 0) return;
  const { name: siteName } = await getSite(tx, siteId);
  const mails = added.flatMap(({ proxyUserId, userId }) => {
    const [proxy, user] = [people.get(proxyUserId), people.get(userId)];
    if (!proxy || !user) return [];
    const proxyName = `${proxy.firstName} ${proxy.lastName}`;
    const to = { firstName: user.firstName, siteName, proxyName, proxyEmail: proxy.email };
    return [{ to: user.email, ...proxyAssignedMail(to) }];
  });
  await queueMails(tx, { siteId, hours: MAIL_HOURS }, mails);
}
