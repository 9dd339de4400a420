import type { RowVm } from '../../../api/generated/types.gen.ts';

/** So many rows are read at once. */
export const WINDOW = 100;
// Some thousand rows are held; whoever scrolls on lets go of those seen first.
const MOST_WINDOWS = 40;
// Whoever drags the scroll bar passes over windows that nobody looks at: a frame without a movement is a stop.
const PAUSE = 20;

/** Rows by their place; only those in view and a little more are there. */
export interface EntryRows {
  readonly total: number;
  at: (index: number) => RowVm | undefined;
  /** The rows of a stretch, wherever somebody looks meanwhile; those that are not there are read, and not kept. */
  between: (from: number, to: number) => Promise<readonly RowVm[]>;
  /** Says what is in view: windows around it are read, calls for what was scrolled past are stopped. */
  want: (from: number, to: number) => void;
  subscribe: (listener: () => void) => () => void;
  turn: () => number;
  /** Why rows in view could not be read; undefined while nothing failed. */
  failure: () => unknown;
  /** How long the newest answer took, in milliseconds. */
  took: () => number;
}

interface EntryRowsOptions {
  total: number;
  first: readonly RowVm[];
  read: (skip: number, signal: AbortSignal) => Promise<readonly RowVm[]>;
  /** How long the first answer took. */
  took?: number;
  pause?: number;
}

/** The windows that hold these rows. */
export function windowsOf(from: number, to: number, total: number): readonly number[] {
  const last = Math.max(0, Math.ceil(total / WINDOW) - 1);
  const begin = Math.floor(Math.max(0, from) / WINDOW);
  const end = Math.min(last, Math.floor(Math.max(0, to) / WINDOW));
  return Array.from({ length: Math.max(0, end - begin + 1) }, (_, at) => begin + at);
}

const HALF = WINDOW / 2;
const AHEAD = 2 * WINDOW;

/** The windows that come next: far ahead where somebody scrolls, half a window on the other side. */
export function windowsNear(from: number, to: number, total: number, way: number): readonly number[] {
  const inView = windowsOf(from, to, total);
  const near = windowsOf(from - (way < 0 ? AHEAD : HALF), to + (way > 0 ? AHEAD : HALF), total);
  return near.filter((at) => !inView.includes(at));
}

/** The rows of one question, read by windows: those in view first, those that come next once they are there. */
export function createRows({ total, first, read, took = 0, pause = PAUSE }: EntryRowsOptions): EntryRows {
  const held = new Map<number, readonly RowVm[]>([[0, first]]);
  const coming = new Map<number, AbortController>();
  const listeners = new Set<() => void>();
  let seen = 0;
  let inView: readonly number[] = [];
  let near: readonly number[] = [];
  let failure: unknown;
  let newest = took;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let turn = 0;

  const tell = () => {
    turn += 1;
    for (const listener of listeners) listener();
  };
  const isWanted = (at: number) => inView.includes(at) || near.includes(at);
  const letGo = () => {
    for (const at of held.keys()) {
      if (held.size <= MOST_WINDOWS) return;
      // The first one is where everybody comes back to.
      if (at !== 0 && !isWanted(at)) held.delete(at);
    }
  };
  const readWindow = async (at: number) => {
    const controller = new AbortController();
    coming.set(at, controller);
    const asked = performance.now();
    try {
      const rows = await read(at * WINDOW, controller.signal);
      if (controller.signal.aborted) return;
      held.set(at, rows);
      newest = performance.now() - asked;
      failure = undefined;
      letGo();
    } catch (thrown) {
      if (controller.signal.aborted) return;
      failure = thrown;
    } finally {
      if (coming.get(at) === controller) coming.delete(at);
    }
    if (failure === undefined && timer === undefined) readWanted();
    if (inView.includes(at) || failure !== undefined) tell();
  };
  const readWanted = () => {
    timer = undefined;
    const missing = inView.filter((at) => !held.has(at));
    // What nobody sees yet must not hold up what somebody looks at.
    const next = missing.length > 0 ? missing : near.filter((at) => !held.has(at));
    for (const at of next) if (!coming.has(at)) void readWindow(at);
  };
  /** Stops calls for what was scrolled past; true where there were some. */
  const stopOthers = (): boolean => {
    const others = [...coming].filter(([at]) => !isWanted(at));
    for (const [at, controller] of others) {
      controller.abort();
      coming.delete(at);
    }
    return others.length > 0;
  };

  return {
    total,
    at: (index) => held.get(Math.floor(index / WINDOW))?.[index % WINDOW],
    want(from, to) {
      const before = inView;
      inView = windowsOf(from, to, total);
      const by = from - seen;
      // After a jump nobody knows which way it goes on.
      near = windowsNear(from, to, total, Math.abs(by) > WINDOW ? 0 : Math.sign(by));
      seen = from;
      const isPassing = stopOthers() || timer !== undefined;
      const isElsewhere = before[0] !== inView[0] || before.at(-1) !== inView.at(-1);
      if ((isPassing && isElsewhere) || failure !== undefined) {
        // Rows do not come as fast as somebody moves: what is in view is read when it stays there.
        clearTimeout(timer);
        timer = setTimeout(readWanted, pause);
      } else if (timer === undefined) readWanted();
    },
    async between(from, to) {
      const windows = windowsOf(from, to, total);
      const unstopped = new AbortController().signal;
      const found: RowVm[] = [];
      for (const at of windows)
        // oxlint-disable-next-line no-await-in-loop -- in sequence: the view must not wait for hundreds of calls
        found.push(...(held.get(at) ?? (await read(at * WINDOW, unstopped))));
      const before = (windows[0] ?? 0) * WINDOW;
      return found.slice(from - before, to - before + 1);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
        for (const controller of coming.values()) controller.abort();
        coming.clear();
      };
    },
    turn: () => turn,
    failure: () => failure,
    took: () => newest,
  };
}
