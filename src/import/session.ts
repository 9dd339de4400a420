import { proxy, releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { getUsersByIds } from '../api/generated/sdk.gen.ts';
import { findAll, rowsOf } from '../directory/directory.ts';
import type { DirectoryRow } from '../directory/row.ts';
import { startWorker } from '../lib/start-worker.ts';
import type { Counts, Desk, Opened, Question } from './desk.ts';
import type { Known } from './plan.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

/** A file on its desk in a worker, from its opening until its import is over or given up. */
export interface ImportSession {
  desk: Remote<Desk>;
  open: (file: Blob, onProgress: (share: number) => void) => Promise<Opened>;
  /** Checks every row against everybody; `version` says when people have changed since the last time. */
  check: (question: Question, version: number) => Promise<Counts>;
  close: () => void;
}

// So many pass to a worker without a pause that anybody feels; the service takes so many ids at once.
const PORTION = 1000;
const EVERYBODY = {
  q: '',
  filters: { status: [], license: [], group: [], twoFactor: [], addresses: [], changed: [] },
  sort: { by: 'id', descending: false },
} as const;

export function openSession(): ImportSession {
  const worker = startWorker(workerUrl);
  const desk = wrap<Desk>(worker);
  let lent: number | undefined;
  // One check after the other: each has the desk for itself.
  let turn: Promise<unknown> = Promise.resolve();

  async function check(question: Question, version: number): Promise<Counts> {
    if (version !== lent) await lendPeople(desk);
    lent = version;
    await lendFederation(desk, question);
    return desk.check(question);
  }

  return {
    desk,
    async open(file, onProgress) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      // A callback crosses to the worker as a proxy.
      return desk.open(bytes, proxy(onProgress));
    },
    check(question, version) {
      const next = turn.then(() => check(question, version));
      turn = next.catch(() => undefined);
      return next;
    },
    close() {
      desk[releaseProxy]();
      worker.terminate();
    },
  };
}

async function lendPeople(desk: Remote<Desk>): Promise<void> {
  const ids = await findAll(EVERYBODY);
  await desk.addPeople([], true);
  for (let at = 0; at < ids.length; at += PORTION) {
    // A portion at a time: all at once would stop the page.
    // oxlint-disable-next-line no-await-in-loop
    const rows = await rowsOf(ids.subarray(at, at + PORTION));
    // oxlint-disable-next-line no-await-in-loop
    await desk.addPeople(rows.map(slim), false);
  }
}

function slim(row: DirectoryRow): Known {
  const { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses } =
    row;
  return { id, email, firstName, lastName, isActive, licenseTypeId, groups, twoFactor, approvedAddresses };
}

async function lendFederation(desk: Remote<Desk>, question: Question): Promise<void> {
  const ids = await desk.federationOf(question);
  for (let at = 0; at < ids.length; at += PORTION) {
    // oxlint-disable-next-line no-await-in-loop -- a thousand at once, one request after the other
    const { data } = await getUsersByIds({ body: ids.slice(at, at + PORTION) });
    // oxlint-disable-next-line no-await-in-loop
    await desk.addFederation(data.map(({ id, federationId }) => [id, federationId ?? '']));
  }
}
