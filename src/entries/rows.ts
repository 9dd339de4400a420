import type { RowVm } from '../api/generated/types.gen.ts';

/** So many rows are read at once. */
export const WINDOW = 100;
// Some thousand rows are held; whoever scrolls on lets go of those seen first.
const MOST_WINDOWS = 40;
// Whoever drags the scroll bar passes over windows that nobody looks at.
const PAUSE = 70;

/** Rows by their place; only those in view and a little more are there. */
export interface EntryRows {
  readonly total: number;
  at: (index: number) => RowVm | undefined;
  /** Says what is in view: windows around it are read, calls for what was scrolled past are stopped. */
  want: (from: number, to: number) => void;
  subscribe: (listener: () => void) => () => void;
  turn: () => number;
  /** Why rows in view could not be read; undefined while nothing failed. */
  failure: () => unknown;
}

interface EntryRowsOptions {
  total: number;
  first: readonly RowVm[];
  read: (skip: number, signal: AbortSignal) => Promise<readonly RowVm[]>;
  pause?: number;
}

/** The windows that hold these rows, and the next ones on both sides. */
export function windowsAround(from: number, to: number, total: number): readonly number[] {
  const last = Math.max(0, Math.ceil(total / WINDOW) - 1);
  const begin = Math.floor(Math.max(0, from) / WINDOW);
  const end = Math.min(last, Math.floor(Math.max(0, to) / WINDOW));
  const inView = Array.from({ length: Math.max(0, end - begin + 1) }, (_, at) => begin + at);
  // A neighbour is read only once one comes near it.
  const near = [
    ...(to % WINDOW > WINDOW / 2 ? [end + 1] : []),
    ...(from % WINDOW < WINDOW / 2 ? [begin - 1] : []),
  ];
  return [...inView, ...near.filter((one) => one >= 0 && one <= last)];
}

/** The rows of one question, read by windows. */
export function createRows({ total, first, read, pause = PAUSE }: EntryRowsOptions): EntryRows {
  const held = new Map<number, readonly RowVm[]>([[0, first]]);
  const coming = new Map<number, AbortController>();
  const listeners = new Set<() => void>();
  let wanted: readonly number[] = [];
  let failure: unknown;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  const tell = () => {
    turn += 1;
    for (const listener of listeners) listener();
  };
  const letGo = () => {
    for (const at of held.keys()) {
      if (held.size <= MOST_WINDOWS) return;
      // The first one is where everybody comes back to.
      if (at !== 0 && !wanted.includes(at)) held.delete(at);
    }
  };
  const readWindow = async (at: number) => {
    const controller = new AbortController();
    coming.set(at, controller);
    try {
      held.set(at, await read(at * WINDOW, controller.signal));
      failure = undefined;
      letGo();
    } catch (thrown) {
      if (controller.signal.aborted) return;
      failure = thrown;
    } finally {
      if (coming.get(at) === controller) coming.delete(at);
    }
    tell();
  };
  const readWanted = () => {
    for (const at of wanted) if (!held.has(at) && !coming.has(at)) void readWindow(at);
  };

  return {
    total,
    at: (index) => held.get(Math.floor(index / WINDOW))?.[index % WINDOW],
    want(from, to) {
      wanted = windowsAround(from, to, total);
      for (const [at, controller] of coming) {
        if (wanted.includes(at)) continue;
        controller.abort();
        coming.delete(at);
      }
      clearTimeout(timer);
      timer = setTimeout(readWanted, pause);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        for (const controller of coming.values()) controller.abort();
        coming.clear();
      };
    },
    turn: () => turn,
    failure: () => failure,
  };
}
