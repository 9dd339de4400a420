import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Settings2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ConfigurationChange } from '../../../../contract/generated/types.gen.ts';
import { CONFIGURATION_KINDS } from '../../../../contract/rules/configuration.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { listConfigurationChanges } from '../../../api/generated/sdk/activity.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatDayHeading, formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { keepFocus } from '../../../ui/keep-focus.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ChoiceChip } from '../../../ui/table/filter/ChoiceChip.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import type { NameResolver } from '../model/change-format.ts';
import { useNameResolver } from '../model/use-names.ts';
import { PeopleSearch, UserChips } from '../pages/ActivityFilters.tsx';
import '../panels/activity.css';
import { BeforeAfter, ChangedProperty, ChangeOrigin } from '../pages/ChangeParts.tsx';
import { formatConfigurationAction, formatConfigurationValues, KIND_LABELS } from './configuration-format.ts';
import type { ConfigurationValueChange } from './configuration-format.ts';
import {
  getPeriodStart,
  isConfigurationFiltered,
  LOG_PERIOD_LABELS,
  parseConfigurationView,
  PERIODS,
  serializeConfigurationView,
  toKinds,
} from './configuration-view.ts';
import type { ConfigurationView } from './configuration-view.ts';

const route = getRouteApi('/_app/activity/configuration');

/** Changes of the configuration of the site: who changed what, from which value to which. */
export function ConfigurationPage() {
  const { allowed, reason } = usePermission('listConfigurationChanges');
  if (!allowed) throw new ServiceError(403, reason);
  return <ConfigurationLog />;
}

const PAGE_SIZE = 50;

function useConfigurationChanges({ q, kinds, people, period }: ConfigurationView) {
  // The start of a period stays where it is while the page is open: pages must not move.
  const [openedAt] = useState(Date.now);
  const from = getPeriodStart(period, openedAt, getBrowserTimeZone());
  const query = {
    limit: PAGE_SIZE,
    ...(q.trim() !== '' && { search: q.trim() }),
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(people.length > 0 && { userIds: [...people] }),
    ...(from !== undefined && { from: new Date(from).toISOString() }),
  };
  return useInfiniteQuery({
    queryKey: [{ _id: 'listConfigurationChanges', query }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listConfigurationChanges({
          query: { ...query, ...(pageParam !== '' && { cursor: pageParam }) },
          signal,
        })
      ).data,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

function ConfigurationLog() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const committed = useMemo(() => parseConfigurationView(search), [search]);
  const { view, type, show } = useDebouncedView({
    view: committed,
    write: (next: ConfigurationView, replace) =>
      navigate({ search: serializeConfigurationView(next), replace, resetScroll: false }),
  });
  const log = useConfigurationChanges(committed);
  const changes = log.data?.pages.flatMap((page) => page.changes);
  const readUntil = log.data?.pages.at(-1)?.readUntil;
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      oneLine
      title="Configuration log"
      meta={
        changes &&
        // Changes of the filter before are not counted as those of this one.
        (log.isPlaceholderData
          ? 'Newest first'
          : `${pluralize(changes.length, 'change', 'changes')}${log.hasNextPage ? ' so far' : ''}, newest first`)
      }
      actions={
        <Link to="/activity" className={buttonClass()}>
          Open activity
        </Link>
      }
    >
      <TableBar>
        <SearchField
          label="Search in changes"
          placeholder="Name, property, value or author"
          value={view.q}
          onChange={type}
        />
        <FilterChip
          label="Kind"
          options={CONFIGURATION_KINDS.map((kind) => ({ value: kind, label: KIND_LABELS[kind] }))}
          value={view.kinds}
          onChange={(values) => show({ ...view, kinds: toKinds(values) })}
        />
        <ChoiceChip
          label="Period"
          options={PERIODS.map((period) => ({ value: period, label: LOG_PERIOD_LABELS[period] }))}
          value={view.period}
          defaultValue="all"
          onChange={(period) => show({ ...view, period })}
        />
        <PeopleSearch
          selectedIds={view.people}
          onAdd={(ids) => show({ ...view, people: [...new Set([...view.people, ...ids])] })}
        />
        <UserChips label="People" ids={view.people} onChange={(people) => show({ ...view, people })} />
      </TableBar>
      <Card>
        <LogContent
          changes={changes}
          error={log.error}
          retrying={log.isFetching}
          stale={log.isPlaceholderData}
          onRetry={() => void log.refetch()}
          // While more changes can be read, "nothing matches" is not known yet.
          complete={!log.hasNextPage}
          onClearFilters={
            isConfigurationFiltered(view)
              ? () => show({ q: '', kinds: [], people: [], period: 'all' })
              : undefined
          }
        />
        {log.hasNextPage && (
          <footer className="changes-foot">
            <ShowMoreButton pending={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              Show older
            </ShowMoreButton>
            {readUntil !== undefined && <span>Searched back to {formatExactDate(readUntil)}</span>}
            {log.isFetchNextPageError && <FailureBanner failure={toServiceError(log.error)} />}
          </footer>
        )}
      </Card>
    </Page>
  );
}

interface LogContentProps {
  changes: readonly ConfigurationChange[] | undefined;
  error: unknown;
  retrying: boolean;
  /** The rows belong to the previous filter. */
  stale: boolean;
  onRetry: () => void;
  complete: boolean;
  onClearFilters: (() => void) | undefined;
}

function LogContent({ changes, error, retrying, stale, onRetry, complete, onClearFilters }: LogContentProps) {
  const names = useNameResolver(changes ?? []);
  if (changes === undefined) {
    if (error === null) return <SkeletonRows rows={8} />;
    const failure = toServiceError(error);
    return (
      <ErrorState
        title="The configuration log could not be loaded"
        onRetry={onRetry}
        retrying={retrying}
        requestId={failure.requestId}
      >
        {endSentence(failure.message)}
      </ErrorState>
    );
  }
  if (changes.length === 0 && complete && onClearFilters)
    return (
      <EmptyState
        title="Nothing matches"
        actions={
          <Button ref={keepFocus} onClick={onClearFilters}>
            Clear filters
          </Button>
        }
      >
        No change matches the search and filters.
      </EmptyState>
    );
  if (changes.length === 0 && complete)
    return (
      <EmptyState icon={Settings2} title="No changes yet">
        Changes of settings, approved addresses, groups, API keys, agents, topics, destinations, report
        templates, schedules and the schema are listed here.
      </EmptyState>
    );
  if (changes.length === 0)
    return <p className="changes-none">No match among the changes searched so far.</p>;
  const days = Map.groupBy(changes, ({ date }) => formatDayHeading(date));
  return [...days].map(([day, ofDay]) => (
    <section key={day} className="changes-day" aria-label={day} aria-busy={stale}>
      <h2>{day}</h2>
      <ol className="changes">
        {ofDay.map((change) => (
          <ChangeItem key={change.id} {...{ change, names }} />
        ))}
      </ol>
    </section>
  ));
}

function ChangeItem({ change, names }: { change: ConfigurationChange; names: NameResolver }) {
  const values = formatConfigurationValues(change.changes, names);
  return (
    <li>
      <div className="changes-head">
        <strong>{formatConfigurationAction(change)}</strong>
        <Badge>{KIND_LABELS[change.kind]}</Badge>
        <span className="act-soft">
          <ChangeOrigin change={change} />
          <SubjectLink change={change} />
        </span>
      </div>
      {values.length > 0 && (
        <dl>
          {values.map((value) => (
            <ChangedProperty key={value.property} property={value.property}>
              {'added' in value ? (
                <ListChange change={value} />
              ) : (
                <BeforeAfter before={value.before} after={value.after} />
              )}
            </ChangedProperty>
          ))}
        </dl>
      )}
      {change.isShortened && <p className="changes-note">Long values are cut off here.</p>}
    </li>
  );
}

/** Link to what was changed, while it exists. */
function SubjectLink({ change: { action, kind, subjectType, subjectId } }: { change: ConfigurationChange }) {
  if (action.endsWith('.delete')) return null;
  const id = Number(subjectId);
  const link =
    subjectType === 'group' ? (
      <Link to="/groups/$groupId" params={{ groupId: id }}>
        Open group
      </Link>
    ) : subjectType === 'user' ? (
      <Link to="/users/$userId" params={{ userId: id }}>
        Open user
      </Link>
    ) : kind === 'address' ? (
      <Link to="/settings/addresses">Open approved addresses</Link>
    ) : subjectType === 'report-schedule' ? (
      <Link to="/reports/schedules">Open report schedules</Link>
    ) : kind === 'schedule' ? (
      <Link to="/backups">Open backups</Link>
    ) : action === 'site.update' ? (
      <Link to="/settings">Open settings</Link>
    ) : undefined;
  return link && <> · {link}</>;
}

function ListChange({ change }: { change: Extract<ConfigurationValueChange, { added: unknown }> }) {
  const { added, removed, unchangedCount } = change;
  if (added.length === 0 && removed.length === 0) return <>Order changed</>;
  return (
    <>
      {removed.length > 0 && (
        <span className="changes-list">
          Removed <del>{removed.join(', ')}</del>
        </span>
      )}
      {added.length > 0 && <span className="changes-list">Added {added.join(', ')}</span>}
      {unchangedCount > 0 && <span className="changes-list act-soft">{unchangedCount} unchanged</span>}
    </>
  );
}
