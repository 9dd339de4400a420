import type { Holder } from '../api/session-gate.ts';
import { createBlocks } from './blocks.ts';
import type { Glance } from './glance.ts';
import { pack, unpack } from './pack.ts';
import { createIndex } from './people-index.ts';
import type { PeopleIndex } from './people-index.ts';
import type { DirectoryRow } from './row.ts';
import { openStore } from './store.ts';
import type { Meta, PackedBlock, Store } from './store.ts';

/** What shall become of the copy; what is left out stays as it is. */
export interface Change {
  rows?: readonly DirectoryRow[];
  gone?: readonly number[];
  meta?: Partial<Omit<Meta, keyof Holder | 'revision' | 'changed'>>;
}

const NOTHING = {
  groups: [],
  complete: false,
  asOf: 0,
  took: 0,
  checked: 0,
  clock: 0,
  revision: 0,
  changed: 0,
};

// So many blocks at once: between them the worker can answer.
const SLICE = 8;

/** The directory of one site as one person may see it: in memory to be searched, and kept for the next visit. */
export interface Copy {
  readonly index: PeopleIndex;
  readonly meta: Meta;
  /** Reads everybody who is kept. */
  load: () => Promise<void>;
  keepGlance: (glance: Glance) => Promise<void>;
  /** Runs when no other tab runs something of this name. */
  alone: Share['alone'];
  /** Takes in what other tabs have written; true where there was something. */
  catchUp: () => Promise<boolean>;
  /** Changes memory and what is kept, and tells other tabs. What `decide` is given is up to date. */
  change: (decide: () => Change) => Promise<void>;
  /** Forgets everybody, here and in what is kept. */
  clear: () => Promise<void>;
}

/** Opens what is kept for this person and site; `onTold` runs when another tab has written. */
export async function openCopy(holder: Holder, onTold: () => void): Promise<Copy> {
  // Tabs that cannot take turns must not write the same records.
  let store: Store | undefined =
    'locks' in navigator ? await openStore(holder).catch(() => undefined) : undefined;
  const share = store ? shareWithTabs(onTold) : shareNothing();
  const index = createIndex();
  const blocks = createBlocks();
  let meta: Meta = { ...holder, ...NOTHING };

  /** Where the browser keeps nothing (no room, given up at sign-out in another tab), the copy is in memory alone. */
  async function kept<Result>(work: (open: Store) => Promise<Result>): Promise<Result | undefined> {
    try {
      return store && (await work(store));
    } catch {
      store?.close();
      store = undefined;
      share.close();
      return undefined;
    }
  }

  const left = await kept((open) => open.open());
  if (left) {
    ({ meta } = left);
    index.setGroups(meta.groups);
  }

  function take(packed: readonly PackedBlock[], present: readonly number[]): void {
    const written = packed.map((block) => ({ key: block.key, rows: unpack(block.packed) }));
    const gone = blocks.take(
      written.map(({ key, rows }) => ({ key, ids: Int32Array.from(rows, ({ id }) => id) })),
      present,
    );
    index.remove(gone);
    index.upsert(written.flatMap(({ rows }) => rows));
  }

  async function load(): Promise<void> {
    const keys = left?.keys ?? [];
    for (let at = 0; at < keys.length; at += SLICE) {
      const [from = 0, to = from] = [keys[at], keys[Math.min(at + SLICE, keys.length) - 1]];
      // One slice after the other.
      // oxlint-disable-next-line no-await-in-loop
      take((await kept((open) => open.readBlocks(from, to))) ?? [], keys);
    }
    await catchUp();
  }

  async function catchUp(): Promise<boolean> {
    const news = await kept((open) => open.read(meta.revision));
    if (!news || news.meta.revision <= meta.revision) return false;
    take(news.blocks, news.keys);
    index.setGroups(news.meta.groups);
    ({ meta } = news);
    return true;
  }

  async function write({ rows = [], gone = [], meta: patch }: Change): Promise<void> {
    index.upsert(rows);
    index.remove(gone);
    if (patch?.groups) index.setGroups(patch.groups);
    const revision = meta.revision + 1;
    const isChange = rows.length > 0 || gone.length > 0 || patch?.groups !== undefined;
    meta = { ...meta, ...patch, revision, changed: isChange ? revision : meta.changed };
    const { put, drop } = blocks.change(
      rows.map(({ id }) => id),
      gone,
    );
    await kept(async (open) => {
      const packed = put.map(({ key, ids }) => ({ key, revision, packed: pack(index.rowsOf(ids)) }));
      await open.write(meta, packed, drop);
      share.tell();
    });
  }

  return {
    index,
    load,
    async keepGlance(glance) {
      await kept((open) => open.keepGlance(glance));
    },
    get meta() {
      return meta;
    },
    alone: (name, run) => share.alone(name, run),
    catchUp,
    change: (decide) =>
      share.alone('write', async () => {
        await catchUp();
        await write(decide());
      }),
    async clear() {
      index.remove(index.ids());
      blocks.take([], []);
      meta = { ...holder, ...NOTHING };
      await kept((open) => open.clear());
    },
  };
}

/** How the tabs of one browser take turns and tell each other that something was written. */
interface Share {
  /** Runs when nobody else, in any tab, runs something of this name. */
  alone: <Result>(name: string, run: () => Promise<Result>) => Promise<Result>;
  tell: () => void;
  close: () => void;
}

const NAME = 'steward-directory';

/** For a tab that shares nothing: its own runs of a name take turns. */
function shareNothing(): Share {
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
function shareWithTabs(onTold: () => void): Share {
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
