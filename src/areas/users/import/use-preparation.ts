import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Remote } from 'comlink';
import { getUsersByIds } from '../../../api/generated/sdk.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useDirectory, findAllIds, readDirectoryRows } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { ALL_USERS_QUERY } from '../../../directory/engine/search.ts';
import type { OpenedFile } from '../../../files/import-plan/plan-store.ts';
import type { OutcomeCounts } from '../../../files/import-plan/plan.ts';
import { usePreparation } from '../../import-view/index.ts';
import type { Prepared, FileSession } from '../../import-view/index.ts';
import { openWorkerClient } from '../../import/index.ts';
import { guessMapping } from './fields.ts';
import type { Mapping } from './fields.ts';
import type { ImportOptions, MissingCapabilities, KnownUser } from './plan.ts';
import type { createRowChecker, CheckRequest } from './row-checker.ts';
import { loadUngrantableGroups } from './ungrantable-groups.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

export interface UserImportSetup {
  mapping: Mapping;
  options: ImportOptions;
}

export type PreparedUsers = Prepared<UserFileSession, UserImportSetup>;

/** Prepares a file of users for import. */
export function useUserPreparation() {
  const { site } = useSession();
  // An identity manager manages federation ids (spec 2.1).
  const without = site.identityMode === 'identity-manager' ? 'federationId' : undefined;
  return usePreparation<UserFileSession, UserImportSetup>(openSession, ({ headings }: OpenedFile) => ({
    mapping: guessMapping(headings).map((field) => (field === without ? undefined : field)),
    options: { groups: 'add' },
  }));
}

/** Plans for the rows; updated when columns, options or users change. */
export function useCheck({ id, session, setup: { mapping, options } }: PreparedUsers) {
  const { groups, version, complete } = useDirectory();
  const { user, capabilities } = useSession();
  const missingCapabilities = useMissingCapabilities();
  const names = groups.map(({ id: groupId, name }) => ({ id: groupId, name }));
  return useQuery({
    // The key is unique to this tab, which holds the file.
    queryKey: ['import-check', id, mapping, options, missingCapabilities, capabilities, names, version],
    queryFn: ({ client, signal }) =>
      session.check(
        { mapping, options, missingCapabilities, ownUserId: user.id, groups: names },
        version,
        (groupIds) => loadUngrantableGroups(client, capabilities, groupIds),
        signal,
      ),
    enabled: complete && identifiesUsers(mapping),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** Whether rows can be matched to users: by e-mail or id. */
export const identifiesUsers = (mapping: Mapping): boolean =>
  mapping.includes('email') || mapping.includes('id');

function useMissingCapabilities(): MissingCapabilities {
  return {
    create: usePermission('createUser').reason,
    update: usePermission('updateUser').reason,
    license: usePermission('updateUserLicense').reason,
    assign: usePermission('assignGroups').reason,
    unassign: usePermission('unassignGroups').reason,
  };
}

type RowChecker = ReturnType<typeof createRowChecker>;

/** Loads the groups that the importer cannot grant, with the missing capabilities. */
type LoadUngrantableGroups = (groupIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** Connection to the worker that holds a file of users. */
interface UserFileSession extends FileSession {
  /** Checks all rows; a changed `version` sends the users again. */
  check: (
    request: CheckRequest,
    version: number,
    barredOf: LoadUngrantableGroups,
    signal: AbortSignal,
  ) => Promise<OutcomeCounts>;
}

// Small enough that sending a chunk does not block the page.
const DIRECTORY_CHUNK_SIZE = 500;
// Limit of the operation.
const MAX_USER_IDS_PER_REQUEST = 1000;
const ALL_BY_ID = { ...ALL_USERS_QUERY, sort: { by: 'id', descending: false } } as const;

function openSession(): UserFileSession {
  const { desk, open, close, runExclusive } =
    openWorkerClient<ReturnType<typeof createRowChecker>>(workerUrl);
  let lent: number | undefined;

  async function check(
    request: CheckRequest,
    version: number,
    barredOf: LoadUngrantableGroups,
  ): Promise<OutcomeCounts> {
    if (version !== lent) await sendUsers(desk);
    lent = version;
    await sendFederationIds(desk, request);
    const counts = await desk.check(request);
    // Capabilities are read with one request per group (shapes 2), only for groups that the rows change.
    const barred = await barredOf(await desk.getChangedGroupIds());
    return barred.size === 0 ? counts : desk.check(request, barred);
  }

  return {
    client: desk,
    open,
    close,
    check: (request, version, barredOf, signal) =>
      runExclusive(() => check(request, version, barredOf), signal),
  };
}

async function sendUsers(client: Remote<RowChecker>): Promise<void> {
  const ids = await findAllIds(ALL_BY_ID);
  await client.addPeople([], true);
  const portion = (at: number) => readDirectoryRows(ids.subarray(at, at + DIRECTORY_CHUNK_SIZE));
  let next = portion(0);
  for (let at = DIRECTORY_CHUNK_SIZE; at < ids.length + DIRECTORY_CHUNK_SIZE; at += DIRECTORY_CHUNK_SIZE) {
    // A portion at a time: all at once would stop the page. The next one is fetched while this one is taken in.
    const rows = await next;
    next = portion(at);
    await client.addPeople(rows.map(toKnownUser), false);
  }
}

function toKnownUser(row: DirectoryRow): KnownUser {
  const { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses } =
    row;
  return { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses };
}

async function sendFederationIds(client: Remote<RowChecker>, request: CheckRequest): Promise<void> {
  const ids = await client.getUsersWithoutFederationId(request);
  for (let at = 0; at < ids.length; at += MAX_USER_IDS_PER_REQUEST) {
    // A thousand at once, one request after the other.
    const { data } = await getUsersByIds({ body: ids.slice(at, at + MAX_USER_IDS_PER_REQUEST) });
    await client.addFederationIds(data.map(({ id, federationId }) => [id, federationId ?? '']));
  }
}
