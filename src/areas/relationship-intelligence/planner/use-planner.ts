import { proxy, releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { useCallback, useEffect, useRef, useState } from 'react';
import { resolvePastedText } from '../../../directory/directory.ts';
import { CODE_MISSING_MESSAGE, isCodeMissingError } from '../../../lib/code-missing.ts';
import { rejectOnWorkerError, startWorker } from '../../../lib/start-worker.ts';
import type { DateOrder } from '../formats/items.ts';
import type { Planner, PlanOptions, PlanSummary, ReadFile } from './planner.ts';
// oxlint-disable-next-line import/default -- the build provides this export
import workerUrl from './worker.ts?worker&url';

interface Knowledge extends Omit<PlanOptions, 'people' | 'chosen' | 'exchangeAddresses'> {
  /** User ids by address of the enabled users, whom importers without the directory know too. */
  enabledPeople: ReadonlyMap<string, number>;
}

interface Reading {
  name: string;
  /** 0 to 1. */
  share: number;
  rows: number;
}

interface PlannerState {
  files: readonly ReadFile[];
  reading: Reading | undefined;
  summary: PlanSummary | undefined;
  error: string | undefined;
  /** Whether the worker has failed: the plan is lost, and the files can be read again. */
  hasFailed: boolean;
  people: ReadonlyMap<string, number>;
  chosen: ReadonlyMap<string, number>;
  exchangeAddresses: ReadonlyMap<string, string>;
  /** Order of day and month, chosen by the user for files whose dates do not show it. */
  dateOrder: DateOrder | undefined;
}

const NO_PEOPLE: ReadonlyMap<string, number> = new Map();

const EMPTY: PlannerState = {
  files: [],
  reading: undefined,
  summary: undefined,
  error: undefined,
  hasFailed: false,
  people: new Map(),
  chosen: new Map(),
  exchangeAddresses: new Map(),
  dateOrder: undefined,
};

/** The worker of the planner. */
export interface PlannerClient {
  planner: Remote<Planner>;
  /** Rejects an answer of the planner when the worker fails; without it the answer would stay pending. */
  alive: ReturnType<typeof rejectOnWorkerError>;
  close: () => void;
}

/** @param onFailure called once when the worker fails, before its pending answers are rejected */
function openClient(onFailure: (client: PlannerClient, message: string) => void): PlannerClient {
  const worker = startWorker(workerUrl);
  worker.addEventListener('error', ({ message }) => onFailure(client, message), { once: true });
  const planner = wrap<Planner>(worker);
  const client: PlannerClient = {
    planner,
    alive: rejectOnWorkerError(worker),
    close: () => {
      planner[releaseProxy]();
      worker.terminate();
    },
  };
  return client;
}

/** Addresses resolved at once: a text below the limit of the directory. */
const ADDRESSES_AT_ONCE = 20_000;

/** User ids of the addresses that the directory has. */
async function findPeople(addresses: readonly string[]): Promise<Map<string, number>> {
  const people = new Map<string, number>();
  for (let at = 0; at < addresses.length; at += ADDRESSES_AT_ONCE) {
    const { matched } = await resolvePastedText(addresses.slice(at, at + ADDRESSES_AT_ONCE).join('\n'));
    for (const { entry, ids } of matched) if (ids[0] !== undefined) people.set(entry.toLowerCase(), ids[0]);
  }
  return people;
}

/**
 * The plan of the dropped files, computed in a worker. It is lost with the page until the import starts.
 * @param knowledge what the service says; undefined until it is loaded
 */
export function usePlanner(knowledge: Knowledge | undefined, mayReadDirectory: boolean) {
  const [state, setState] = useState(EMPTY);
  const client = useRef<PlannerClient>(undefined);
  const sources = useRef<readonly File[]>([]);
  const update = useCallback((part: Partial<PlannerState>) => setState((now) => ({ ...now, ...part })), []);
  const close = useCallback(() => {
    client.current?.close();
    client.current = undefined;
  }, []);
  // The worker has to be terminated explicitly.
  useEffect(() => close, [close]);

  const { files, people, chosen, exchangeAddresses } = state;
  useEffect(() => {
    const current = client.current;
    if (!knowledge || !current || files.length === 0) return undefined;
    let isCurrent = true;
    const evaluate = async () => {
      const { enabledPeople, ...rest } = knowledge;
      const known = new Map([...enabledPeople, ...people]);
      const options = { ...rest, people: known, chosen, exchangeAddresses };
      try {
        const summary = await current.alive(current.planner.evaluate(options));
        if (isCurrent) update({ summary });
      } catch (thrown) {
        if (isCurrent && client.current === current) update({ error: describe(thrown) });
      }
    };
    void evaluate();
    return () => {
      isCurrent = false;
    };
  }, [knowledge, files, people, chosen, exchangeAddresses, update]);

  const fail = (failed: PlannerClient, message: string) => {
    if (client.current !== failed) return;
    close();
    // The error of a script that could not be fetched has no message.
    const error = message === '' ? `${CODE_MISSING_MESSAGE}.` : undefined;
    update({ reading: undefined, summary: undefined, error, hasFailed: true });
  };

  const showReading = (current: PlannerClient, name: string) => {
    const show = (share: number, rows: number) => {
      if (client.current === current) update({ reading: { name, share, rows } });
    };
    show(0, 0);
    return show;
  };

  const addFiles = async (added: readonly File[]): Promise<void> => {
    sources.current = client.current ? [...sources.current, ...added] : added;
    const current = (client.current ??= openClient(fail));
    update({ error: undefined, hasFailed: false });
    try {
      const read: ReadFile[] = [];
      for (const file of added) {
        const show = showReading(current, file.name);
        // Occurrences of recurring meetings from the longest period that a site can have (contract) until now.
        const now = Date.now();
        const period = { from: now - 3650 * 86_400_000, to: now };
        read.push(await current.alive(current.planner.addFile(file, period, proxy(show))));
      }
      const addresses = await current.alive(current.planner.listAddresses());
      // Importers may lack the capability to read the directory.
      const found = mayReadDirectory ? await findPeople(addresses) : NO_PEOPLE;
      if (client.current !== current) return;
      setState((now) => ({ ...now, files: [...now.files, ...read], people: found, reading: undefined }));
    } catch (thrown) {
      if (client.current !== current) return;
      // The worker keeps the items of the files before, which would count again with the next files.
      if (files.length === 0) close();
      update({ reading: undefined, error: describe(thrown) });
    }
  };

  return {
    ...state,
    addFiles,
    choosePerson: (mailbox: string, userId: number) =>
      setState((now) => ({ ...now, chosen: new Map(now.chosen).set(mailbox, userId) })),
    chooseDateOrder: async (dateOrder: DateOrder): Promise<void> => {
      const current = client.current;
      if (!current) return;
      const names = files.filter((file) => file.dateOrder === 'unknown').map(({ name }) => name);
      update({ dateOrder, summary: undefined, error: undefined });
      try {
        const show = showReading(current, names.join(', '));
        await current.alive(current.planner.chooseDateOrder(dateOrder, proxy(show)));
        if (client.current !== current) return;
        // A list of its own, so that the plan is computed again.
        setState((now) => ({ ...now, files: [...now.files], summary: undefined, reading: undefined }));
      } catch (thrown) {
        if (client.current === current) update({ reading: undefined, error: describe(thrown) });
      }
    },
    replaceExchangeName: (name: string, address: string) =>
      setState((now) => ({ ...now, exchangeAddresses: new Map(now.exchangeAddresses).set(name, address) })),
    discard: () => {
      close();
      setState(EMPTY);
    },
    /** Reads the files again in another worker, after one has failed. */
    retry: async (): Promise<void> => {
      update({ files: [], dateOrder: undefined });
      await addFiles(sources.current);
    },
    /** Rows that cannot be imported, as a table; undefined without files. */
    writeBroken: async () => {
      const current = client.current;
      return current && (await current.alive(current.planner.writeBroken()));
    },
    /** The worker, while it holds files. */
    getClient: () => client.current,
  };
}

export type PlannerHandle = ReturnType<typeof usePlanner>;

const describe = (thrown: unknown): string =>
  isCodeMissingError(thrown)
    ? `${CODE_MISSING_MESSAGE}.`
    : `The files could not be read. ${thrown instanceof Error ? thrown.message : ''}`;
