import type { QueryClient } from '@tanstack/react-query';
import { NO_LICENSE } from '../../../contract/rules/licenses.ts';
import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { searchUsers } from '../../api/generated/sdk.gen.ts';
import type { Capability, Session } from '../../api/generated/types.gen.ts';
import { can, lacking } from '../../api/session.ts';
import { capabilitiesOf, groupQuery, readEveryGroup } from '../../directory/groups.ts';
import { everyPage } from '../../directory/pages.ts';
import type { BulkAction } from './actions.ts';
import type { Person } from './person.ts';
import { areAdministrators } from './plan.ts';
import type { Rules } from './plan.ts';
import { forEach, readPeople } from './read.ts';

type Operation = 'updateUser' | 'updateUserLicense' | 'assignGroups' | 'unassignGroups' | 'removeUser';

/** The operation that an action comes down to; its capability decides who may ask for it. */
export const OPERATIONS: Record<BulkAction['kind'], Operation> = {
  activate: 'updateUser',
  deactivate: 'updateUser',
  twoFactorOn: 'updateUser',
  addressesOn: 'updateUser',
  license: 'updateUserLicense',
  licenses: 'updateUserLicense',
  addGroups: 'assignGroups',
  removeGroups: 'unassignGroups',
  pairs: 'assignGroups',
  remove: 'removeUser',
};

/** Whether the plan is about licenses or the seats that they take. */
export const concernsLicenses = ({ kind }: BulkAction): boolean =>
  kind === 'license' || kind === 'licenses' || kind === 'remove';

const KEEP_SITE_OPEN: readonly Capability[] = ['Manage Users', 'Manage Groups'];

/** What a dry run knows beforehand. */
export interface Around {
  client: QueryClient;
  session: Session;
  size: number;
  signal: AbortSignal;
}

/** Reads what decides who may be changed: what groups give, and who the administrators are where that matters. */
export async function readRules(
  action: BulkAction,
  people: readonly Person[],
  around: Around,
): Promise<Rules> {
  const { client, session } = around;
  const needed = neededGroups(action, people);
  const groups: Map<number, { name: string; capabilities: readonly Capability[] }> = new Map();
  const read = (ids: readonly number[]) => forEach(ids, (groupId) => readGroup(client, groupId, groups));
  await read(needed);
  const anyOf = CAPABILITIES[OPERATIONS[action.kind]];
  const rules: Rules = {
    me: session.user.id,
    held: session.capabilities,
    groups,
    lacks: can(session, anyOf) ? undefined : lacking(anyOf),
  };
  const taken = takenGroups(action);
  if (!taken.some((id) => KEEP_SITE_OPEN.some((one) => groups.get(id)?.capabilities.includes(one))))
    return rules;
  // Somebody may be an administrator through several groups: all have to be known.
  const all = await readEveryGroup(around.signal);
  await read(all.map(({ id }) => id).filter((id) => !groups.has(id)));
  return { ...rules, administrators: await readAdministrators(groups, around) };
}

async function readGroup(
  client: QueryClient,
  groupId: number,
  groups: Map<number, { name: string; capabilities: readonly Capability[] }>,
): Promise<void> {
  try {
    const { data } = await client.fetchQuery(groupQuery(groupId));
    groups.set(groupId, { name: data.name, capabilities: capabilitiesOf(data) });
  } catch (thrown) {
    // Somebody has deleted it: who would come into it is told so.
    if (toServiceError(thrown).status !== 404) throw thrown;
  }
}

/** The groups whose capabilities decide: those given or taken, or those of the people themselves. */
function neededGroups(action: BulkAction, people: readonly Person[]): number[] {
  if (action.kind === 'addGroups' || action.kind === 'removeGroups') return [...new Set(action.groupIds)];
  if (action.kind === 'pairs')
    return [...new Set([...action.add, ...action.remove].map(({ groupId }) => groupId))];
  if (action.kind === 'license' && action.licenseTypeId !== NO_LICENSE) return [];
  return [...new Set(people.flatMap(({ groups }) => groups))];
}

function takenGroups(action: BulkAction): readonly number[] {
  if (action.kind === 'removeGroups') return action.groupIds;
  return action.kind === 'pairs' ? action.remove.map(({ groupId }) => groupId) : [];
}

/**
 * The administrators who can sign in, as far as the contract tells: active, licensed, in groups that together give both
 * capabilities. The service knows more, such as who has no password yet, and has the last word.
 */
async function readAdministrators(groups: Rules['groups'], { size, signal }: Around): Promise<Set<number>> {
  const giving = [...groups].filter(([, { capabilities: given }]) =>
    KEEP_SITE_OPEN.some((one) => given.includes(one)),
  );
  const ids = new Set<number>();
  await forEach(giving, async ([userGroupId]) => {
    const members = await everyPage((page) => searchUsers({ query: { userGroupId, ...page }, signal }));
    for (const { id } of members) ids.add(id);
  });
  const members = await readPeople([...ids], { licenses: true, size, signal });
  return new Set(
    members
      .filter(
        (one) =>
          one.isActive && one.licenseTypeId !== NO_LICENSE && areAdministrators(one.groups, { groups }),
      )
      .map(({ id }) => id),
  );
}
