import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { saveFile } from '../../../files/download.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import type { RowSource } from '../../../ui/table/row-source.ts';
import { changeColumns } from '../../bulk/index.ts';
import type { Field } from '../model/schema.ts';
import { formatItem, toItems } from '../model/values.ts';
import type { DryRun } from './dry-run.ts';
import { buildRefusedReport } from './plan.ts';
import type { CellChange } from './plan.ts';

interface ChangeRow {
  id: number;
  name: string;
  before?: string;
  after?: string;
  why?: string;
}

const NAME_COLUMN: Column<ChangeRow> = {
  id: 'name',
  header: 'Entry',
  minWidth: 170,
  cell: ({ name }) => <bdi title={name}>{name}</bdi>,
};
const CHANGE_COLUMNS: readonly Column<ChangeRow>[] = [NAME_COLUMN, ...changeColumns<ChangeRow>(170)];
const REFUSED_COLUMNS: readonly Column<ChangeRow>[] = [
  NAME_COLUMN,
  { id: 'why', header: 'Why', minWidth: 320, small: 'line', cell: ({ why }) => <span>{why}</span> },
];

const MAX_VALUE_LENGTH = 200;

function formatCellValue(value: FieldValue | undefined, field: Field | undefined): string {
  const text = field
    ? toItems(value)
        .map((item) => formatItem(item, field))
        .join(', ')
    : '';
  return text === '' ? 'no data' : text.slice(0, MAX_VALUE_LENGTH);
}

/** Values of one side of a change, prefixed by field names if there are several. */
function formatSide(
  cells: readonly CellChange[],
  side: 'before' | 'after',
  byId: ReadonlyMap<number, Field>,
  withFieldNames: boolean,
): string {
  const [only] = cells;
  if (only && !withFieldNames) return formatCellValue(only[side], byId.get(only.fieldId));
  return cells
    .map(
      (cell) =>
        `${byId.get(cell.fieldId)?.name ?? ''}: ${formatCellValue(cell[side], byId.get(cell.fieldId))}`,
    )
    .join('; ');
}

interface DryRunViewProps {
  result: DryRun;
  fields: readonly Field[];
}

/** Result of a dry run: changes with before and after, and refused entries with reasons. */
export function DryRunView({ result, fields }: DryRunViewProps) {
  const { changes, refused, unchangedCount, missing } = result;
  // If nothing can be changed, the reasons are shown first.
  const [selectedSection, setSelectedSection] = useState<'change' | 'refused'>(
    changes.length === 0 ? 'refused' : 'change',
  );
  const section = refused.length === 0 ? 'change' : selectedSection;
  const byId = useMemo(() => new Map(fields.map((field) => [field.id, field])), [fields]);
  const rows = useMemo(() => {
    const changedFieldIds = new Set(changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)));
    const hasSeveralFields = changedFieldIds.size > 1;
    return {
      change: createRowSource(changes, ({ entryId, name, cells }) => ({
        id: entryId,
        name,
        before: formatSide(cells, 'before', byId, hasSeveralFields),
        after: formatSide(cells, 'after', byId, hasSeveralFields),
      })),
      refused: createRowSource(refused, ({ entryId, name, why }) => ({ id: entryId, name, why })),
    };
  }, [changes, refused, byId]);
  return (
    <>
      <p className="num">
        {unchangedCount > 0 && `${pluralize(unchangedCount, 'entry', 'entries')} already set. `}
        {missing > 0 && `${pluralize(missing, 'entry no longer exists', 'entries no longer exist')}. `}
        Entries that match later are not changed.
      </p>
      <div className="bed-parts">
        <fieldset className="bulk-parts">
          <legend className="visually-hidden">Shown entries</legend>
          <button
            type="button"
            aria-pressed={section === 'change'}
            onClick={() => setSelectedSection('change')}
          >
            Will change <span className="num">{formatNumber(changes.length)}</span>
          </button>
          {refused.length > 0 && (
            <button
              type="button"
              aria-pressed={section === 'refused'}
              onClick={() => setSelectedSection('refused')}
            >
              Cannot be changed <span className="num">{formatNumber(refused.length)}</span>
            </button>
          )}
        </fieldset>
        {refused.length > 0 && (
          <Button
            size="small"
            variant="quiet"
            icon={Download}
            onClick={() => saveFile('left-out.csv', buildRefusedReport(refused))}
          >
            Save with reasons
          </Button>
        )}
      </div>
      {section === 'refused' && <Reasons refused={refused} />}
      <DataTable
        key={section}
        label={section === 'change' ? 'Will change' : 'Cannot be changed'}
        columns={section === 'change' ? CHANGE_COLUMNS : REFUSED_COLUMNS}
        rows={rows[section]}
        rowId={getId}
        rowLabel={getName}
        empty={<EmptyState title="No changes to make">{formatEmptyText(result)}</EmptyState>}
      />
    </>
  );
}

function formatEmptyText({ unchangedCount, refused }: DryRun): string {
  if (refused.length === 0)
    return unchangedCount > 0 ? 'All entries already have these values.' : 'The entries no longer exist.';
  return unchangedCount > 0
    ? 'Entries that can be changed already have these values.'
    : 'None of the entries can be changed.';
}

const MAX_REASONS = 5;

/** Reasons by frequency. */
function Reasons({ refused }: Pick<DryRun, 'refused'>) {
  const counts = [...Map.groupBy(refused, ({ why }) => why)]
    .map(([why, { length }]) => ({ why, length }))
    .toSorted((a, b) => b.length - a.length);
  const more = counts.length - MAX_REASONS;
  return (
    <ul className="bed-reasons num">
      {counts.slice(0, MAX_REASONS).map(({ why, length }) => (
        <li key={why}>
          {why}: {pluralize(length, 'entry', 'entries')}
        </li>
      ))}
      {more > 0 && <li>{pluralize(more, 'other reason', 'other reasons')}</li>}
    </ul>
  );
}

const getId = ({ id }: ChangeRow) => id;
const getName = ({ name }: ChangeRow) => name;

/** A row is built when it comes into view: there may be 100,000. */
const createRowSource = <Item,>(
  items: readonly Item[],
  toRow: (item: Item) => ChangeRow,
): RowSource<ChangeRow> => ({
  length: items.length,
  at(index) {
    const item = items[index];
    return item && toRow(item);
  },
});
