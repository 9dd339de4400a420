import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { FileUp, ListTree, Plus, Table2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { EntryTypeStatistics, EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { listEntryTypeStatisticsOptions } from '../../../api/generated/queries/schema.gen.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { foldText } from '../../../lib/fold-text.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { toLinePoints } from '../../../ui/chart/line-points.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useSchema, useUserNames } from '../../entries/index.ts';
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
    minWidth: 220,
    cell: ({ id, apiName, pluralName }, { tabIndex }) => (
      <span className="sch-type">
        <span className={`sch-tile sch-hue-${(id % HUE_COUNT) + 1}`} aria-hidden>
          <Table2 />
        </span>
        <Link to="/entries/$type" params={{ type: apiName }} tabIndex={tabIndex}>
          {pluralName}
        </Link>
      </span>
    ),
  },
  {
    id: 'apiName',
    header: 'API name',
    width: 170,
    cell: ({ apiName }) => <span className="mono">{apiName}</span>,
  },
  {
    id: 'entries',
    header: 'Entries',
    width: 110,
    align: 'end',
    small: 'aside',
    cell: ({ entryCount }) => (entryCount === undefined ? '' : formatNumber(entryCount)),
  },
  {
    id: 'growth',
    header: '30 days',
    width: 220,
    cell: ({ statistics }) => statistics && <Growth counts={statistics.entryCounts} />,
  },
  {
    id: 'lastChange',
    header: 'Last change',
    width: 240,
    small: 'line',
    cell: ({ statistics, changedBy }, { tabIndex }) =>
      typeof statistics?.lastChangedAt === 'string' && (
        <span className="sch-last">
          <Timestamp at={statistics.lastChangedAt} tabIndex={tabIndex} />
          {changedBy !== undefined && <span>{changedBy}</span>}
        </span>
      ),
  },
  {
    id: 'fields',
    header: 'Fields',
    width: 150,
    align: 'end',
    cell: ({ apiName, fieldCount, requiredCount, pluralName }, { tabIndex }) => (
      <Link
        to="/entries/$type/schema"
        params={{ type: apiName }}
        tabIndex={tabIndex}
        aria-label={`${pluralize(fieldCount, 'field', 'fields')} of ${pluralName}`}
      >
        {formatNumber(fieldCount)}
        {requiredCount > 0 && <small> · {formatNumber(requiredCount)} required</small>}
      </Link>
    ),
  },
];

/** Tiles take the colors of categories in turn, so that a type keeps its color. */
const HUE_COUNT = 6;
const CHART_WIDTH = 90;
const CHART_HEIGHT = 20;

/** Numbers of entries of 30 days as a line, and their difference in words. */
function Growth({ counts }: { counts: readonly number[] }) {
  const [first = 0] = counts;
  const difference = (counts.at(-1) ?? 0) - first;
  const share = first > 0 ? formatShare.format(difference / first) : undefined;
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
      <span className="num">{difference === 0 ? 'None added' : formatDifference.format(difference)}</span>
      {share !== undefined && difference !== 0 && <small className="num">{share}</small>}
    </span>
  );
}

const formatDifference = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });
const formatShare = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

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
function useRows(schema: Schema, q: string): readonly TypeRow[] {
  const { allowed } = usePermission('listEntryTypeStatistics');
  const { data: statistics = NO_STATISTICS } = useQuery({
    ...listEntryTypeStatisticsOptions(),
    enabled: allowed,
  });
  const userIds = useMemo(
    () => [...new Set(statistics.flatMap(({ lastChangedBy }) => lastChangedBy ?? []))],
    [statistics],
  );
  const names = useUserNames(userIds);
  return useMemo(
    () =>
      filterTypes(schema, q).map((type) => {
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
}

/** List of the entry types of the site, with links to their entries and fields. */
export function TypesPage() {
  const { site } = useSession();
  const schema = useSchema();
  const search = route.useSearch();
  const [q, setQ] = useState('');
  const rows = useRows(schema, q);
  const imports = usePermission('startEntryImport');
  const navigate = route.useNavigate();
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
      {length > 0 && (
        <TableBar>
          <SearchField
            label="Search entry types"
            placeholder="Name, API name or field"
            value={q}
            onChange={setQ}
          />
        </TableBar>
      )}
      <DataTable
        label="Entry types"
        columns={COLUMNS}
        rows={rows}
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
        onClearFilters={q === '' ? undefined : () => setQ('')}
      />
      {search.new && <TypePanel />}
    </Page>
  );
}

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
    <Link to="/entries" search={{ new: true }} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      New entry type
    </Link>
  );
}
