import type { QueryClient } from '@tanstack/react-query';
import { gate, isSameHolder, isSignedIn } from '../../../api/session-gate.ts';
import type { Holder } from '../../../api/session-gate.ts';
import { releaseJob, takeJob } from '../../../app/jobs/lock.ts';
import { createShelf } from '../../../app/jobs/shelf.ts';
import { counted } from '../../../lib/numbers.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { readSchema } from '../model/read-schema.ts';
import type { Schema } from '../model/schema.ts';
import { countStaged, hasStaged, lastSteps } from './changes.ts';
import type { Changes } from './changes.ts';
import { bringBack, changesOf, staged } from './store.ts';

// Grows with the shape of what is kept: another version of the console would not know what to make of it.
const FORMAT = 2;

/** What was staged for a type in one tab, with its steps. */
interface Kept {
  id: string;
  format: number;
  holder: Holder;
  typeId: number;
  changes: Changes;
}

const shelf = createShelf<Kept, never>('staged');
// Between two steps of somebody who types; what is newer is written before the page goes.
const SOON_MS = 300;
// All of a type is written at once: of much of it the next time is that much later.
const REST = 20;
// Of larger steps only the last ones come back.
const MOST_MOVES = 20_000;

const ids = new Map<number, string>();
const written = new Map<number, Changes>();
let keeper: Holder | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let last = Promise.resolve();
let tookMs = 0;
let isTold = false;

/** One record for each type and tab, which belongs to this tab as long as it is open. */
function idOf(typeId: number): string {
  const known = ids.get(typeId);
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  ids.set(typeId, id);
  void takeJob(id);
  return id;
}

// Nothing is written for somebody who has signed out, or may not be there any more.
const mayWrite = (): boolean => isSignedIn() && gate.get() === 'open';

async function write(holder: Holder, typeId: number, changes: Changes): Promise<void> {
  const id = idOf(typeId);
  if (!hasStaged(changes)) return shelf.drop(id);
  const begun = performance.now();
  await shelf.put({ id, format: FORMAT, holder, typeId, changes: lastSteps(changes, MOST_MOVES) }, []);
  tookMs = performance.now() - begun;
}

/** Said once: whoever relies on it finds out before it is lost. */
function tellNotKept(): void {
  if (isTold || ![...staged.get().values()].some(hasStaged)) return;
  isTold = true;
  toast({
    tone: 'info',
    title: 'What is staged is kept by this page alone',
    description: 'This browser has no room for it: save it before you close or reload the page.',
  });
}

async function writeAll(): Promise<void> {
  const holder = keeper;
  if (!holder) return;
  const fresh = [...staged.get()].filter(([typeId, changes]) => written.get(typeId) !== changes);
  for (const [typeId, changes] of fresh) {
    if (!mayWrite()) return;
    // oxlint-disable-next-line no-await-in-loop -- a type or two
    await write(holder, typeId, changes);
    written.set(typeId, changes);
  }
}

/** Writes what was staged since it was last written. A browser that keeps nothing has it as long as the page. */
export function writeStaged(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  last = last.then(writeAll).catch(() => {
    if (mayWrite()) tellNotKept();
  });
  return last;
}

const wordsOf = ({ cells, deletions }: Pick<ReturnType<typeof countStaged>, 'cells' | 'deletions'>): string =>
  [
    cells > 0 ? counted(cells, 'change', 'changes') : '',
    deletions > 0 ? `${counted(deletions, 'entry', 'entries')} to delete` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');

/** Takes what is kept back into the page; false where there is no place for it any more. */
function takeBack({ id, format, typeId, changes }: Kept, schema: Schema | undefined): boolean {
  if (format !== FORMAT || (schema && !schema.typeById.has(typeId))) return false;
  const own = ids.get(typeId);
  if (own !== undefined) {
    void shelf.drop(own).catch(() => undefined);
    releaseJob(own);
  }
  ids.set(typeId, id);
  written.set(typeId, changes);
  bringBack(typeId, changes);
  return true;
}

async function readBack(holder: Holder, client: QueryClient): Promise<void> {
  const kept = await shelf.jobs(holder);
  if (kept.length === 0) return;
  // Without an answer everything is brought back: nothing is let go for it.
  const schema = await readSchema(client).catch(() => undefined);
  const count = { cells: 0, deletions: 0 };
  let isLetGo = false;
  for (const one of kept) {
    // Of two tabs that were closed over the same type the second comes back when the first one is saved.
    // oxlint-disable-next-line no-await-in-loop -- a handful
    if (hasStaged(changesOf(one.typeId)) || !(await takeJob(one.id))) continue;
    if (takeBack(one, schema)) {
      const { cells, deletions } = countStaged(one.changes);
      count.cells += cells;
      count.deletions += deletions;
      continue;
    }
    isLetGo = true;
    // oxlint-disable-next-line no-await-in-loop
    await shelf.drop(one.id);
    releaseJob(one.id);
  }
  if (count.cells + count.deletions > 0)
    toast({
      title: 'What was not saved is staged again',
      description: `${wordsOf(count)}, in the lists where they were made`,
    });
  if (isLetGo)
    toast({
      tone: 'bad',
      title: 'Some of what was staged could not be brought back',
      description: 'Its type was deleted, or another version of the console had staged it.',
    });
}

/** Keeps what this person stages over a reload or a crash, until it is saved, let go or they sign out. */
export async function keepStaged(holder: Holder, client: QueryClient): Promise<void> {
  const isFirst = keeper === undefined;
  if (keeper && isSameHolder(keeper, holder)) return;
  keeper = holder;
  await readBack(holder, client).catch(() => undefined);
  if (!isFirst) {
    // The page went on in another name, with all that is staged on it (session-gate.ts, goOnAs).
    written.clear();
    await writeStaged();
    return;
  }
  staged.subscribe(() => {
    timer ??= setTimeout(() => void writeStaged(), Math.max(SOON_MS, REST * tookMs));
  });
  // Whoever had to sign in again may have lost what was kept: another tab signed out.
  gate.subscribe(() => {
    if (gate.get() !== 'open') return;
    written.clear();
    void writeStaged();
  });
  globalThis.addEventListener?.('pagehide', () => void writeStaged());
  globalThis.addEventListener?.('beforeunload', () => void writeStaged());
}
