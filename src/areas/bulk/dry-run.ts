import type { QueryClient } from '@tanstack/react-query';
import type { Capability, Session } from '../../../contract/generated/types.gen.ts';
import { NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { searchUsers } from '../../api/generated/sdk/users.gen.ts';
import { hasAnyCapability, formatMissingCapabilities } from '../../api/session.ts';
import { readDirectoryRows } from '../../directory/directory.ts';
import { getGroupCapabilities, groupQuery, readAllGroups } from '../../directory/groups.ts';
import { readAllPages } from '../../directory/read-all-pages.ts';
import { splitIntoChunks } from '../../lib/chunks.ts';
import type { BulkRequest, BulkAction } from './bulk-request.ts';
import type { PersonChange, Person } from './person.ts';
import { createPlanner, areAdministrators } from './plan.ts';
import type { BulkPlan, PlanRules } from './plan.ts';
import { forEachConcurrently, readPeople } from './read-people.ts';

/** Change by another user after the list was loaded. */
interface ConcurrentChange {
  changedBy: string;
  changedAt: string;
}

export interface DryRun extends BulkPlan {
  /** Changes of people whom another user has changed since the list was loaded, by user id. */
  conflicts: ReadonlyMap<number, ConcurrentChange>;
  /** Number of people who are no longer on the site. */
  missing: number;
  /** Reason why nobody can be changed: a missing capability. */
  blockedReason: string | undefined;
}

// Planning one chunk takes a few milliseconds; the page stays responsive between chunks.
const PLAN_CHUNK_SIZE = 1000;

/** Reads all people again from the service and plans their changes. @throws ServiceError, or the reason of the abort */
export async function runDryRun(
  { action, userIds }: BulkRequest,
  context: DryRunContext,
  onRead: (people: number) => void,
): Promise<DryRun> {
  const ids = [...new Set(userIds)];
  const knownModifiedById = new Map((await readDirectoryRows(ids)).map((row) => [row.id, row.modified]));
  const { siteUserCount, signal } = context;
  const people = await readPeople(ids, {
    withLicenses: needsLicenses(action),
    siteUserCount,
    signal,
    onRead,
  });
  const rules = await readRules(action, people, context);
  const planner = createPlanner(action, rules);
  for (const chunk of splitIntoChunks(people, PLAN_CHUNK_SIZE)) {
    planner.add(chunk);
    // Yields to the page after each chunk.
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  }
  const plan = planner.end();
  const isConflict = ({ person: { id, modified, modifiedBy } }: PersonChange): boolean =>
    knownModifiedById.has(id) && knownModifiedById.get(id) !== modified && modifiedBy !== rules.ownUserId;
  return {
    ...plan,
    conflicts: await describeConcurrentChanges(plan.changes.filter(isConflict).map(({ person }) => person)),
    missing: ids.length - people.length,
    blockedReason: rules.blockedReason,
  };
}

async function describeConcurrentChanges(
  people: readonly Person[],
): Promise<ReadonlyMap<number, ConcurrentChange>> {
  const modifierIds = new Set(people.flatMap(({ modifiedBy }) => modifiedBy ?? []));
  const names = new Map((await readDirectoryRows(modifierIds)).map(({ id, name }) => [id, name]));
  return new Map(
    people.map(({ id, modified, modifiedBy }) => [
      id,
      { changedBy: names.get(modifiedBy ?? 0) ?? 'someone else', changedAt: modified },
    ]),
  );
}

type Operation = 'updateUser' | 'updateUserLicense' | 'assignGroups' | 'unassignGroups' | 'removeUser';

/** Operation that an action uses; its capability decides who may request it. */
const OPERATION_BY_ACTION: Record<BulkAction['kind'], Operation> = {
  activate: 'updateUser',
  deactivate: 'updateUser',
  twoFactorOn: 'updateUser',
  addressesOn: 'updateUser',
  license: 'updateUserLicense',
  licenses: 'updateUserLicense',
  timeZone: 'updateUser',
  addGroups: 'assignGroups',
  removeGroups: 'unassignGroups',
  pairs: 'assignGroups',
  remove: 'removeUser',
};

/** Whether the plan depends on licenses. */
const needsLicenses = ({ kind }: BulkAction): boolean =>
  kind === 'license' || kind === 'licenses' || kind === 'remove';

const ADMINISTRATOR_CAPABILITIES: readonly Capability[] = ['Manage Users', 'Manage Groups'];

/** Inputs of a dry run. */
interface DryRunContext {
  client: QueryClient;
  session: Session;
  siteUserCount: number;
  signal: AbortSignal;
}

/** Reads the facts that decide who may be changed: capabilities of groups and, where relevant, the administrators. */
async function readRules(
  action: BulkAction,
  people: readonly Person[],
  context: DryRunContext,
): Promise<PlanRules> {
  const { client, session } = context;
  const needed = getRelevantGroups(action, people);
  const groups: Map<number, { name: string; capabilities: readonly Capability[] }> = new Map();
  const read = (ids: readonly number[]) =>
    forEachConcurrently(ids, (groupId) => readGroup(client, groupId, groups));
  await read(needed);
  const anyOf = CAPABILITIES[OPERATION_BY_ACTION[action.kind]];
  const rules: PlanRules = {
    ownUserId: session.user.id,
    ownCapabilities: session.capabilities,
    groups,
    blockedReason: hasAnyCapability(session, anyOf) ? undefined : formatMissingCapabilities(anyOf),
  };
  const removedGroupIds = getRemovedGroups(action);
  if (
    !removedGroupIds.some((id) =>
      ADMINISTRATOR_CAPABILITIES.some((one) => groups.get(id)?.capabilities.includes(one)),
    )
  )
    return rules;
  // Several groups together can make an administrator, so all are read.
  const allGroups = await readAllGroups(context.signal);
  await read(allGroups.map(({ id }) => id).filter((id) => !groups.has(id)));
  return { ...rules, administrators: await readAdministrators(groups, context) };
}

async function readGroup(
  client: QueryClient,
  groupId: number,
  groups: Map<number, { name: string; capabilities: readonly Capability[] }>,
): Promise<void> {
  try {
    const { data } = await client.fetchQuery(groupQuery(groupId));
    groups.set(groupId, { name: data.name, capabilities: getGroupCapabilities(data) });
  } catch (thrown) {
    // The group was deleted; the plan refuses users who would join it.
    if (toServiceError(thrown).status !== 404) throw thrown;
  }
}

/** Groups whose capabilities matter: those added or removed, or those of the people. */
function getRelevantGroups(action: BulkAction, people: readonly Person[]): number[] {
  if (action.kind === 'addGroups' || action.kind === 'removeGroups') return [...new Set(action.groupIds)];
  if (action.kind === 'pairs')
    return [...new Set([...action.add, ...action.remove].map(({ groupId }) => groupId))];
  if (action.kind === 'timeZone') return [];
  if (action.kind === 'license' && action.licenseTypeId !== NO_LICENSE) return [];
  return [...new Set(people.flatMap(({ groups }) => groups))];
}

function getRemovedGroups(action: BulkAction): readonly number[] {
  if (action.kind === 'removeGroups') return action.groupIds;
  return action.kind === 'pairs' ? action.remove.map(({ groupId }) => groupId) : [];
}

/**
 * Administrators who can sign in, as far as the contract shows: active, licensed, in groups that together grant both
 * capabilities. The service also knows who has no password yet and decides.
 */
async function readAdministrators(
  groups: PlanRules['groups'],
  { siteUserCount, signal }: DryRunContext,
): Promise<Set<number>> {
  const groupsWithCapability = [...groups].filter(([, { capabilities: given }]) =>
    ADMINISTRATOR_CAPABILITIES.some((one) => given.includes(one)),
  );
  const ids = new Set<number>();
  await forEachConcurrently(groupsWithCapability, async ([userGroupId]) => {
    const members = await readAllPages((page) => searchUsers({ query: { userGroupId, ...page }, signal }));
    for (const { id } of members) ids.add(id);
  });
  const members = await readPeople([...ids], { withLicenses: true, siteUserCount, signal });
  return new Set(
    members
      .filter(
        (one) =>
          one.isActive && one.licenseTypeId !== NO_LICENSE && areAdministrators(one.groups, { groups }),
      )
      .map(({ id }) => id),
  );
}
