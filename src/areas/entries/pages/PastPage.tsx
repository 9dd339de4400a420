import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { Download } from 'lucide-react';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { columnsOf, hasOrder, placed } from '../model/columns.ts';
import { AS_SCHEMA, keepColumnChoice, useColumnChoice } from '../model/columns-store.ts';
import type { ColumnChoice } from '../model/columns-store.ts';
import { toDraft, toQuery } from '../filter/draft.ts';
import { readSaid, withSearch } from '../filter/query.ts';
import { fieldCalled } from '../model/schema.ts';
import { PastBar } from '../history/PastBar.tsx';
import { readPastView, writePastView } from '../history/past-view.ts';
import type { PastView } from '../history/past-view.ts';
import { usePast, readPastRows } from '../history/use-past.ts';
import { useType } from '../model/use-type.ts';
import { writeEntriesView } from '../model/view.ts';
import { columnsPlace } from '../views/saved.ts';
import { useViews } from '../views/use-views.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useTyping } from '../../../ui/table/use-typing.ts';
import { ColumnTools } from './ColumnTools.tsx';
import { FilterChips } from './FilterChips.tsx';
import { PastCard } from './PastCard.tsx';
import type { Condition } from '../../../../contract/rules/query/tree.ts';
import type { EntryTypeVm, RowVm } from '../../../api/generated/types.gen.ts';
import type { EntryColumn } from '../model/columns.ts';
import { entriesSource } from '../export/source.ts';
import type { Field } from '../model/schema.ts';
import type { PastQuestion } from '../history/use-past.ts';
import { OWN_ZONE, useZone } from '../model/zone.ts';
import { openExport } from '../../export/index.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { useFilterWords } from './use-filter-words.ts';
import type { PastSource } from '../export/source.ts';
import { inPages } from '../model/pages.ts';
import { markFrom } from '../history/marks.ts';
import './entries.css';

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

interface PastExportProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  columns: readonly EntryColumn[];
  view: PastView;
  condition: Condition | undefined;
  answer: ReturnType<typeof usePast>;
}

/** Writes the list as it was into a file, each row with its moment and what is different today. */
function PastExport({ type, fields, columns, view, condition, answer }: PastExportProps) {
  const { reason } = useAllowed('recordExport');
  const { site } = useSession();
  const zone = useZone();
  const filter = useFilterWords(view, condition);
  const { asOf } = view;
  const { list, question, error, stale } = answer;
  const total = list?.rows.total;
  const missing =
    asOf === undefined
      ? 'Choose a moment first'
      : error
        ? 'The list could not be read'
        : total === undefined || stale
          ? 'The list is still being read'
          : total === 0
            ? 'Nothing matches'
            : undefined;
  const open = () => {
    if (asOf === undefined || total === undefined) return;
    const words = [pastWords(asOf, view), ...(filter === undefined ? [] : [filter])].join(' · ');
    const request = { type, fields, columns: columns.map(({ field }) => field), question, total };
    openExport(
      entriesSource({ ...request, filter: words, past: pastSource(type.id, question, fields) }, [
        zone.name,
        'UTC',
        site.timeZone,
        OWN_ZONE,
      ]),
    );
  };
  return (
    <Button icon={Download} disabledReason={reason ?? missing} onClick={open}>
      Export
    </Button>
  );
}

/** What a list as it was tells of itself, in words: stands in the file's name and in the file. */
const pastWords = (asOf: string, { only, withAdded }: Pick<PastView, 'only' | 'withAdded'>): string =>
  [
    `As of ${asOf.slice(0, 19).replace('T', ' ')} UTC`,
    ...(only ? [`Only ${only} since`] : []),
    ...(withAdded && !only ? ['With those added since'] : []),
  ].join(' · ');

/**
 * A list as it was, for an export: each row tells the moment, and what became of it since. What it was at a moment does
 * not change any more, so its places hold while it is read.
 */
function pastSource(typeId: number, question: PastQuestion, all: readonly Field[]): PastSource {
  const told = new WeakMap<RowVm, { since: string; fields: string }>();
  const nameOf = new Map(all.map(({ apiName, name }) => [apiName, name]));
  const { asOf } = question;
  return {
    columns: [
      { heading: 'As of (UTC)', width: 20, cell: () => asOf },
      { heading: 'Since then', width: 20, cell: (row) => told.get(row)?.since ?? 'Same' },
      { heading: 'Different today', width: 30, cell: (row) => told.get(row)?.fields ?? '' },
    ],
    pages: (fields, signal) =>
      inPages(async ({ limit, skip }) => {
        const answer = await readPastRows(typeId, { ...question, fields, limit, skip }, signal);
        const rows = new Map(answer.rows.map((row) => [row.EntryId, row]));
        for (const difference of answer.differences) {
          const row = rows.get(difference.entryId);
          const names = difference.fields?.map((name) => nameOf.get(name) ?? name) ?? [];
          if (row) told.set(row, { since: markFrom(difference).words, fields: names.join('; ') });
        }
        return answer.rows;
      }),
  };
}
