import type { InviteeCheck } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { createStore } from '../../../ui/store.ts';
import type { AddressEntry } from './addresses.ts';

/** Results of checking addresses, by key. */
export interface CheckState {
  checkByKey: ReadonlyMap<string, InviteeCheck>;
  isChecking: boolean;
  /** Seconds until the service accepts further requests. */
  waitSeconds: number | undefined;
  error: ServiceError | undefined;
}

/** Limit of one request. */
const MAX_ADDRESSES_PER_REQUEST = 200;

type Wait = (seconds: number) => Promise<void>;
type CheckAddresses = (emails: string[], wait: Wait) => Promise<readonly InviteeCheck[]>;

/** Checks each address once, in batches, and caches the results. */
export function createAddressChecker(ask: CheckAddresses) {
  const store = createStore<CheckState>({
    checkByKey: new Map(),
    isChecking: false,
    waitSeconds: undefined,
    error: undefined,
  });
  let entriesToCheck: readonly AddressEntry[] = [];

  const change = (part: Partial<CheckState>) => store.set({ ...store.get(), ...part });

  /** Next addresses to check, without duplicates. */
  function getNextBatch(): AddressEntry[] {
    const { checkByKey } = store.get();
    const open = new Map(
      entriesToCheck.filter(({ key }) => !checkByKey.has(key)).map((entry) => [entry.key, entry]),
    );
    return [...open.values()].slice(0, MAX_ADDRESSES_PER_REQUEST);
  }

  async function wait(seconds: number): Promise<void> {
    change({ waitSeconds: seconds });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    change({ waitSeconds: undefined });
  }

  async function run(): Promise<void> {
    if (store.get().isChecking) return;
    change({ isChecking: true, error: undefined });
    let failure: ServiceError | undefined;
    for (let some = getNextBatch(); some.length > 0 && !failure; some = getNextBatch()) {
      try {
        // The answers show as they come, and what was typed meanwhile is asked in the next turn.
        saveAnswers(
          some,
          await ask(
            some.map(({ email }) => email),
            wait,
          ),
        );
      } catch (thrown) {
        failure = toServiceError(thrown);
      }
    }
    change({ isChecking: false, error: failure });
  }

  /** Stores one answer per address, in order. */
  function saveAnswers(entries: readonly AddressEntry[], answers: readonly InviteeCheck[]): void {
    const checkByKey = new Map(store.get().checkByKey);
    for (const [at, { key, email }] of entries.entries())
      checkByKey.set(
        key,
        answers[at] ?? { email, outcome: 'not-an-address', message: 'The service returned no result' },
      );
    change({ checkByKey });
  }

  return {
    store,
    /** Checks valid addresses that were not checked yet. */
    check(entries: readonly AddressEntry[]): void {
      entriesToCheck = entries.filter(({ error }) => error === undefined);
      if (getNextBatch().length > 0) void run();
      else change({ error: undefined });
    },
    retry: () => void run(),
    /** Discards results, for example after sending. */
    clear(keys: Iterable<string>): void {
      const checkByKey = new Map(store.get().checkByKey);
      for (const key of keys) checkByKey.delete(key);
      change({ checkByKey });
    },
  };
}
