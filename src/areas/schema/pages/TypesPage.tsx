import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ArrowRight, FileUp, ListTree, Plus, Table2 } from 'lucide-react';
import { useMemo } from 'react';
import type { EntryTypeStatistics, EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { listEntryTypeStatisticsOptions } from '../../../api/generated/queries/schema.gen.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatShortDate } from '../../../lib/dates/dates.ts';
import { formatDifference, formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatRelativeDifference } from '../../../lib/percentages.ts';
import { omitUndefined, readSearchText, toSearchValue } from '../../../lib/search-params.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toLinePoints } from '../../../ui/chart/line-points.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TypeLabel, TypeTile } from '../../../ui/layout/TypeTile.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { SchemaChangesCard } from '../../activity/index.ts';
import { getReferenceTypeIds, useSchema, useUserNames } from '../../entries/index.ts';
import type { Field, Schema } from '../../entries/index.ts';
import { TypePanel } from '../panels/TypePanel.tsx';
import '../panels/schema.css';

const route = getRouteApi('/_app/entries/');

interface TypeRow extends EntryTypeVm {
  fieldCount: number;
  requiredCount: number;
  statistics: EntryTypeStatistics | undefined;
  /** Name of the user who made the last change. */
  changedBy: string | undefined;
}

const COLUMNS: readonly Column<TypeRow>[] = [
  {
    id: 'name',
    header: 'Entry type',
    minWidth: 200,
    cell: ({ id, icon, apiName, pluralName }, { tabIndex }) => (
      <span className="sch-type">
        <TypeTile type={{ id, icon }} />
        <span className="tbl-lines">
          <Link to="/entries/$type" params={{ type: apiName }} tabIndex={tabIndex}>
            {pluralName}
          </Link>
          <small className="mono">{apiName}</small>
        </span>
      </span>
    ),
  },
  {
    id: 'entries',
    header: 'Entries',
    width: 110,
    align: 'end',
    small: 'aside',
    cell: ({ entryCount }) => <strong>{entryCount === undefined ? '' : formatNumber(entryCount)}</strong>,
  },
  {
    id: 'growth',
    header: '30 days',
    width: 196,
    cell: ({ statistics }) => statistics && <Growth counts={statistics.entryCounts} />,
  },
  {
    id: 'lastChange',
    header: 'Last change',
    width: 210,
    small: 'line',
    cell: ({ apiName, pluralName, statistics, changedBy }, { tabIndex }) =>
      typeof statistics?.lastChangedAt === 'string' && (
        <span className="sch-last">
          {changedBy !== undefined && <Avatar name={changedBy} id={statistics.lastChangedBy ?? 0} />}
          <span className="tbl-lines">
            <Link
              to="/changes"
              search={{ type: apiName, since: findPeriod(statistics.lastChangedAt) }}
              tabIndex={tabIndex}
              aria-label={`Changes of ${pluralName}, last ${formatShortDate(statistics.lastChangedAt)}`}
            >
              {formatShortDate(statistics.lastChangedAt)}
            </Link>
            {changedBy !== undefined && (
              <small>
                <bdi>{changedBy}</bdi>
              </small>
            )}
          </span>
        </span>
      ),
  },
  {
    id: 'fields',
    header: 'Fields',
    width: 104,
    cell: ({ apiName, fieldCount, requiredCount, pluralName }, { tabIndex }) => (
      <span className="tbl-lines">
        <Link
          to="/entries/$type/schema"
          params={{ type: apiName }}
          tabIndex={tabIndex}
          aria-label={`${pluralize(fieldCount, 'field', 'fields')} of ${pluralName}`}
        >
          {formatNumber(fieldCount)}
        </Link>{' '}
        {requiredCount > 0 && <small>{formatNumber(requiredCount)} required</small>}
      </span>
    ),
  },
];

const DAY_MS = 86_400_000;

/** The shortest period of the changes page that contains a time. */
function findPeriod(at: string): 'week' | 'month' | 'all' | undefined {
  const age = Date.now() - Date.parse(at);
  // The last day is the default.
  if (age < DAY_MS) return undefined;
  if (age < 7 * DAY_MS) return 'week';
  return age < 30 * DAY_MS ? 'month' : 'all';
}
const CHART_WIDTH = 90;
const CHART_HEIGHT = 20;

/** Numbers of entries of 30 days as a line, and their difference in words. */
function Growth({ counts }: { counts: readonly number[] }) {
  const [first = 0] = counts;
  const difference = (counts.at(-1) ?? 0) - first;
  const share = first > 0 ? formatRelativeDifference(difference / first) : undefined;
  return (
    <span className="sch-growth">
      <svg
        viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
        width={CHART_WIDTH}
        height={CHART_HEIGHT}
        aria-hidden
      >
        <polyline points={toLinePoints(counts, CHART_WIDTH, CHART_HEIGHT - 2)} />
      </svg>
      <span className="tbl-lines">
        <span className="num">{difference === 0 ? 'None added' : formatDifference(difference)}</span>
        {share !== undefined && difference !== 0 && <small className="num">{share}</small>}
      </span>
    </span>
  );
}

const getRowId = ({ id }: TypeRow) => id;
const getRowLabel = ({ pluralName }: TypeRow) => pluralName;

const getRequiredCount = (fields: readonly Field[]): number =>
  fields.filter(({ isRequired }) => isRequired).length;

/** The types whose names, API names or fields contain the text. */
function filterTypes({ types, getFields }: Schema, q: string): readonly EntryTypeVm[] {
  const searchText = foldText(q.trim());
  const matches = (text: string): boolean => foldText(text).includes(searchText);
  return types.filter(
    ({ id, pluralName, singularName, apiName }) =>
      matches(`${pluralName} ${singularName} ${apiName}`) ||
      (searchText !== '' && getFields(id).some((field) => matches(`${field.name} ${field.apiName}`))),
  );
}

const NO_STATISTICS: readonly EntryTypeStatistics[] = [];

/** Rows of the types with their growth and last change, which are loaded after the types. */
function useRows(schema: Schema, q: string) {
  const { allowed } = usePermission('listEntryTypeStatistics');
  const query = useQuery({ ...listEntryTypeStatisticsOptions(), enabled: allowed });
  const { data: statistics = NO_STATISTICS } = query;
  const userIds = useMemo(
    () => [...new Set(statistics.flatMap(({ lastChangedBy }) => lastChangedBy ?? []))],
    [statistics],
  );
  const names = useUserNames(userIds);
  const rows = useMemo(
    () =>
      filterTypes(schema, q).map((type): TypeRow => {
        const fields = schema.getFields(type.id);
        const own = statistics.find(({ entryTypeId }) => entryTypeId === type.id);
        return {
          ...type,
          fieldCount: fields.length,
          requiredCount: getRequiredCount(fields),
          statistics: own,
          changedBy: names.get(own?.lastChangedBy ?? 0),
        };
      }),
    [schema, q, statistics, names],
  );
  return { rows, query };
}

/** List of the entry types of the site, with links to their entries and fields. */
export function TypesPage() {
  const { site } = useSession();
  const schema = useSchema();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const {
    q,
    type: setText,
    settle,
  } = useDebouncedSearch(readSearchText(search.q), (text) =>
    navigate({
      search: (others) => omitUndefined({ ...others, q: text === '' ? undefined : toSearchValue(text) }),
      replace: true,
    }),
  );
  const { rows, query } = useRows(schema, q);
  const imports = usePermission('startEntryImport');
  const total = schema.types.reduce((sum, { entryCount = 0 }) => sum + entryCount, 0);
  const { length } = schema.types;
  return (
    <Page
      fill
      title="Entries"
      meta={`${pluralize(length, 'type', 'types')} · ${pluralize(total, 'entry', 'entries')}`}
      actions={
        <>
          <NewTypeFromFileLink />
          <NewTypeLink />
        </>
      }
    >
      <ListTable
        table="entryTypes"
        tools={<QueryAge query={query} />}
        filters={
          length > 0 && (
            <SearchField
              label="Search entry types"
              placeholder="Name, API name or field"
              value={q}
              onChange={setText}
              onBlur={settle}
            />
          )
        }
        label="Entry types"
        columns={COLUMNS}
        rows={rows}
        twoLines
        rowId={getRowId}
        rowLabel={getRowLabel}
        rowMenu={({ apiName: type }) => [
          {
            label: 'Schema',
            icon: ListTree,
            onSelect: () => void navigate({ to: '/entries/$type/schema', params: { type } }),
          },
          {
            label: 'Import',
            icon: FileUp,
            disabledReason: imports.reason,
            onSelect: () => void navigate({ to: '/entries/$type/import', params: { type } }),
          },
        ]}
        empty={
          <EmptyState
            icon={Table2}
            title={`${site.name} has no entry types`}
            actions={
              <>
                <NewTypeLink />
                <NewTypeFromFileLink />
              </>
            }
          >
            An entry type defines the fields of its entries, such as sector and city of companies or the stage
            of deals. Create the first one, then add fields.
          </EmptyState>
        }
        onClearFilters={q === '' ? undefined : () => setText('')}
      />
      <div className="sch-below">
        <ConnectionsCard schema={schema} />
        <SchemaChangesCard />
      </div>
      {search.new && <TypePanel />}
    </Page>
  );
}

interface Connection {
  type: EntryTypeVm;
  field: Field;
  targets: readonly EntryTypeVm[];
}

/** The reference fields of all types with the types that they refer to. */
const listConnections = (schema: Schema): Connection[] =>
  schema.types.flatMap((type) =>
    schema
      .getFields(type.id)
      .filter(({ fieldType }) => fieldType === FIELD.reference)
      .map((field) => ({
        type,
        field,
        targets: getReferenceTypeIds(field, schema).flatMap((id) => schema.typeById.get(id) ?? []),
      })),
  );

/** How the entry types refer to each other; nothing without reference fields. */
function ConnectionsCard({ schema }: { schema: Schema }) {
  const connections = useMemo(() => listConnections(schema), [schema]);
  if (connections.length === 0) return null;
  return (
    <Card
      title="How they are connected"
      actions={<span className="sch-count">{pluralize(connections.length, 'reference', 'references')}</span>}
    >
      <ul className="sch-connections" aria-label="References between entry types">
        {connections.map(({ type, field, targets }) => (
          <li key={`${type.id} ${field.id}`}>
            <TypeChip type={type} />
            <span className="sch-through">
              <Link to="/entries/$type/schema" params={{ type: type.apiName }} search={{ field: field.id }}>
                <bdi>{field.name}</bdi>
              </Link>
              <ArrowRight aria-label="refers to" />
            </span>
            {targets.slice(0, MAX_TARGETS).map((target) => (
              <TypeChip key={target.id} type={target} />
            ))}
            {targets.length > MAX_TARGETS && (
              <span className="sch-count">{formatNumber(targets.length - MAX_TARGETS)} more</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const MAX_TARGETS = 3;

const TypeChip = ({ type }: { type: EntryTypeVm }) => (
  <Link to="/entries/$type" params={{ type: type.apiName }} className="sch-type sch-type-chip">
    <TypeLabel type={type}>{type.pluralName}</TypeLabel>
  </Link>
);

function NewTypeFromFileLink() {
  const { reason } = usePermission('extendSchema');
  const imports = usePermission('startEntryImport');
  const disabledReason = reason ?? imports.reason;
  if (disabledReason !== undefined)
    return (
      <Button icon={FileUp} disabledReason={disabledReason}>
        New type from a file
      </Button>
    );
  return (
    <Link to="/entries/from-file" className={buttonClass()}>
      <FileUp />
      New type from a file
    </Link>
  );
}

function NewTypeLink() {
  const { reason } = usePermission('createEntryType');
  if (reason !== undefined)
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        New entry type
      </Button>
    );
  return (
    <Link
      to="/entries"
      search={(others) => ({ ...others, new: true })}
      className={buttonClass({ variant: 'primary' })}
    >
      <Plus />
      New entry type
    </Link>
  );
}
