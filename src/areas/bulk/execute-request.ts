import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import { getLicenseName } from '../../../contract/rules/licenses.ts';
import { ServiceError, toServiceError } from '../../api/errors.ts';
import { withEtag } from '../../api/etag.ts';
import {
  assignGroups,
  getUser,
  getUserLicense,
  getUsersByIds,
  removeUser,
  unassignGroups,
  updateUser,
  updateUserLicense,
} from '../../api/generated/sdk.gen.ts';
import {
  buildMissingOutcome,
  isTransientError,
  buildConflictOutcome,
  buildRefusalOutcome,
} from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { getGroupDifference, toPerson } from './person.ts';
import type { PersonChange } from './person.ts';
import { planRequests } from './planned-requests.ts';
import type { PlannedRequest, UserProperties } from './planned-requests.ts';

type SingleRequest = Extract<PlannedRequest, { change: PersonChange }>;
type PairRequest = Exclude<PlannedRequest, SingleRequest>;

/**
 * Executes one planned request. Users are read first: those already in the target state are not changed again, and
 * those changed since the dry run are left alone; `If-Match` covers the time in between (shapes 1, lost updates).
 * @returns one outcome per user
 * @throws ServiceError if the error does not concern a user
 */
export async function executeRequest(request: PlannedRequest, ownUserId: number): Promise<Outcome[]> {
  if ('changes' in request) return changeGroups(request, ownUserId);
  const userId = request.change.person.id;
  try {
    return [await changeUser(request, ownUserId)];
  } catch (thrown) {
    if (request.kind === 'remove' && toServiceError(thrown).status === 404)
      return [{ userId, result: 'already' }];
    return [buildRefusalOutcome(userId, thrown)];
  }
}

async function changeUser(request: SingleRequest, ownUserId: number): Promise<Outcome> {
  const { person } = request.change;
  const userId = person.id;
  if (request.kind === 'license') return changeLicense(userId, person.licenseTypeId, request.licenseTypeId);
  const { data, etag } = withEtag(await getUser({ path: { userId } }));
  if (request.kind === 'user' && hasProperties(data, request.set))
    return buildUnchangedOutcome(data, request.change, ownUserId);
  if (data.modifiedDate !== person.modified) return buildConflictOutcome(userId);
  const headers = ifMatch(etag);
  if (request.kind === 'remove') await removeUser({ path: { userId }, headers });
  else await updateUser({ body: { id: userId, ...request.set }, headers });
  return { userId, result: 'done' };
}

async function changeLicense(userId: number, before: number | undefined, after: number): Promise<Outcome> {
  const { data, etag } = withEtag(await getUserLicense({ path: { userId } }));
  if (data.licenseTypeId === after) return { userId, result: 'already' };
  if (data.licenseTypeId !== before)
    return buildConflictOutcome(
      userId,
      `Someone else set the license to ${getLicenseName(data.licenseTypeId)}`,
    );
  await updateUserLicense({ body: { userId, licenseTypeId: after }, headers: ifMatch(etag) });
  return { userId, result: 'done' };
}

const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { 'If-Match': etag });

const hasProperties = (user: UserInfoResponse, properties: UserProperties): boolean =>
  (properties.isActive === undefined || user.isActive === properties.isActive) &&
  (!properties.twoFactorEnabled || user.twoFactorEnabled) &&
  (!properties.ipRestrictionsEnabled || user.ipRestrictionsEnabled) &&
  (properties.timeZone === undefined || (user.timeZone ?? null) === properties.timeZone);

/**
 * Outcome of a user already in the target state: `done` if this user made the last change (this job before an
 * interruption), otherwise `already`.
 */
const buildUnchangedOutcome = (
  current: Pick<UserInfoResponse, 'modifiedDate' | 'modifiedBy'>,
  { person }: PersonChange,
  ownUserId: number,
): Outcome => ({
  userId: person.id,
  result: current.modifiedDate !== person.modified && current.modifiedBy === ownUserId ? 'done' : 'already',
});

async function changeGroups(request: PairRequest, ownUserId: number): Promise<Outcome[]> {
  const { data } = await getUsersByIds({ body: request.changes.map(({ person }) => person.id) });
  const userById = new Map(data.map((user) => [user.id, user]));
  const outcomes: Outcome[] = [];
  const remaining: PersonChange[] = [];
  for (const change of request.changes) {
    const user = userById.get(change.person.id);
    const remainingChange = user && getRemainingChange(request.kind, change, user);
    if (!user) outcomes.push(buildMissingOutcome(change.person.id));
    else if (remainingChange) remaining.push(remainingChange);
    else outcomes.push(buildUnchangedOutcome(user, change, ownUserId));
  }
  return [...outcomes, ...(await changePairs(request.kind, remaining))];
}

/** The part of a membership change that is still to be made; undefined if nothing is. */
function getRemainingChange(
  kind: PairRequest['kind'],
  change: PersonChange,
  user: UserInfoResponse,
): PersonChange | undefined {
  const { added, removed } = getGroupDifference(change);
  const groups =
    kind === 'assign'
      ? [...user.groups, ...added.filter((id) => !user.groups.includes(id))]
      : user.groups.filter((id) => !removed.includes(id));
  if (groups.length === user.groups.length) return undefined;
  const person = toPerson(user, change.person.licenseTypeId);
  return { person, after: { ...person, groups } };
}

/**
 * Sends memberships. A request succeeds or fails as a whole: a refused one is halved until the refused user is found.
 */
async function changePairs(kind: PairRequest['kind'], changes: readonly PersonChange[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const request of planRequests(changes).flat()) {
    if (request.kind !== kind) continue;
    // One after the other: the service serializes these changes anyway.
    outcomes.push(...(await sendPairRequest(request)));
  }
  return outcomes;
}

async function sendPairRequest({ kind, changes, pairings }: PairRequest): Promise<Outcome[]> {
  try {
    await (kind === 'assign' ? assignGroups : unassignGroups)({ body: pairings });
    return changes.map(({ person }) => ({ userId: person.id, result: 'done' }));
  } catch (thrown) {
    // A missing capability concerns the groups, whoever is paired with them.
    const concernsGroups = thrown instanceof ServiceError && thrown.status === 403;
    if (concernsGroups || changes.length === 1)
      return changes.map(({ person }) => buildRefusalOutcome(person.id, thrown));
    if (isTransientError(thrown)) throw thrown;
    const middle = Math.ceil(changes.length / 2);
    const first = await changePairs(kind, changes.slice(0, middle));
    return [...first, ...(await changePairs(kind, changes.slice(middle)))];
  }
}
