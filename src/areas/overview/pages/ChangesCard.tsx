import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type {
  ChangedEntry,
  ConfigurationChange,
  EntryTypeVm,
} from '../../../../contract/generated/types.gen.ts';
import { listChangedEntriesOptions } from '../../../api/generated/queries/entry-history.gen.ts';
import { formatMoment, isToday } from '../../../lib/dates/dates.ts';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { BeforeAfter, findShortChange, KIND_LABELS } from '../../activity/index.ts';
import { formatAct, mergeChanges } from '../model/changes.ts';
import { HomeCard } from './HomeCard.tsx';
import { CHANGES_SHOWN, retryAll, STALE_MS } from './use-home.ts';
import type { Home } from './use-home.ts';

/** Entry types that are read: those with the most changes. */
const TYPES_READ = 8;

type Shown = 'all' | 'data' | 'configuration';

const SHOWN_LABELS: Readonly<Record<Shown, string>> = {
  all: 'All',
  data: 'Data',
  configuration: 'Configuration',
};

/** Latest changes of entries and of the configuration, as far as the viewer may read them, newest first. */
export function ChangesCard({ home }: { home: Home }) {
  const { may, since, types, changes, configuration } = home;
  const [chosen, setChosen] = useState<Shown>('all');
  const isBoth = may.changes && may.configuration;
  const shown = isBoth ? chosen : may.changes ? 'data' : 'configuration';
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
  const read = [changes, configuration, ...lists];
  const isLoading = read.some((list) => list.isLoading);
  const failed = read.filter(({ error }) => error !== null);
  const latest = mergeChanges(
    shown === 'configuration' ? [] : lists.flatMap(({ data }) => data?.entries ?? []),
    shown === 'data' ? [] : (configuration.data?.changes ?? []),
    CHANGES_SHOWN,
  );
  return (
    <HomeCard
      title="Recent changes"
      loadingRows={(may.changes || may.configuration) && isLoading ? 5 : undefined}
      note={latest.length === 0 ? explainEmptyList(may, shown) : undefined}
      failure={failed[0] && { error: failed[0].error, onRetry: () => retryAll(failed) }}
      actions={
        <span className="home-card-actions">
          {isBoth && (
            <SegmentedControl
              label="Changes shown"
              value={chosen}
              onChange={setChosen}
              options={(['all', 'data', 'configuration'] as const).map((value) => ({
                value,
                label: SHOWN_LABELS[value],
              }))}
            />
          )}
          <AllChanges may={may} shown={shown} />
        </span>
      }
    >
      {/* All lists at once: rows that arrive later would move the ones before. */}
      {!isLoading && latest.length > 0 && (
        <ol className="home-line-list" aria-label="Recent changes">
          {latest.map((one) =>
            one.kind === 'data' ? (
              <EntryRow
                key={`${one.entry.entryListId} ${one.entry.id}`}
                entry={one.entry}
                type={types.data?.find(({ id }) => id === one.entry.entryListId)}
              />
            ) : (
              <ConfigurationRow key={`configuration ${one.change.id}`} change={one.change} />
            ),
          )}
        </ol>
      )}
    </HomeCard>
  );
}

function explainEmptyList(may: Home['may'], shown: Shown): string {
  if (!may.changes && !may.configuration)
    return 'You need the Read Data capability to see changes of entries, and View Activity for those of the configuration.';
  if (shown === 'configuration') return 'No setting, group, key or schema was changed in the last 30 days.';
  if (shown === 'data') return 'No entry was created, changed or deleted in the last 30 days.';
  return 'Nothing was changed in the last 30 days.';
}

/** Link to the page with all changes of what is shown. */
function AllChanges({ may, shown }: { may: Home['may']; shown: Shown }) {
  if (shown !== 'configuration' && may.changes)
    return (
      <Link to="/changes" search={{ since: 'month' }} className="home-all">
        All changes
      </Link>
    );
  return may.configuration ? (
    <Link to="/activity/configuration" search={{}} className="home-all">
      Configuration log
    </Link>
  ) : null;
}

interface ChangeRowProps {
  at: string;
  /** Undefined for the service. */
  author: { id: number; name: string | null } | undefined;
  /** Replaces the author and what they did. */
  children: ReactNode;
  /** What kind of thing was changed, or the values of a small change. */
  label: ReactNode;
  icon?: ReactNode;
}

const getAuthorName = (author: ChangeRowProps['author']): string => {
  if (author === undefined) return 'The service';
  return author.name === null || author.name === '' ? `User ${author.id}` : author.name;
};

function ChangeRow({ at, author, children, label, icon }: ChangeRowProps) {
  return (
    <li className="home-event">
      <span className="num home-quiet">{isToday(at) ? formatMoment(at) : <Timestamp at={at} />}</span>
      {icon ?? <Avatar name={getAuthorName(author)} id={author?.id ?? 0} />}
      <span className="home-event-text">{children}</span>
      <span className="home-quiet home-event-type">{label}</span>
    </li>
  );
}

function Author({ author }: Pick<ChangeRowProps, 'author'>) {
  const name = <strong>{author ? <bdi>{getAuthorName(author)}</bdi> : getAuthorName(author)}</strong>;
  return author ? (
    <Link to="/users/$userId" params={{ userId: author.id }}>
      {name}
    </Link>
  ) : (
    name
  );
}

const FATE_VERBS: Record<ChangedEntry['fate'], string> = {
  created: 'created',
  changed: 'changed',
  gone: 'deleted',
};

function EntryRow({ entry, type }: { entry: ChangedEntry; type: EntryTypeVm | undefined }) {
  const { id, name, entryListId, by, fate, at, mergedEntryId } = entry;
  return (
    <ChangeRow at={at} author={by} label={type?.singularName}>
      <Author author={by} /> {mergedEntryId === undefined ? FATE_VERBS[fate] : 'merged'}{' '}
      <Link to="/entries/$type/$entryId" params={{ type: String(entryListId), entryId: id }}>
        <bdi>{name.trim() === '' ? `Entry ${id}` : name}</bdi>
      </Link>
    </ChangeRow>
  );
}

function ConfigurationRow({ change }: { change: ConfigurationChange }) {
  const { changedBy, changedByName, proxyUserId, proxyUserName, date, kind } = change;
  const author = changedBy === null ? undefined : { id: changedBy, name: changedByName };
  const proxy = proxyUserId === null ? undefined : { id: proxyUserId, name: proxyUserName };
  const { needsAuthor, text } = formatAct(change);
  const short = findShortChange(change.changes);
  return (
    <ChangeRow
      at={date}
      author={proxy ?? author}
      label={
        short ? (
          <>
            {short.property}: <BeforeAfter {...short} />
          </>
        ) : (
          KIND_LABELS[kind]
        )
      }
      {...(!author && { icon: <Settings2 className="home-event-icon" aria-hidden /> })}
    >
      {needsAuthor && (
        <>
          {proxy && (
            <>
              <Author author={proxy} /> for{' '}
            </>
          )}
          <Author author={author} />{' '}
        </>
      )}
      <Link to="/activity/configuration" search={{ kind }}>
        <bdi>{text}</bdi>
      </Link>
    </ChangeRow>
  );
}
