import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { InviteeCheck } from '../../../api/generated/types.gen.ts';
import { createStore } from '../../../ui/store.ts';
import type { Entry } from './entry.ts';

/** What the service has told about addresses, by their keys. */
export interface Checks {
  known: ReadonlyMap<string, InviteeCheck>;
  asking: boolean;
  /** The service takes no more for so many seconds. */
  waits: number | undefined;
  failure: ServiceError | undefined;
}

/** The contract takes so many at once. */
const AT_ONCE = 200;

type Wait = (seconds: number) => Promise<void>;
type Ask = (emails: string[], wait: Wait) => Promise<readonly InviteeCheck[]>;

/** Asks about each address once, many at a time, and keeps the answers. */
export function createChecks(ask: Ask) {
  const store = createStore<Checks>({
    known: new Map(),
    asking: false,
    waits: undefined,
    failure: undefined,
  });
  let wanted: readonly Entry[] = [];

  const change = (part: Partial<Checks>) => store.set({ ...store.get(), ...part });

  /** The next addresses that nobody has asked about yet, each once. */
  function next(): Entry[] {
    const { known } = store.get();
    const open = new Map(wanted.filter(({ key }) => !known.has(key)).map((entry) => [entry.key, entry]));
    return [...open.values()].slice(0, AT_ONCE);
  }

  async function wait(seconds: number): Promise<void> {
    change({ waits: seconds });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    change({ waits: undefined });
  }

  async function go(): Promise<void> {
    if (store.get().asking) return;
    change({ asking: true, failure: undefined });
    let failure: ServiceError | undefined;
    for (let some = next(); some.length > 0 && !failure; some = next()) {
      try {
        // The answers show as they come, and what was typed meanwhile is asked in the next turn.
        // oxlint-disable-next-line no-await-in-loop
        note(
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
    change({ asking: false, failure });
  }

  /** One answer for each address, in order. */
  function note(asked: readonly Entry[], answers: readonly InviteeCheck[]): void {
    const known = new Map(store.get().known);
    for (const [at, { key, email }] of asked.entries())
      known.set(
        key,
        answers[at] ?? { email, outcome: 'not-an-address', message: 'The service said nothing about it' },
      );
    change({ known });
  }

  return {
    store,
    /** Asks about those among them that are addresses and not known yet. */
    want(entries: readonly Entry[]): void {
      wanted = entries.filter(({ fault }) => fault === undefined);
      if (next().length > 0) void go();
      else change({ failure: undefined });
    },
    retry: () => void go(),
    /** What has been sent is not as it was told. */
    forget(keys: Iterable<string>): void {
      const known = new Map(store.get().known);
      for (const key of keys) known.delete(key);
      change({ known });
    },
  };
}
