import { queryOptions } from '@tanstack/react-query';
import pLimit from 'p-limit';
import type { Capability, GroupInfoResponse, UserGroupEntityVm } from '../../contract/generated/types.gen.ts';
import { capabilities, findMissingCapabilities } from '../../contract/rules/people/capabilities.ts';
import { withEtag } from '../api/etag.ts';
import type { WithEtag } from '../api/etag.ts';
import { getGroupQueryKey, listGroupsQueryKey } from '../api/generated/queries/groups.gen.ts';
import { getGroup, listGroups } from '../api/generated/sdk/groups.gen.ts';
import { readAllPages } from './read-all-pages.ts';

const GROUP_STALE_TIME_MS = 5 * 60_000;
const isCapability = (name: string): name is Capability => capabilities.some((one) => one.name === name);

// Capabilities need one call per group (shapes 2); a page of groups must not block all other calls of the browser.
const limitGroupReads = pLimit(4);

const collator = new Intl.Collator(undefined, { numeric: true });

/** Compares by name, numbers by value: the default order of groups. */
export const compareByName = (a: { name: string }, b: { name: string }): number =>
  collator.compare(a.name, b.name);

/** Reads all groups of the site. */
export const readAllGroups = (signal?: AbortSignal): Promise<GroupInfoResponse[]> =>
  readAllPages((query) => listGroups({ query, ...(signal && { signal }) }));

/** All groups of the site, sorted by name. */
export const groupsQuery = queryOptions({
  queryKey: [{ ...listGroupsQueryKey()[0], all: true }],
  queryFn: async ({ signal }) => (await readAllGroups(signal)).toSorted(compareByName),
});

/** A group with its capabilities and entity tag. */
export const groupQuery = (groupId: number) =>
  queryOptions({
    queryKey: [{ ...getGroupQueryKey({ path: { groupId } })[0], tagged: true }],
    queryFn: ({ signal }): Promise<WithEtag<UserGroupEntityVm>> =>
      limitGroupReads(() => readGroup(groupId, signal)),
    staleTime: GROUP_STALE_TIME_MS,
  });

/** Reads a group without the cache. */
export const readGroup = async (
  groupId: number,
  signal?: AbortSignal,
): Promise<WithEtag<UserGroupEntityVm>> =>
  withEtag(await getGroup({ path: { groupId }, ...(signal && { signal }) }));

/** Returns the capabilities of a group that this console knows, in display order. */
export const getGroupCapabilities = (group: Pick<UserGroupEntityVm, 'capabilities'>): Capability[] =>
  sortCapabilities(group.capabilities.filter(isCapability));

/** Removes duplicates and sorts capabilities in display order. */
export function sortCapabilities(values: Iterable<Capability>): Capability[] {
  const all = new Set(values);
  return capabilities.flatMap(({ name }) => (all.has(name) ? [name] : []));
}

const listFormat = new Intl.ListFormat('en');

/**
 * Names the capabilities a user lacks to grant or revoke the given ones, as nobody grants what they do not hold; undefined
 * if none.
 */
export function formatMissingToGrant(
  heldCapabilities: readonly Capability[],
  grantedCapabilities: readonly Capability[],
): string | undefined {
  const missing = findMissingCapabilities(heldCapabilities, grantedCapabilities);
  return missing.length === 0 ? undefined : listFormat.format(missing);
}
