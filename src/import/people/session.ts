import type { Remote } from 'comlink';
import { getUsersByIds } from '../../api/generated/sdk.gen.ts';
import { findAll, rowsOf } from '../../directory/directory.ts';
import type { DirectoryRow } from '../../directory/row.ts';
import { EVERYBODY } from '../../directory/search.ts';
import { openDesk } from '../open-desk.ts';
import type { Counts } from '../plan.ts';
import type { FileSession } from '../view/use-preparation.ts';
import type { createDesk, Question } from './desk.ts';
import type { Known } from './plan.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

type DeskWorker = ReturnType<typeof createDesk>;

/** Which of these groups the importer may neither give nor take, each with what they lack for it. */
type BarredOf = (groupIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

/** A file of people on its desk. */
export interface PeopleSession extends FileSession {
  /** Checks every row against everybody; `version` says when people have changed since the last time. */
  check: (question: Question, version: number, barredOf: BarredOf, signal: AbortSignal) => Promise<Counts>;
}

// So many pass through the page without a pause that anybody feels.
const LENT = 500;
// The service takes so many ids at once.
const PORTION = 1000;
const BY_ID = { ...EVERYBODY, sort: { by: 'id', descending: false } } as const;

export function openSession(): PeopleSession {
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
