import { Link, getRouteApi, useLocation, useRouter } from '@tanstack/react-router';
import { Braces, ListFilter, ListTree, RefreshCw, Table2, History } from 'lucide-react';
import { Suspense, useDeferredValue, useMemo, useState } from 'react';
import { ServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { columnsOf, hiding, placed } from '../model/columns.ts';
import { BulkButton } from '../bulk/BulkButton.tsx';
import { AS_SCHEMA, keepColumnChoice, useColumnChoice } from '../model/columns-store.ts';
import type { ColumnChoice } from '../model/columns-store.ts';
import { NewEntry } from '../editing/NewEntry.tsx';
import { focusFilter } from '../filter/focus.ts';
import { curlOf, readSaid } from '../filter/query.ts';
import { useRememberView } from '../model/last-view.ts';
import { questionOf, sortIn } from '../model/question.ts';
import { fieldCalled } from '../model/schema.ts';
import { usePosition } from '../model/use-position.ts';
import { useRows } from '../model/use-rows.ts';
import { PointedNotice } from '../model/PointedNotice.tsx';
import { useType } from '../model/use-type.ts';
import { useViews } from '../views/use-views.ts';
import { ViewNotices } from '../views/ViewNotices.tsx';
import { columnsPlace } from '../views/saved.ts';
import { ViewsBar } from '../views/ViewsBar.tsx';
import { clockTime } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { later } from '../../../ui/later.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { useTyping } from '../../../ui/table/use-typing.ts';
import { ColumnTools } from './ColumnTools.tsx';
import { FilesMenu } from './FilesMenu.tsx';
import { FilterChips } from './FilterChips.tsx';
import { GoneFields } from './GoneFields.tsx';
import { GridCard } from './GridCard.tsx';
import { useRereadSchema } from '../../schema/use-reread-schema.ts';
import { writeEntriesView, readEntriesView, readPointed, writePointed } from '../model/view.ts';
import type { EntriesView, Pointed } from '../model/view.ts';
import './entries.css';

const FindPanel = later(() => import('../filter/FindPanel.tsx'));

/** The entries of a type: found, ordered, and looked at by windows, however many there are. */
export function GridPage() {
  const { allowed, reason } = useAllowed('queryRowsByBody');
  if (!allowed) throw new ServiceError(403, reason);
  return <Entries />;
}

/** Takes the keyboard at once: what is pressed meanwhile must not reach the button, which would close the filter again. */
const FindOnTheWay = () => (
  <section className="ent-waiting" aria-label="Find entries" aria-busy tabIndex={-1} ref={takeFocus}>
    <SkeletonRows rows={3} />
  </section>
);
const takeFocus = (section: HTMLElement | null) => section?.focus();

/** The filter is open; where somebody has opened it, the keyboard goes there. */
interface Finding {
  keyboard?: { at: number };
}

function Entries() {
  const { schema, type, fields } = useType();
  const { view, pointed, visit, show, enter, linkTo } = useView();
  useRememberView(type.id, view);
  const { views, known, error: unknown } = useViews(type.id);
  const saved = views.find(({ id }) => id === view.saved);
  const place = columnsPlace(type.id, saved?.id);
  const choice = useColumnChoice(place) ?? saved?.columns ?? AS_SCHEMA;
  const keep = (next: ColumnChoice) => keepColumnChoice(place, next);
  const columns = useMemo(() => columnsOf(fields, choice), [fields, choice]);
  const key = fields.find(({ isKey }) => isKey);
  const sort = useMemo(() => sortIn(view.sort, fields), [view.sort, fields]);
  const { q, type: typed, settle } = useTyping(view.q, (next) => enter({ q: next }));
  const sought = useDeferredValue(view.q);
  const { condition, faults } = useMemo(() => readSaid(view.query, fields), [view.query, fields]);
  const [finding, setFinding] = useState<Finding | undefined>(faults && {});
  /** Opens the filter, with the keyboard on one of its conditions. */
  const find = (at = 0) => setFinding({ keyboard: { at } });
  const reread = useRereadSchema();

  const names = columns.map(({ field }) => field.apiName).join('\n');
  const question = useMemo(
    () => questionOf({ fields, names: names.split('\n'), condition, q: sought, sort }),
    [fields, names, condition, sought, sort],
  );
  const answer = useRows(
    type.id,
    question,
    condition !== undefined && (view.saved === undefined || known || unknown !== null),
  );
  const { isFetching } = answer;
  // A filter that cannot be asked has no entries: what came before must not be counted, edited or exported as its own.
  const rows = condition && answer.rows;
  const isAsked = condition !== undefined && !answer.stale;
  const position = usePosition(type.id, question, isAsked ? pointed?.entryId : undefined, key);
  const pointedField = fieldCalled(fields, pointed?.field ?? '');
  const column = columns.findIndex(({ field }) => field === pointedField);
  const target = pointed && {
    ...pointed,
    row: position?.row ?? undefined,
    column: pointed.field === '' || column < 0 ? undefined : column,
    visit: `${visit} ${pointed.entryId} ${pointed.field}`,
  };
  const narrowed = view.q !== '' || view.query !== undefined;
  const clear = () => {
    focusFilter();
    void show({ ...view, q: '', query: undefined });
  };
  const again = async () => {
    await reread();
    answer.readAgain();
  };
  const turn = (name: string) =>
    void show({ ...view, sort: sort.field === name && !sort.descending ? `-${name}` : name });
  return (
    <Page
      fill
      breadcrumbs={<Trail />}
      title={type.pluralName}
      meta={
        <span aria-live="polite">
          {counted((narrowed ? undefined : rows?.total) ?? type.entryCount ?? 0, 'entry', 'entries')}
          {narrowed && rows && ` · ${count(rows.total)} ${rows.total === 1 ? 'matches' : 'match'}`}
        </span>
      }
      actions={
        <>
          {rows && rows.total > 0 && (
            <BulkButton typeId={type.id} rows={rows} query={question.query} narrowed={narrowed} />
          )}
          <FilesMenu
            request={{
              type,
              fields,
              columns: columns.map(({ field }) => field),
              question,
              total: rows?.total,
            }}
            view={view}
            condition={condition}
          />
          <Link to="/entries/$type/schema" params={{ type: type.apiName }} className={buttonClass()}>
            <ListTree />
            Schema
          </Link>
          <NewEntry type={type} schema={schema} />
        </>
      }
    >
      <TableBar
        tools={
          <>
            {rows && answer.asOf > 0 && (
              <AsOf tone={answer.error ? 'bad' : 'ok'}>As of {clockTime(answer.asOf)}</AsOf>
            )}
            <IconButton
              label="Read again"
              icon={RefreshCw}
              pending={isFetching}
              onClick={() => void again()}
            />
            <PastLink type={type.apiName} view={view} />
            <ColumnTools {...{ fields, choice }} sort={sort} onSort={turn} onChange={keep} />
          </>
        }
      >
        <ViewsBar {...{ type, fields, view, choice, saved, views }} />
        <Button
          icon={ListFilter}
          id="ent-find"
          aria-expanded={finding !== undefined}
          onClick={() => (finding ? setFinding(undefined) : find())}
        >
          Filter and query
        </Button>
        <SearchField
          label={`Search ${type.pluralName}`}
          placeholder={key ? `${key.name} contains` : 'Search'}
          value={q}
          onChange={typed}
          onLeave={settle}
        />
      </TableBar>
      {view.query !== undefined && (
        <div className="where-line">
          <FilterChips
            {...{ condition, fields, schema, faults }}
            onChange={(query) => void show({ ...view, query })}
            onEdit={find}
          />
        </div>
      )}
      <GoneFields {...{ fields, rows }} error={answer.error} onReread={reread} />
      <ViewNotices {...{ view, fields, saved, known, show }} />
      {pointed && position && (
        <PointedNotice
          {...{ pointed, position, view, narrowed, fields }}
          type={type.apiName}
          isShown={column >= 0}
          onShowColumn={(name) =>
            keep(
              hiding(
                fields,
                choice,
                choice.hidden.filter((one) => one !== name),
              ),
            )
          }
        />
      )}
      <Suspense fallback={finding?.keyboard && <FindOnTheWay />}>
        {finding && (
          <FindPanel
            said={view.query}
            keyboard={finding.keyboard}
            {...{ fields, schema }}
            onQuery={(query, isStep) => void enter({ query }, isStep)}
            curl={curlOf(location.origin, type.apiName, { ...question, limit: 100, skip: 0 })}
          />
        )}
      </Suspense>
      <GridCard
        {...{ type, columns, faults, sort, narrowed }}
        answer={{ ...answer, rows }}
        pointed={target}
        linkTo={linkTo}
        frozen={choice.frozen}
        icon={narrowed ? Braces : Table2}
        onSort={turn}
        onClear={clear}
        onAgain={() => void again()}
        onResize={(name, width) => keep({ ...choice, widths: { ...choice.widths, [name]: width } })}
        onPlace={(name, at) => keep(placed(fields, choice, name, at))}
      />
    </Page>
  );
}

/** Leads from today's list to the same list as it was at a moment. */
function PastLink({ type, view }: { type: string; view: EntriesView }) {
  return (
    <Link
      to="/entries/$type/past"
      params={{ type }}
      search={writeEntriesView(view)}
      className={buttonClass({ variant: 'quiet', size: 'small' })}
    >
      <History />
      As of a date
    </Link>
  );
}

const route = getRouteApi('/_app/entries/$type/');

/** The view that the address says, and the ways to another one; what it points at belongs to this one alone. */
function useView() {
  const search = route.useSearch();
  const params = route.useParams();
  const navigate = route.useNavigate();
  const router = useRouter();
  // oxlint-disable-next-line no-underscore-dangle -- as the router calls it
  const visit = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const view = useMemo(() => readEntriesView(search), [search]);
  const pointed = useMemo(() => readPointed(search), [search]);
  const show = (next: EntriesView) => navigate({ to: '.', search: writeEntriesView(next) });
  /** Enters what was said a moment ago, in place of what stood there or as a step that Back undoes; all else stays. */
  const enter = (part: Partial<EntriesView>, isStep = false) =>
    navigate({
      to: '.',
      search: (now) => writeEntriesView({ ...readEntriesView(now), ...part }),
      replace: !isStep,
    });
  /** The address of an entry in this view, or of one of its cells. */
  const linkTo = (to: Pointed): string => {
    const said = { ...writeEntriesView(view), ...writePointed(to) };
    const { href } = router.buildLocation({ to: '/entries/$type', params, search: said });
    return new URL(href, location.origin).href;
  };
  return { view, pointed, visit, show, enter, linkTo };
}
