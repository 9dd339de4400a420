import { capabilities } from '../../../contract/rules/capabilities.ts';
import { differences } from '../../kernel/audit/differences.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import * as pairsStore from './pairs.store.ts';
import { eventOf, groupEventOf, kept } from './shown.ts';
import { getUsers, touchUsers, type StoredUser } from './users.store.ts';

/** What belongs to the account and so shows on each of its sites. */
const OF_ACCOUNT = new Set([
  'email',
  'firstName',
  'lastName',
  'federationId',
  'isLocked',
  'secondFactorSetUp',
]);

/**
 * Where every change of users ends: whoever differs from what they were gets a new version, so that `modifiedSince`
 * misses nothing, and an audit row with an event on each site on which the change shows. The others stay as they are.
 * Returns those who changed, as they are now on this site.
 */
export async function usersChanged(
  tx: Tx,
  actor: { siteId: number; userId: number | null },
  befores: readonly StoredUser[],
  action: string,
  record: Recorder,
): Promise<StoredUser[]> {
  const ids = befores.map((user) => user.id);
  const afters = new Map((await getUsers(tx, actor.siteId, ids)).map((user) => [user.id, user]));
  const changes = new Map<number, ReturnType<typeof differences>>();
  for (const before of befores) {
    const after = afters.get(before.id);
    const different = after ? differences(kept(before), kept(after)) : {};
    if (Object.keys(different).length > 0) changes.set(before.id, different);
  }
  const everywhere = [...changes.values()].some((each) => Object.keys(ofAccount(each)).length > 0);
  const told = new Map<number, StoredUser[]>();
  for (const siteId of await touchUsers(tx, actor, [...changes.keys()], everywhere)) {
    // oxlint-disable-next-line no-await-in-loop -- one connection, a handful of sites
    told.set(siteId, await getUsers(tx, siteId, [...changes.keys()]));
  }
  for (const [siteId, users] of told) {
    for (const user of users) {
      const different = changes.get(user.id) ?? {};
      record({
        siteId,
        action,
        subject: ['user', user.id],
        changes: siteId === actor.siteId ? different : ofAccount(different),
        event: eventOf('updated', user),
      });
    }
  }
  return told.get(actor.siteId) ?? [];
}

const ofAccount = (changes: ReturnType<typeof differences>) =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => OF_ACCOUNT.has(name)));

/** Puts a new member into groups and tells of both. */
export async function memberAdded(
  tx: Tx,
  siteId: number,
  member: { userId: number; groupIds: readonly number[] },
  action: string,
  record: Recorder,
): Promise<StoredUser> {
  const added = await pairsStore.addToGroups(
    tx,
    siteId,
    member.groupIds.map((groupId) => [member.userId, groupId]),
  );
  const [user] = await getUsers(tx, siteId, [member.userId]);
  if (!user) throw new Error('An added member is there');
  record({
    siteId,
    action,
    subject: ['user', user.id],
    changes: differences(undefined, kept(user)),
    event: eventOf('created', user),
  });
  await pairsChanged(tx, siteId, { added }, record);
  return user;
}

/**
 * Where every change of who is in which group ends, for the groups: a new entity tag, an audit row and an event with
 * those who came and those who went. What it means for the users, `usersChanged` tells.
 */
export async function pairsChanged(
  tx: Tx,
  siteId: number,
  { added = [], removed = [] }: { added?: readonly pairsStore.Pair[]; removed?: readonly pairsStore.Pair[] },
  record: Recorder,
): Promise<void> {
  const groupIds = [...new Set([...added, ...removed].map(([, groupId]) => groupId))].toSorted(
    (a, b) => a - b,
  );
  if (groupIds.length === 0) return;
  await pairsStore.touchGroups(tx, siteId, groupIds);
  for (const groupId of groupIds) {
    const [came, went] = [usersIn(added, groupId), usersIn(removed, groupId)];
    record({
      siteId,
      action: went.length > 0 ? 'group.unassign' : 'group.assign',
      subject: ['group', groupId],
      changes: { members: [went, came] },
      event: groupEventOf('updated', groupId, {
        ...(came.length > 0 && { added: came }),
        ...(went.length > 0 && { removed: went }),
      }),
    });
  }
}

const usersIn = (pairs: readonly pairsStore.Pair[], groupId: number) =>
  pairs
    .filter(([, id]) => id === groupId)
    .map(([userId]) => userId)
    .toSorted((a, b) => a - b);

/** The group Administrators of a site, made, or given back all capabilities where somebody took them. */
export async function ensureAdministrators(tx: Tx, siteId: number, record: Recorder): Promise<number> {
  const before = await pairsStore.findAdministrators(tx, siteId);
  if (before && capabilities.every(({ name }) => before.capabilities.includes(name))) return before.id;
  const { id, ...after } = await pairsStore.writeAdministrators(tx, siteId);
  record({
    siteId,
    action: before ? 'group.update' : 'group.create',
    subject: ['group', id],
    changes: before
      ? { capabilities: [before.capabilities, after.capabilities] }
      : differences(undefined, after),
    event: groupEventOf(before ? 'updated' : 'created', id, { name: after.name }),
  });
  return id;
}
