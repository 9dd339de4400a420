import { splitIntoChunks } from '../../lib/chunks.ts';
import { getGroupDifference } from './person.ts';
import type { PersonChange, PersonState } from './person.ts';

/** Properties of `PUT /user` that a plan changes. */
export interface UserProperties {
  isActive?: boolean;
  twoFactorEnabled?: true;
  ipRestrictionsEnabled?: true;
  timeZone?: string | null;
}

/** All pairs of the two lists (shapes 2). */
interface Pairing {
  userIds: number[];
  groupIds: number[];
}

/** One request of the contract with the changes that it makes. */
export type PlannedRequest =
  | { kind: 'user'; change: PersonChange; set: UserProperties }
  | { kind: 'license'; change: PersonChange; licenseTypeId: number }
  | { kind: 'remove'; change: PersonChange }
  | { kind: 'assign' | 'unassign'; changes: readonly PersonChange[]; pairings: Pairing[] };

/** Most user and group pairs of one request; a request succeeds or fails as a whole. */
export const MAX_PAIRS_PER_REQUEST = 1000;

/**
 * Plans the requests that lead from before to after, in phases that run one after another. Groups are added before
 * others are removed, so that a user who moves between two groups is never in neither.
 */
export function planRequests(changes: readonly PersonChange[]): PlannedRequest[][] {
  const single = changes.flatMap(planSingleRequests);
  const parts = [planPairRequests('assign', changes), single, planPairRequests('unassign', changes)];
  return parts.filter((part) => part.length > 0);
}

function planSingleRequests(change: PersonChange): PlannedRequest[] {
  const { person, after } = change;
  if (!after) return [{ kind: 'remove', change }];
  const set = getChangedProperties(person, after);
  const { licenseTypeId } = after;
  return [
    ...(Object.keys(set).length > 0 ? [{ kind: 'user', change, set } as const] : []),
    ...(licenseTypeId !== undefined && licenseTypeId !== person.licenseTypeId
      ? [{ kind: 'license', change, licenseTypeId } as const]
      : []),
  ];
}

const getChangedProperties = (before: PersonState, after: PersonState): UserProperties => ({
  ...(before.isActive !== after.isActive && { isActive: after.isActive }),
  ...(!before.twoFactor && after.twoFactor && { twoFactorEnabled: true as const }),
  ...(!before.approvedAddresses && after.approvedAddresses && { ipRestrictionsEnabled: true as const }),
  ...(before.timeZone !== after.timeZone && { timeZone: after.timeZone }),
});

/** People with the same groups to add or remove share a pairing; each request is filled up to its limit. */
function planPairRequests(kind: 'assign' | 'unassign', changes: readonly PersonChange[]): PlannedRequest[] {
  const changesByGroups = new Map<string, { groupIds: number[]; changes: PersonChange[] }>();
  for (const change of changes) {
    const { added, removed } = getGroupDifference(change);
    const groupIds = (kind === 'assign' ? added : removed).toSorted((a, b) => a - b);
    if (groupIds.length === 0) continue;
    const existing = changesByGroups.get(groupIds.join());
    if (existing) existing.changes.push(change);
    else changesByGroups.set(groupIds.join(), { groupIds, changes: [change] });
  }
  const requests: { kind: typeof kind; changes: PersonChange[]; pairings: Pairing[] }[] = [];
  let capacity = 0;
  for (const { groupIds, changes: sameChanges } of changesByGroups.values()) {
    for (const idChunk of splitIntoChunks(groupIds, MAX_PAIRS_PER_REQUEST)) {
      for (let start = 0; start < sameChanges.length;) {
        if (capacity < idChunk.length) {
          requests.push({ kind, changes: [], pairings: [] });
          capacity = MAX_PAIRS_PER_REQUEST;
        }
        const chunk = sameChanges.slice(start, start + Math.floor(capacity / idChunk.length));
        const request = requests.at(-1);
        request?.changes.push(...chunk);
        request?.pairings.push({ userIds: chunk.map(({ person }) => person.id), groupIds: idChunk });
        start += chunk.length;
        capacity -= chunk.length * idChunk.length;
      }
    }
  }
  return requests;
}
