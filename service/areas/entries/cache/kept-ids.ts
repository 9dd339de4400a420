import { unasked } from '../../../kernel/db/errors.ts';
import type { Mark } from './marks.store.ts';

/** The ids of a list in its order, good as long as nothing has changed since the mark. */
export interface KeptIds {
  readonly ids: Int32Array;
  mark: Mark;
  /** The people by whose names it is ordered, and a sum of these. */
  readonly people: { readonly ids: Int32Array; readonly names: string } | undefined;
}

interface Kept extends KeptIds {
  /** Where it is no longer so already, it changes too fast to be found anew before then. */
  readonly restsUntil: number;
  readonly bytes: number;
  readonly expiry: NodeJS.Timeout;
}

/** All lists together: sixteen of a million entries. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What is kept of a list besides its ids: lists without any are kept as well. */
const BESIDE_IDS = 1024;
/** A list that nobody looked at for so long is found anew. */
const IDLE_MS = 600_000;

/** A list that is no longer so is not found anew before so many times as long as that took: others need the database. */
const REST = 2;

/** The last used ones last. */
const known = new Map<string, Kept>();
let bytes = 0;

/** Whoever scrolls on stops a call and makes the next one: what both wait for is not begun anew in between. */
const LEFT_MS = 1_000;

/** A list that is being found, and how many wait for it. */
interface UnderWay {
  readonly found: Promise<KeptIds>;
  readonly unasked: AbortController;
  waiting: number;
}
const underWay = new Map<string, UnderWay>();

function drop(key: string): void {
  const kept = known.get(key);
  if (!kept) return;
  clearTimeout(kept.expiry);
  bytes -= kept.bytes;
  known.delete(key);
}

function keep(key: string, list: KeptIds, tookMs: number): KeptIds {
  drop(key);
  const size = BESIDE_IDS + list.ids.byteLength + (list.people?.ids.byteLength ?? 0);
  if (size > MOST_BYTES) return list;
  const kept = {
    ...list,
    bytes: size,
    restsUntil: performance.now() + REST * tookMs,
    expiry: setTimeout(() => drop(key), IDLE_MS).unref(),
  };
  known.set(key, kept);
  bytes += kept.bytes;
  for (const oldest of known.keys()) {
    if (bytes <= MOST_BYTES) break;
    drop(oldest);
  }
  return kept;
}

/** What is known of a list, from the last time that anybody asked. */
export function knownIds(key: string): Kept | undefined {
  const kept = known.get(key);
  if (!kept) return undefined;
  known.delete(key);
  known.set(key, kept);
  kept.expiry.refresh();
  return kept;
}

function begin(key: string, find: (unasked: AbortSignal) => Promise<KeptIds>): UnderWay {
  const controller = new AbortController();
  const started = performance.now();
  const found = find(controller.signal).then((list) => keep(key, list, performance.now() - started));
  const way = { found, unasked: controller, waiting: 0 };
  underWay.set(key, way);
  const end = () => {
    if (underWay.get(key) === way) underWay.delete(key);
  };
  found.then(end, end);
  return way;
}

/** Ends what nobody waits for any more; whoever asks from then on does not wait for what is given up. */
function giveUp(key: string, way: UnderWay): void {
  if (way.waiting > 0) return;
  if (underWay.get(key) === way) underWay.delete(key);
  way.unasked.abort();
}

/**
 * Finds a list and keeps it. Whoever asks for one that is being found waits for it, and nobody finds it twice. Who is
 * gone leaves it to the others; when all are gone and nobody comes within a second, `find` is told.
 */
export async function findIds(
  key: string,
  gone: AbortSignal,
  find: (unasked: AbortSignal) => Promise<KeptIds>,
): Promise<KeptIds> {
  if (gone.aborted) throw unasked();
  const way = underWay.get(key) ?? begin(key, find);
  way.waiting += 1;
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => {
    way.waiting -= 1;
    if (way.waiting === 0) setTimeout(giveUp, LEFT_MS, key, way).unref();
    reject(unasked());
  };
  gone.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([way.found, left]);
  } finally {
    gone.removeEventListener('abort', leave);
  }
}
