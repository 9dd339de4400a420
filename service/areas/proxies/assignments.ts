import type { Capability } from '../../../contract/generated/types.gen.ts';
import { getActingCapabilities } from '../../../contract/rules/people/proxies.ts';
import { ApiError, badRequest, type FieldError } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import { requireProofOfPresence } from '../../kernel/auth/authorize.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import { loadEffectiveCapabilities } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { queueMails } from '../../kernel/mail/mail.store.ts';
import { getUsers, requireCapabilities, type StoredUser } from '../members/index.ts';
import { getSite } from '../sites/index.ts';
import type { Assignment } from './assignments.store.ts';
import * as store from './assignments.store.ts';
import { proxyAssignedMail } from './mails.ts';

/** Limits the principals per proxy user, so that a list of them fits in one response. */
const MAX_PRINCIPALS_PER_PROXY = 1000;
const MAIL_TTL_HOURS = 72;

/** A requested assignment with the paths of its two ids in the request. */
export interface RequestedAssignment extends Assignment {
  proxyPath: string;
  userPath: string;
}

const buildKey = ({ proxyUserId, userId }: Assignment) => `${proxyUserId}:${userId}`;

/** Splits the distinct assignments into those that are also in `reference` (present) and the others (absent). */
export function partitionAssignments<T extends Assignment>(
  assignments: readonly T[],
  reference: readonly Assignment[],
): { present: T[]; absent: T[] } {
  const referenceKeys = new Set(reference.map(buildKey));
  const unique = [...new Map(assignments.map((pair) => [buildKey(pair), pair])).values()];
  return {
    present: unique.filter((pair) => referenceKeys.has(buildKey(pair))),
    absent: unique.filter((pair) => !referenceKeys.has(buildKey(pair))),
  };
}

/** A change of assignments, computed from the assignments read in the same transaction. */
interface AssignmentChange {
  added: readonly RequestedAssignment[];
  removed: readonly Assignment[];
  /** All user ids of the request by path, those of unchanged assignments included. */
  userIdsByPath: ReadonlyMap<string, number>;
}

/**
 * Changes assignments: reports all errors at once, then writes the data, an audit row per user and a mail to each new
 * principal (T06). Requires a transaction with exclusive access to the site, so that capabilities cannot grow between
 * the check and the grant.
 * @throws ApiError 400, 403, 404
 */
export async function changeAssignments(
  tx: Tx,
  caller: Caller,
  { added, removed, userIdsByPath }: AssignmentChange,
  record: Recorder,
): Promise<void> {
  const users = new Map(
    (await getUsers(tx, caller.siteId, [...new Set(userIdsByPath.values())])).map((user) => [user.id, user]),
  );
  const errors = [
    ...checkUsersExist(userIdsByPath, users),
    ...checkEligibility(added, users),
    ...(await checkPrincipalLimit(tx, caller.siteId, added, removed)),
  ];
  if (errors.length > 0) throw toApiError(errors, isKnown(userIdsByPath.get('proxyUserId'), users));
  await requireGrantableCapabilities(tx, caller, added);
  // Removing an abused assignment must be possible at once; only adding one requires a proof (contract, x-step-up).
  if (added.length > 0) requireProofOfPresence(caller);
  await store.removeAssignments(tx, caller.siteId, removed);
  await store.addAssignments(tx, caller.siteId, added, getAuthor(caller).userId);
  recordAssignmentChanges(added, removed, record);
  await mailPrincipals(tx, caller.siteId, added, users);
}

const isKnown = (id: number | undefined, users: ReadonlyMap<number, StoredUser>) =>
  id === undefined || users.has(id);

/** 404 if the only proxy user of the request does not exist, otherwise 400; both list all errors. */
function toApiError(errors: readonly FieldError[], isProxyKnown: boolean): ApiError {
  const { message, fields, status } = badRequest(errors);
  return new ApiError(isProxyKnown ? status : 404, message, fields);
}

/** An error at each path that names an unknown user. */
const checkUsersExist = (
  userIdsByPath: ReadonlyMap<string, number>,
  users: ReadonlyMap<number, StoredUser>,
): FieldError[] =>
  [...userIdsByPath].flatMap(([path, id]) =>
    users.has(id) ? [] : [{ path, message: `user ${id} does not exist on this site` }],
  );

/** The user ids of the assignments by path. */
export const mapUserIdsByPath = (assignments: readonly RequestedAssignment[]): Map<string, number> =>
  new Map(
    assignments.flatMap(({ proxyUserId, proxyPath, userId, userPath }) => [
      [proxyPath, proxyUserId],
      [userPath, userId],
    ]),
  );

/** Nobody can be their own proxy (shapes 2), and a new assignment requires two active users. */
function checkEligibility(
  added: readonly RequestedAssignment[],
  users: ReadonlyMap<number, StoredUser>,
): FieldError[] {
  const errors = added.flatMap((assignment): FieldError[] => {
    if (assignment.proxyUserId === assignment.userId)
      return [{ path: assignment.userPath, message: 'nobody can be their own proxy' }];
    return (
      [
        [assignment.proxyPath, assignment.proxyUserId],
        [assignment.userPath, assignment.userId],
      ] as const
    ).flatMap(([path, id]) =>
      users.get(id)?.isActive === false ? [{ path, message: `user ${id} is not active` }] : [],
    );
  });
  return [...new Map(errors.map((fault) => [fault.path, fault])).values()];
}

async function checkPrincipalLimit(
  tx: Tx,
  siteId: number,
  added: readonly RequestedAssignment[],
  removed: readonly Assignment[],
): Promise<FieldError[]> {
  const paths = new Map(added.map((assignment) => [assignment.proxyUserId, assignment.proxyPath]));
  const counts = await store.countPrincipals(tx, siteId, [...paths.keys()]);
  const [addedByProxy, removedByProxy] = [added, removed].map((pairs) =>
    Map.groupBy(pairs, ({ proxyUserId }) => proxyUserId),
  );
  return [...paths].flatMap(([id, path]) => {
    const count =
      (counts.get(id) ?? 0) + (addedByProxy?.get(id)?.length ?? 0) - (removedByProxy?.get(id)?.length ?? 0);
    return count > MAX_PRINCIPALS_PER_PROXY
      ? [{ path, message: `user ${id} would act for more than ${MAX_PRINCIPALS_PER_PROXY} users` }]
      : [];
  });
}

/**
 * Requires that the caller holds every capability that the principals pass on, so that nobody gains capabilities
 * through a proxy (T05). Read in the transaction because both may have changed since the request arrived.
 * @throws ApiError 403
 */
async function requireGrantableCapabilities(
  tx: Tx,
  caller: Caller,
  added: readonly RequestedAssignment[],
): Promise<void> {
  const principals = [...new Set(added.map(({ userId }) => userId))];
  if (principals.length === 0) return;
  const granted = getActingCapabilities(await store.listCapabilitiesOfUsers(tx, caller.siteId, principals));
  const held: ReadonlySet<Capability> = await loadEffectiveCapabilities(tx, caller);
  requireCapabilities(held, granted, 'Letting somebody act for these users');
}

/** Writes an audit row per user with the removed and added principals and proxies of that user. */
function recordAssignmentChanges(
  added: readonly Assignment[],
  removed: readonly Assignment[],
  record: Recorder,
): void {
  const changesByUser = new Map<number, Record<string, [went: number[], came: number[]]>>();
  const addChange = (id: number, property: 'principals' | 'proxies', side: 0 | 1, other: number) => {
    const changes = changesByUser.get(id) ?? {};
    changesByUser.set(id, changes);
    (changes[property] ??= [[], []])[side].push(other);
  };
  for (const [side, pairs] of [removed, added].entries()) {
    for (const { proxyUserId, userId } of pairs) {
      addChange(proxyUserId, 'principals', side === 0 ? 0 : 1, userId);
      addChange(userId, 'proxies', side === 0 ? 0 : 1, proxyUserId);
    }
  }
  for (const [id, changes] of changesByUser)
    record({ action: 'proxy.change', subject: ['user', id], changes });
}

async function mailPrincipals(
  tx: Tx,
  siteId: number,
  added: readonly RequestedAssignment[],
  users: ReadonlyMap<number, StoredUser>,
): Promise<void> {
  if (added.length === 0) return;
  const { name: siteName } = await getSite(tx, siteId);
  const mails = added.flatMap(({ proxyUserId, userId }) => {
    const [proxy, user] = [users.get(proxyUserId), users.get(userId)];
    if (!proxy || !user) return [];
    const proxyName = `${proxy.firstName} ${proxy.lastName}`;
    const to = { firstName: user.firstName, siteName, proxyName, proxyEmail: proxy.email };
    return [{ to: user.email, ...proxyAssignedMail(to) }];
  });
  await queueMails(tx, { siteId, ttlHours: MAIL_TTL_HOURS }, mails);
}

/** Records the assignments that are deleted by cascade with a membership. Call it before the membership is deleted. */
export async function recordAssignmentsOfRemovedUser(
  tx: Tx,
  siteId: number,
  userId: number,
  record: Recorder,
): Promise<void> {
  recordAssignmentChanges([], await store.listAssignmentsOfUser(tx, siteId, userId), record);
}
