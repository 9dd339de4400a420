import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Remote } from 'comlink';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useDirectory, findAll, rowsOf } from '../../../directory/directory.ts';
import type { OpenedFile } from '../../import/board.ts';
import { readBarred } from './barred.ts';
import { guessMapping } from './fields.ts';
import type { Mapping } from './fields.ts';
import type { Choices, Permissions, Known } from './plan.ts';
import { usePreparation } from '../../import/view/use-preparation.ts';
import type { Prepared, FileSession } from '../../import/view/use-preparation.ts';
import { getUsersByIds } from '../../../api/generated/sdk.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { EVERYBODY } from '../../../directory/search.ts';
import { openDesk } from '../../import/open-desk.ts';
import type { Counts } from '../../import/plan.ts';
import type { createDesk, Question } from './desk.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

export interface PeopleSetup {
  mapping: Mapping;
  choices: Choices;
}

export type PreparedPeople = Prepared<PeopleSession, PeopleSetup>;

/** A file of people on its way to the import. */
export function usePeoplePreparation() {
  const { site } = useSession();
  // An identity manager decides federation ids there (spec 2.1).
  const without = site.identityMode === 'identity-manager' ? 'federationId' : undefined;
  return usePreparation<PeopleSession, PeopleSetup>(openSession, ({ headings }: OpenedFile) => ({
    mapping: guessMapping(headings).map((field) => (field === without ? undefined : field)),
    choices: { groups: 'add' },
  }));
}

/** What would become of the rows; checked again when columns, choices or people change. */
export function useCheck({ id, session, setup: { mapping, choices } }: PreparedPeople) {
  const { groups, version, complete } = useDirectory();
  const { user, capabilities } = useSession();
  const may = usePermissions();
  const names = groups.map(({ id: groupId, name }) => ({ id: groupId, name }));
  return useQuery({
    // The file and the answers stay in this tab: the key is its own.
    queryKey: ['import-check', id, mapping, choices, may, capabilities, names, version],
    queryFn: ({ client, signal }) =>
      session.check(
        { mapping, choices, may, me: user.id, groups: names },
        version,
        (groupIds) => readBarred(client, capabilities, groupIds),
        signal,
      ),
    enabled: complete && canTellPeople(mapping),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
}

/** Without an e-mail address or an id nobody knows whom a row is about. */
export const canTellPeople = (mapping: Mapping): boolean =>
  mapping.includes('email') || mapping.includes('id');

function usePermissions(): Permissions {
  return {
    create: useAllowed('createUser').reason,
    update: useAllowed('updateUser').reason,
    license: useAllowed('updateUserLicense').reason,
    assign: useAllowed('assignGroups').reason,
    unassign: useAllowed('unassignGroups').reason,
  };
}

type DeskWorker = ReturnType<typeof createDesk>;

/** Which of these groups the importer may neither give nor take, each with what they lack for it. */
type BarredOf = (groupIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** A file of people on its desk. */
interface PeopleSession extends FileSession {
  /** Checks every row against everybody; `version` says when people have changed since the last time. */
  check: (question: Question, version: number, barredOf: BarredOf, signal: AbortSignal) => Promise<Counts>;
}

// So many pass through the page without a pause that anybody feels.
const LENT = 500;
// The service takes so many ids at once.
const PORTION = 1000;
const BY_ID = { ...EVERYBODY, sort: { by: 'id', descending: false } } as const;

function openSession(): PeopleSession {
  const { desk, open, close, inTurn } = openDesk<ReturnType<typeof createDesk>>(workerUrl);
  let lent: number | undefined;

  async function check(question: Question, version: number, barredOf: BarredOf): Promise<Counts> {
    if (version !== lent) await lendPeople(desk);
    lent = version;
    await lendFederation(desk, question);
    const counts = await desk.check(question);
    // Only a call per group tells its capabilities (shapes 2): those that the rows name are asked for, once.
    const barred = await barredOf(await desk.groupsTouched());
    return barred.size === 0 ? counts : desk.check(question, barred);
  }

  return {
    desk,
    open,
    close,
    check: (question, version, barredOf, signal) => inTurn(() => check(question, version, barredOf), signal),
  };
}

async function lendPeople(desk: Remote<DeskWorker>): Promise<void> {
  const ids = await findAll(BY_ID);
  await desk.addPeople([], true);
  const portion = (at: number) => rowsOf(ids.subarray(at, at + LENT));
  let next = portion(0);
  for (let at = LENT; at < ids.length + LENT; at += LENT) {
    // A portion at a time: all at once would stop the page. The next one is fetched while this one is taken in.
    // oxlint-disable-next-line no-await-in-loop
    const rows = await next;
    next = portion(at);
    // oxlint-disable-next-line no-await-in-loop
    await desk.addPeople(rows.map(slim), false);
  }
}

function slim(row: DirectoryRow): Known {
  const { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses } =
    row;
  return { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses };
}

async function lendFederation(desk: Remote<DeskWorker>, question: Question): Promise<void> {
  const ids = await desk.federationOf(question);
  for (let at = 0; at < ids.length; at += PORTION) {
    // oxlint-disable-next-line no-await-in-loop -- a thousand at once, one request after the other
    const { data } = await getUsersByIds({ body: ids.slice(at, at + PORTION) });
    // oxlint-disable-next-line no-await-in-loop
    await desk.addFederation(data.map(({ id, federationId }) => [id, federationId ?? '']));
  }
}
