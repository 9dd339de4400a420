/** How the tabs of one browser take turns and tell each other that something was written. */
export interface Share {
  /** Runs when nobody else, in any tab, runs something of this name. */
  alone: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
  tell: () => void;
  close: () => void;
}

const NAME = 'steward-directory';

/** For a tab that shares nothing: its own runs of a name take turns. */
export function shareNothing(): Share {
  const turns = new Map<string, Promise<unknown>>();
  return {
    async alone(name, run) {
      const before = turns.get(name) ?? Promise.resolve();
      const turn = before.then(run);
      turns.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
    tell: () => undefined,
    close: () => undefined,
  };
}

/** Shares with the other tabs; `onTold` runs when one of them has written. Without locks (a page not served over
 * HTTPS has none) a tab shares nothing. */
export function shareWithTabs(onTold: () => void): Share {
  if (!('locks' in navigator)) return shareNothing();
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', onTold);
  return {
    // The browser gives a lock back when its tab closes or fails.
    alone: (name, run) => navigator.locks.request(`${NAME}-${name}`, run),
    // A channel reaches only pages of this origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    tell: () => channel.postMessage('written'),
    close: () => channel.close(),
  };
}
