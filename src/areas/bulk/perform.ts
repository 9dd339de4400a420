import { licenseName } from '../../../contract/rules/licenses.ts';
import { ServiceError, toServiceError } from '../../api/errors.ts';
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
import type { UserInfoResponse } from '../../api/generated/types.gen.ts';
import { tagged } from '../../api/tagged.ts';
import { callsOf } from './calls.ts';
import type { Call, UserSet } from './calls.ts';
import { gone, isPassing, meanwhile, refusalOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { groupsOf, toPerson } from './person.ts';
import type { Change } from './person.ts';

type Single = Extract<Call, { change: Change }>;
type Paired = Exclude<Call, Single>;

/**
 * Makes one call of a plan and says what came of each person it is about. Everybody is read again first: who is as
 * planned already is not changed twice, and who has been changed since the dry run is left alone and told, with
 * `If-Match` for the moment in between (shapes 1, lost updates).
 * @throws ServiceError where the fault is not the person's
 */
export async function perform(call: Call, me: number): Promise<Outcome[]> {
  if ('changes' in call) return changeGroups(call, me);
  const userId = call.change.person.id;
  try {
    return [await changeOne(call, me)];
  } catch (thrown) {
    if (call.kind === 'remove' && toServiceError(thrown).status === 404)
      return [{ userId, result: 'already' }];
    return [refusalOf(userId, thrown)];
  }
}

async function changeOne(call: Single, me: number): Promise<Outcome> {
  const { person } = call.change;
  const userId = person.id;
  if (call.kind === 'license') return changeLicense(userId, person.licenseTypeId, call.licenseTypeId);
  const { data, etag } = tagged(await getUser({ path: { userId } }));
  if (call.kind === 'user' && isSet(data, call.set)) return so(data, call.change, me);
  if (data.modifiedDate !== person.modified) return meanwhile(userId);
  const headers = ifMatch(etag);
  if (call.kind === 'remove') await removeUser({ path: { userId }, headers });
  else await updateUser({ body: { id: userId, ...call.set }, headers });
  return { userId, result: 'done' };
}

async function changeLicense(userId: number, before: number | undefined, wanted: number): Promise<Outcome> {
  const { data, etag } = tagged(await getUserLicense({ path: { userId } }));
  if (data.licenseTypeId === wanted) return { userId, result: 'already' };
  if (data.licenseTypeId !== before)
    return meanwhile(userId, `Somebody else set the license to ${licenseName(data.licenseTypeId)} meanwhile`);
  await updateUserLicense({ body: { userId, licenseTypeId: wanted }, headers: ifMatch(etag) });
  return { userId, result: 'done' };
}

const ifMatch = (etag: string | undefined) => (etag === undefined ? {} : { 'If-Match': etag });

const isSet = (user: UserInfoResponse, set: UserSet): boolean =>
  (set.isActive === undefined || user.isActive === set.isActive) &&
  (!set.twoFactorEnabled || user.twoFactorEnabled) &&
  (!set.ipRestrictionsEnabled || user.ipRestrictionsEnabled);

/** As planned already: by this job before it was interrupted, where I was the last to change them, else by others. */
const so = (
  now: Pick<UserInfoResponse, 'modifiedDate' | 'modifiedBy'>,
  { person }: Change,
  me: number,
): Outcome => ({
  userId: person.id,
  result: now.modifiedDate !== person.modified && now.modifiedBy === me ? 'done' : 'already',
});

async function changeGroups(call: Paired, me: number): Promise<Outcome[]> {
  const { data } = await getUsersByIds({ body: call.changes.map(({ person }) => person.id) });
  const now = new Map(data.map((user) => [user.id, user]));
  const outcomes: Outcome[] = [];
  const left: Change[] = [];
  for (const change of call.changes) {
    const user = now.get(change.person.id);
    const rest = user && restOf(call.kind, change, user);
    if (!user) outcomes.push(gone(change.person.id));
    else if (rest) left.push(rest);
    else outcomes.push(so(user, change, me));
  }
  return [...outcomes, ...(await pairUp(call.kind, left))];
}

/** What is still to do of somebody's additions or removals; undefined: nothing. */
function restOf(kind: Paired['kind'], change: Change, user: UserInfoResponse): Change | undefined {
  const { added, removed } = groupsOf(change);
  const groups =
    kind === 'assign'
      ? [...user.groups, ...added.filter((id) => !user.groups.includes(id))]
      : user.groups.filter((id) => !removed.includes(id));
  if (groups.length === user.groups.length) return undefined;
  const person = toPerson(user, change.person.licenseTypeId);
  return { person, after: { ...person, groups } };
}

/** A request is all or nothing: one that is refused is halved until it is known whose refusal it is. */
async function pairUp(kind: Paired['kind'], changes: readonly Change[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const call of callsOf(changes).flat()) {
    if (call.kind !== kind) continue;
    // One after the other: the service lets these changes take turns anyway.
    // oxlint-disable-next-line no-await-in-loop
    outcomes.push(...(await sendPairs(call)));
  }
  return outcomes;
}

async function sendPairs({ kind, changes, pairings }: Paired): Promise<Outcome[]> {
  try {
    await (kind === 'assign' ? assignGroups : unassignGroups)({ body: pairings });
    return changes.map(({ person }) => ({ userId: person.id, result: 'done' }));
  } catch (thrown) {
    // A capability is missing for the groups, whoever is paired with them.
    const whole = thrown instanceof ServiceError && thrown.status === 403;
    if (whole || changes.length === 1) return changes.map(({ person }) => refusalOf(person.id, thrown));
    if (isPassing(thrown)) throw thrown;
    const middle = Math.ceil(changes.length / 2);
    const first = await pairUp(kind, changes.slice(0, middle));
    return [...first, ...(await pairUp(kind, changes.slice(middle)))];
  }
}
