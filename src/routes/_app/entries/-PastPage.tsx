import { getRouteApi } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useMemo } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { columnsOf } from '../../../entries/columns.ts';
import { AS_SCHEMA, useColumnChoice } from '../../../entries/columns-store.ts';
import { toDraft, toQuery } from '../../../entries/find/draft.ts';
import { readSaid, withSearch } from '../../../entries/find/query.ts';
import { PastBar } from '../../../entries/time/PastBar.tsx';
import { PAGE, readPastView, writePastView } from '../../../entries/time/past-view.ts';
import type { PastView } from '../../../entries/time/past-view.ts';
import { PastTable } from '../../../entries/time/PastTable.tsx';
import { usePast } from '../../../entries/time/use-past.ts';
import { useType } from '../../../entries/use-type.ts';
import { writeEntriesView } from '../../../entries/view.ts';
import { columnsPlace } from '../../../entries/views/saved.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useTyping } from '../-typing.ts';
import { FilterChips } from './-FilterChips.tsx';
import './-entries.css';
import '../../../ui/table/table.css';

const route = getRouteApi('/_app/entries/$type/past');

/** The entries of a type as they were at a moment, beside today. */
export function PastPage() {
  const { allowed, reason } = useAllowed('queryRowsAsOf');
  if (!allowed) throw new ServiceError(403, reason);
  return <Past />;
}

/** More columns than these at once nobody compares, and each is drawn. */
const MOST_COLUMNS = 40;

function usePastView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readPastView(search), [search]);
  const show = (next: Partial<PastView>, replace = false) =>
    navigate({ to: '.', search: writePastView({ ...view, page: 1, ...next }), replace });
  return { view, show, navigate };
}

function Past() {
  const { schema, type, fields } = useType();
  const { view, show, navigate } = usePastView();
  const choice = useColumnChoice(columnsPlace(type.id, view.saved)) ?? AS_SCHEMA;
  const all = useMemo(() => columnsOf(fields, choice), [fields, choice]);
  const columns = all.slice(0, MOST_COLUMNS);
  const key = fields.find(({ isKey }) => isKey);
  const { q, type: typed, settle } = useTyping(view.q, (next) => show({ q: next }, true));
  const { condition, faults } = useMemo(() => readSaid(view.query, fields), [view.query, fields]);
  const names = columns.map(({ field }) => field.apiName).join('\n');
  const question = useMemo(() => {
    const query = withSearch(condition && toQuery(toDraft(condition)), view.q, key);
    return {
      ...(query && { query }),
      fields: names.split('\n'),
      ...(view.sort !== '' && { orderBy: view.sort }),
    };
  }, [condition, view.q, view.sort, key, names]);
  const answer = usePast(type.id, question, view, condition !== undefined);
  const { past } = answer;
  const today = () =>
    void navigate({
      to: '/entries/$type',
      params: { type: type.apiName },
      search: writeEntriesView(view),
    });
  return (
    <Page
      fill
      breadcrumbs={<Trail />}
      title={`${type.pluralName} as they were`}
      meta={
        <span aria-live="polite">
          {past && view.only === undefined && counted(past.totalRecords, 'entry then', 'entries then')}
          {past && view.only !== undefined && `${count(past.totalRecords)} ${view.only} since`}
        </span>
      }
    >
      <PastBar
        {...{ past }}
        asOf={view.asOf}
        only={view.only}
        onMoment={(asOf) => void show({ asOf })}
        onOnly={(only) => void show({ only })}
        onToday={today}
      />
      <TableBar>
        <SearchField
          label={`Search ${type.pluralName}`}
          placeholder={key ? `${key.name} contains` : 'Search'}
          value={q}
          onChange={typed}
          onLeave={settle}
        />
        <FilterChips {...{ condition, fields, schema, faults }} onChange={(query) => void show({ query })} />
      </TableBar>
      <section className="tbl-card" aria-label={`${type.pluralName} as they were`}>
        <Content {...{ view, answer, columns, type }} />
        {past && past.totalRecords > 0 && (
          <Pages
            {...{ view }}
            total={past.totalRecords}
            shown={past.rows.length}
            columns={columns.length}
            left={all.length - columns.length}
            onPage={(page) => void show({ page })}
          />
        )}
      </section>
    </Page>
  );
}

interface ContentProps {
  view: PastView;
  answer: ReturnType<typeof usePast>;
  columns: ReturnType<typeof columnsOf>;
  type: ReturnType<typeof useType>['type'];
}

function Content({ view, answer, columns, type }: ContentProps) {
  const { past, error } = answer;
  if (view.asOf === undefined)
    return (
      <EmptyState icon={History} title="No moment is chosen">
        Choose above when the list is to be told: it is shown as it was then, with what is different today.
      </EmptyState>
    );
  if (error)
    return (
      <ErrorState
        title={`${type.pluralName} cannot be told as they were then`}
        onRetry={answer.refetch}
        retrying={answer.isFetching}
        requestId={error.requestId}
      >
        {[error.message, ...error.fields.map(({ message }) => message)].join('. ')}
      </ErrorState>
    );
  if (!past)
    return (
      <div className="ent-waiting">
        <SkeletonRows rows={12} />
      </div>
    );
  if (past.rows.length === 0)
    return (
      <EmptyState icon={History} title="Nothing to show of this moment">
        {view.only === undefined
          ? 'No entry had everything that is asked for.'
          : `No entry that is asked for was ${view.only} since.`}
      </EmptyState>
    );
  return (
    <PastTable
      {...{ type, columns }}
      rows={past.rows}
      differences={answer.differences}
      asOf={view.asOf}
      first={(view.page - 1) * PAGE + 1}
      stale={answer.stale}
    />
  );
}

interface PagesProps {
  view: PastView;
  total: number;
  shown: number;
  columns: number;
  left: number;
  onPage: (page: number) => void;
}

function Pages({ view: { page }, total, shown, columns, left, onPage }: PagesProps) {
  const first = (page - 1) * PAGE + 1;
  return (
    <footer className="tbl-footer">
      <span>
        {count(first)} to {count(first + shown - 1)} of {count(total)} ·{' '}
        {counted(columns, 'column', 'columns')}
        {left > 0 && `, ${count(left)} more are not shown`}
      </span>
      <span className="past-ago">
        <Button
          size="small"
          disabledReason={page === 1 ? 'This is the first page' : undefined}
          onClick={() => onPage(page - 1)}
        >
          Previous
        </Button>
        <Button
          size="small"
          disabledReason={first + shown > total ? 'This is the last page' : undefined}
          onClick={() => onPage(page + 1)}
        >
          Next
        </Button>
      </span>
    </footer>
  );
}
