import { gate, isSameHolder, sessionHeld } from '../../api/session-gate.ts';
import type { Holder } from '../../api/session-gate.ts';
import { releaseJob, takeJob } from '../../bulk/lock.ts';
import { createShelf } from '../../bulk/shelf.ts';
import { counted } from '../../lib/numbers.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { countStaged, hasStaged } from './changes.ts';
import type { Changes } from './changes.ts';
import { bringBack, changesOf, staged } from './store.ts';

/** What was staged for a type in one tab, with its steps. */
interface Kept {
  id: string;
  holder: Holder;
  typeId: number;
  changes: Changes;
}

const shelf = createShelf<Kept, never>('staged');
// Between two steps of somebody who types; what is newer is written before the page goes.
const SOON_MS = 300;

const ids = new Map<number, string>();
const written = new Map<number, Changes>();
let keeper: Holder | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let last = Promise.resolve();

/** One record for each type and tab, which belongs to this tab as long as it is open. */
function idOf(typeId: number): string {
  const known = ids.get(typeId);
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  ids.set(typeId, id);
  void takeJob(id);
  return id;
}

async function writeAll(): Promise<void> {
  const holder = keeper;
  // After a sign-out nothing is left behind: what is kept was deleted just now.
  if (!holder || !sessionHeld() || gate.get() !== 'open') return;
  const fresh = [...staged.get()].filter(([typeId, changes]) => written.get(typeId) !== changes);
  for (const [typeId, changes] of fresh) {
    written.set(typeId, changes);
    const id = idOf(typeId);
    // oxlint-disable-next-line no-await-in-loop -- a type or two
    await (hasStaged(changes) ? shelf.put({ id, holder, typeId, changes }, []) : shelf.drop(id));
  }
}

/** Writes what was staged since it was last written. A browser that keeps nothing has it as long as the page. */
export function writeStaged(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  last = last.then(writeAll).catch(() => undefined);
  return last;
}

async function readBack(holder: Holder): Promise<void> {
  const count = { cells: 0, deletions: 0 };
  for (const { id, typeId, changes } of await shelf.jobs(holder)) {
    // Of two tabs that were closed over the same type the second comes back when the first one is saved.
    // oxlint-disable-next-line no-await-in-loop -- a handful
    if (hasStaged(changesOf(typeId)) || !(await takeJob(id))) continue;
    if (ids.has(typeId)) releaseJob(idOf(typeId));
    ids.set(typeId, id);
    written.set(typeId, changes);
    bringBack(typeId, changes);
    const { cells, deletions } = countStaged(changes);
    count.cells += cells;
    count.deletions += deletions;
  }
  if (count.cells + count.deletions === 0) return;
  const parts = [
    count.cells > 0 ? counted(count.cells, 'change', 'changes') : '',
    count.deletions > 0 ? `${counted(count.deletions, 'entry', 'entries')} to delete` : '',
  ];
  toast({
    title: 'What was not saved is staged again',
    description: `${parts.filter((part) => part !== '').join(', ')}, in the lists where they were made`,
  });
}

/** Keeps what this person stages over a reload or a crash, until it is saved, let go or they sign out. */
export async function keepStaged(holder: Holder): Promise<void> {
  const isFirst = keeper === undefined;
  if (keeper && isSameHolder(keeper, holder)) return;
  keeper = holder;
  await readBack(holder).catch(() => undefined);
  if (!isFirst) return;
  staged.subscribe(() => {
    timer ??= setTimeout(() => void writeStaged(), SOON_MS);
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
