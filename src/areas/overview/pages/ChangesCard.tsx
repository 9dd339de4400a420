import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ChangedEntry, EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { listChangedEntriesOptions } from '../../../api/generated/queries/entry-history.gen.ts';
import { formatMoment, isToday } from '../../../lib/dates/dates.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { HomeCard } from './HomeCard.tsx';
import { STALE_MS } from './use-home.ts';
import type { Home } from './use-home.ts';

const CHANGES_SHOWN = 8;
const TYPES_READ = 3;

/** Latest changes of the entry types with the most changes, newest first. */
export function ChangesCard({ home: { may, since, types, changes } }: { home: Home }) {
  const busiest = (changes.data ?? [])
    .toSorted((a, b) => b.created + b.changed + b.gone - (a.created + a.changed + a.gone))
    .slice(0, TYPES_READ);
  const lists = useQueries({
    queries: busiest.map(({ entryTypeId }) => ({
      ...listChangedEntriesOptions({
        path: { entryTypeId: String(entryTypeId) },
        query: { modifiedSince: since, limit: CHANGES_SHOWN },
      }),
      staleTime: STALE_MS,
    })),
  });
  const isLoading = changes.isLoading || lists.some((list) => list.isLoading);
  const latest = lists
    .flatMap(({ data }) => data?.entries ?? [])
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, CHANGES_SHOWN);
  const emptyNote =
    latest.length === 0 ? 'No entry was created, changed or deleted in the last 30 days.' : undefined;
  const note = may.changes ? emptyNote : 'You need the Read Data capability to see changes of entries.';
  return (
    <HomeCard
      title="Recent changes"
      loadingRows={may.changes && isLoading ? 5 : undefined}
      note={note}
      actions={
        may.changes && (
          <Link to="/changes" search={{ since: 'month' }} className="home-all">
            All changes
          </Link>
        )
      }
    >
      {/* All lists at once: rows that arrive later would move the ones before. */}
      {!isLoading && latest.length > 0 && (
        <ol className="home-line-list" aria-label="Recent changes">
          {latest.map((entry) => (
            <ChangeRow
              key={`${entry.entryListId} ${entry.id}`}
              entry={entry}
              type={types.data?.find(({ id }) => id === entry.entryListId)}
            />
          ))}
        </ol>
      )}
    </HomeCard>
  );
}

const FATE_VERBS: Record<ChangedEntry['fate'], string> = {
  created: 'created',
  changed: 'changed',
  gone: 'deleted',
};

function ChangeRow({ entry, type }: { entry: ChangedEntry; type: EntryTypeVm | undefined }) {
  const { id, name, entryListId, by, fate, at, mergedEntryId } = entry;
  const author = by === undefined ? 'The service' : by.name === '' ? `User ${by.id}` : by.name;
  return (
    <li className="home-event">
      <span className="num home-quiet">{isToday(at) ? formatMoment(at) : <Timestamp at={at} />}</span>
      <Avatar name={author} id={by?.id ?? 0} />
      <span className="home-event-text">
        {by === undefined ? (
          <strong>{author}</strong>
        ) : (
          <Link to="/users/$userId" params={{ userId: by.id }}>
            <strong>
              <bdi>{author}</bdi>
            </strong>
          </Link>
        )}{' '}
        {mergedEntryId === undefined ? FATE_VERBS[fate] : 'merged'}{' '}
        <Link to="/entries/$type/$entryId" params={{ type: String(entryListId), entryId: id }}>
          <bdi>{name.trim() === '' ? `Entry ${id}` : name}</bdi>
        </Link>
      </span>
      <span className="home-quiet home-event-type">{type?.singularName}</span>
    </li>
  );
}
