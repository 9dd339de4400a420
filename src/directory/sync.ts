import { ServiceError } from '../api/errors.ts';
import { getSession } from '../api/generated/sdk.gen.ts';
import { isSameHolder, isSamePerson } from '../api/session-gate.ts';
import type { Change, Copy } from './copy.ts';
import { readChanged, readEverybody, readGroups } from './load.ts';
import { packRow } from './pack.ts';
import { PAGE } from './pages.ts';
import type { DirectoryRow } from './row.ts';
import type { Meta } from './store.ts';

/** `due`: what is due by time; `changes`: something was changed just now; `everything`: the person asks for it. */
export type Wish = 'due' | 'changes' | 'everything';

const FRESH = 55_000;
// A write that was committed late may carry an earlier moment than one already seen.
const OVERLAP = 60_000;
// `modifiedSince` reaches 180 days back (shapes 1).
const WINDOW = 170 * 86_400_000;
// Reading what has changed does not find the removed: everything is read again after this long, or, on a large site,
// after so many times what it takes.
const RECONCILE = 600_000;
const RECONCILE_TIMES = 40;

const isFresh = ({ checked }: Meta): boolean => Date.now() - checked < FRESH;

const isWholeDue = ({ complete, asOf, took }: Meta): boolean =>
  !complete || Date.now() - asOf >= Math.max(RECONCILE, RECONCILE_TIMES * took);

const changesSuffice = ({ complete, checked }: Meta): boolean => complete && Date.now() - checked < WINDOW;

/** Brings the copy up to date; `onPart` runs after each step that changed it. */
export async function bringUpToDate(copy: Copy, wish: Wish, onPart: () => void): Promise<void> {
  const asked = Date.now();
  if (wish !== 'everything' && changesSuffice(copy.meta)) {
    await copy.alone('changes', async () => {
      if (await copy.catchUp()) onPart();
      // Another tab may have asked just now.
      if (wish === 'due' && isFresh(copy.meta)) return;
      await readNews(copy);
      onPart();
    });
    if (wish === 'changes') return;
  }
  const isDue = () => isWholeDue(copy.meta) || (wish === 'everything' && copy.meta.asOf < asked);
  if (!isDue()) return;
  await copy.alone('whole', async () => {
    if (await copy.catchUp()) onPart();
    if (!isDue()) return;
    await readWhole(copy, onPart);
    onPart();
  });
}

/** What says something new, and nothing that is older than what is known by now. */
const newsOf = (copy: Copy, rows: readonly DirectoryRow[]): DirectoryRow[] =>
  rows.filter((row) => {
    const [known] = copy.index.rowsOf([row.id]);
    return !known || (known.modifiedAt <= row.modifiedAt && packRow(known) !== packRow(row));
  });

/**
 * Another tab may have signed in as somebody else, gone to another site or begun to act for somebody while pages were on
 * their way: what was read then is not this person's, or not in this name.
 */
async function checkHolder({ meta, clear }: Copy): Promise<void> {
  const { data } = await getSession();
  const now = { userId: data.user.id, siteId: data.site.id, reportId: data.acting?.reportId };
  if (isSameHolder(now, meta)) return;
  await clear();
  throw isSamePerson(now, meta)
    ? new ServiceError(409, 'For whom this session acts has changed in the meantime')
    : new ServiceError(401, 'The session has ended');
}

/** Groups enter the copy only where they have changed: pages draw their names again. */
const groupsOf = (copy: Copy, groups: Meta['groups']): Pick<Meta, 'groups'> | undefined =>
  JSON.stringify(copy.meta.groups) === JSON.stringify(groups) ? undefined : { groups };

async function readWhole(copy: Copy, onPart: () => void): Promise<void> {
  const asOf = Date.now();
  const first = !copy.meta.complete;
  const before = copy.index.ids();
  const seen = new Set<number>();
  const changed: DirectoryRow[] = [];
  let begun: number | undefined;
  const groups = await readGroups();
  for await (const { rows, clock } of readEverybody()) {
    begun ??= clock;
    for (const { id } of rows) seen.add(id);
    const news = newsOf(copy, rows);
    if (first) {
      await copy.change(() => ({ rows: news, meta: groupsOf(copy, groups) }));
      onPart();
    } else changed.push(...news);
  }
  await checkHolder(copy);
  // Rows on screen stay until all new ones are there.
  await copy.change((): Change => ({
    rows: newsOf(copy, changed),
    gone: [...before].filter((id) => !seen.has(id)),
    meta: {
      ...groupsOf(copy, groups),
      complete: true,
      asOf,
      took: Date.now() - asOf,
      checked: Math.max(asOf, copy.meta.checked),
      clock: Math.max(begun ?? asOf, copy.meta.clock),
    },
  }));
}

async function readNews(copy: Copy): Promise<void> {
  const checked = Date.now();
  const pageOf = pagesBy(copy.index.ids());
  const [groups, { rows, clock = checked }] = await Promise.all([
    readGroups(),
    readChanged(copy.meta.clock - OVERLAP, pageOf),
  ]);
  await checkHolder(copy);
  await copy.change(() => ({
    rows: newsOf(copy, rows),
    meta: { ...groupsOf(copy, groups), checked, clock: Math.max(clock, copy.meta.clock) },
  }));
}

/** On which page somebody stands, by their place in the order of ids; undefined for whom nobody knows yet. */
function pagesBy(ids: Int32Array): (userId: number) => number | undefined {
  return (userId) => {
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ids[middle] ?? 0) < userId) low = middle + 1;
      else high = middle;
    }
    return ids[low] === userId ? Math.floor(low / PAGE) + 1 : undefined;
  };
}
