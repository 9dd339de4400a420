import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { columnsOf, hasOrder, placed } from '../../../entries/columns.ts';
import { AS_SCHEMA, keepColumnChoice, useColumnChoice } from '../../../entries/columns-store.ts';
import type { ColumnChoice } from '../../../entries/columns-store.ts';
import { toDraft, toQuery } from '../../../entries/find/draft.ts';
import { readSaid, withSearch } from '../../../entries/find/query.ts';
import { fieldCalled } from '../../../entries/schema.ts';
import { PastBar } from '../../../entries/time/PastBar.tsx';
import { readPastView, writePastView } from '../../../entries/time/past-view.ts';
import type { PastView } from '../../../entries/time/past-view.ts';
import { usePast } from '../../../entries/time/use-past.ts';
import { useType } from '../../../entries/use-type.ts';
import { writeEntriesView } from '../../../entries/view.ts';
import { columnsPlace } from '../../../entries/views/saved.ts';
import { useViews } from '../../../entries/views/use-views.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useTyping } from '../-typing.ts';
import { ColumnTools } from './-ColumnTools.tsx';
import { FilterChips } from './-FilterChips.tsx';
import { PastCard } from './-PastCard.tsx';
import { PastExport } from './-PastExport.tsx';
import './-entries.css';

const route = getRouteApi('/_app/entries/$type/past');

/** The entries of a type as they were at a moment, beside today. */
export function PastPage() {
  const { allowed, reason } = useAllowed('queryRowsAsOf');
  if (!allowed) throw new ServiceError(403, reason);
  return <Past />;
}

function usePastView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readPastView(search), [search]);
  const show = (next: Partial<PastView>, replace = false) =>
    navigate({ to: '.', search: writePastView({ ...view, ...next }), replace });
  return { view, show, navigate };
}

/** The columns of the list of today: as its view has them, and as they were chosen there. */
function useColumns(saved: number | undefined) {
  const { type, fields } = useType();
  const { views } = useViews(type.id);
  const view = views.find(({ id }) => id === saved);
  const place = columnsPlace(type.id, view?.id);
  const choice = useColumnChoice(place) ?? view?.columns ?? AS_SCHEMA;
  const columns = useMemo(() => columnsOf(fields, choice), [fields, choice]);
  return { choice, columns, keep: (next: ColumnChoice) => keepColumnChoice(place, next) };
}

function Past() {
  const { schema, type, fields } = useType();
  const { view, show, navigate } = usePastView();
  const { choice, columns, keep } = useColumns(view.saved);
  const key = fields.find(({ isKey }) => isKey);
  const { q, type: typed, settle } = useTyping(view.q, (next) => show({ q: next }, true));
  const sought = useDeferredValue(view.q);
  const { condition, faults } = useMemo(() => readSaid(view.query, fields), [view.query, fields]);
  const descending = view.sort.startsWith('-');
  const sorted = fieldCalled(fields, descending ? view.sort.slice(1) : view.sort);
  const sort = { field: sorted && hasOrder(sorted) ? sorted.apiName : '', descending };
  const names = columns.map(({ field }) => field.apiName).join('\n');
  const question = useMemo(() => {
    const query = withSearch(condition && toQuery(toDraft(condition)), sought, key);
    return {
      ...(query && { query }),
      fields: names.split('\n'),
      ...(sort.field !== '' && { orderBy: `${sort.descending ? '-' : ''}${sort.field}` }),
    };
  }, [condition, sought, key, names, sort.field, sort.descending]);
  const answer = usePast(type.id, question, view, condition !== undefined);
  const list = view.asOf === undefined ? undefined : answer.list;
  const today = () =>
    void navigate({
      to: '/entries/$type',
      params: { type: type.apiName },
      search: writeEntriesView(view),
    });
  const turn = (name: string) =>
    void show({ sort: sort.field === name && !sort.descending ? `-${name}` : name });
  return (
    <Page
      fill
      breadcrumbs={<Trail />}
      title={`${type.pluralName} as they were`}
      meta={
        <span aria-live="polite">
          {list && view.only === undefined && toldOf(list.rows.total, view.withAdded)}
          {list && view.only !== undefined && `${count(list.rows.total)} ${view.only} since`}
        </span>
      }
      actions={<PastExport {...{ type, fields, columns, view, condition }} answer={answer} />}
    >
      <PastBar
        {...{ view }}
        typeId={type.id}
        counts={list?.counts}
        onShow={(next) => void show(next)}
        onToday={today}
      />
      <TableBar tools={<ColumnTools {...{ fields, choice, sort }} onSort={turn} onChange={keep} />}>
        <SearchField
          label={`Search ${type.pluralName}`}
          placeholder={key ? `${key.name} contains` : 'Search'}
          value={q}
          onChange={typed}
          onLeave={settle}
        />
        <FilterChips {...{ condition, fields, schema, faults }} onChange={(query) => void show({ query })} />
      </TableBar>
      <PastCard
        {...{ view, answer, columns, faults, sort }}
        frozen={choice.frozen}
        onSort={turn}
        onClear={() => void show({ q: '', query: undefined, only: undefined })}
        onResize={(name, width) => keep({ ...choice, widths: { ...choice.widths, [name]: width } })}
        onPlace={(name, at) => keep(placed(fields, choice, name, at))}
      />
    </Page>
  );
}

const toldOf = (total: number, withAdded: boolean): string =>
  withAdded
    ? `${counted(total, 'entry', 'entries')} then or now`
    : counted(total, 'entry then', 'entries then');
