import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { changeColumns } from '../../bulk/change-columns.tsx';
import { count, counted } from '../../../lib/numbers.ts';
import { saveFile } from '../../../files/save-file.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import type { RowSource } from '../../../ui/table/row-source.ts';
import type { Field } from '../model/schema.ts';
import { itemText, itemsOf } from '../model/values.ts';
import { refusedFile } from './files.ts';
import type { CellChange } from './plan.ts';
import type { DryRun } from './read.ts';

interface Line {
  id: number;
  name: string;
  before?: string;
  after?: string;
  why?: string;
}

const NAME: Column<Line> = {
  id: 'name',
  header: 'Entry',
  minWidth: 170,
  cell: ({ name }) => <bdi title={name}>{name}</bdi>,
};
const CHANGE: readonly Column<Line>[] = [NAME, ...changeColumns<Line>(170)];
const REFUSED: readonly Column<Line>[] = [
  NAME,
  { id: 'why', header: 'Why', minWidth: 320, small: 'line', cell: ({ why }) => <span>{why}</span> },
];

const CUT = 200;

function valueWords(value: FieldValue | undefined, field: Field | undefined): string {
  const text = field
    ? itemsOf(value)
        .map((item) => itemText(item, field))
        .join(', ')
    : '';
  return text === '' ? 'no data' : text.slice(0, CUT);
}

/** One side of a change; of several fields each with its name. */
function sideWords(
  cells: readonly CellChange[],
  side: 'before' | 'after',
  byId: ReadonlyMap<number, Field>,
  named: boolean,
): string {
  const [only] = cells;
  if (only && !named) return valueWords(only[side], byId.get(only.fieldId));
  return cells
    .map((cell) => `${byId.get(cell.fieldId)?.name ?? ''}: ${valueWords(cell[side], byId.get(cell.fieldId))}`)
    .join('; ');
}

interface DryRunViewProps {
  result: DryRun;
  fields: readonly Field[];
}

/** How many would be changed, from what to what, and which not, with the reasons. */
export function DryRunView({ result, fields }: DryRunViewProps) {
  const { changes, refused, same, missing } = result;
  // Where nothing can be changed, the reasons are what matters.
  const [wanted, setPart] = useState<'change' | 'refused'>(changes.length === 0 ? 'refused' : 'change');
  const part = refused.length === 0 ? 'change' : wanted;
  const byId = useMemo(() => new Map(fields.map((field) => [field.id, field])), [fields]);
  const rows = useMemo(() => {
    const written = new Set(changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)));
    const several = written.size > 1;
    return {
      change: sourceOf(changes, ({ entryId: id, name, cells }) => ({
        id,
        name,
        before: sideWords(cells, 'before', byId, several),
        after: sideWords(cells, 'after', byId, several),
      })),
      refused: sourceOf(refused, ({ entryId: id, name, why }) => ({ id, name, why })),
    };
  }, [changes, refused, byId]);
  return (
    <>
      <p className="num">
        {same > 0 && `${counted(same, 'entry holds', 'entries hold')} this already. `}
        {missing > 0 && `${counted(missing, 'entry is', 'entries are')} no longer there. `}
        The list is as it was read now: what matches later is not changed with it.
      </p>
      <div className="bed-parts">
        <fieldset className="bulk-parts">
          <legend className="visually-hidden">Shown entries</legend>
          <button type="button" aria-pressed={part === 'change'} onClick={() => setPart('change')}>
            Will change <span className="num">{count(changes.length)}</span>
          </button>
          {refused.length > 0 && (
            <button type="button" aria-pressed={part === 'refused'} onClick={() => setPart('refused')}>
              Cannot be changed <span className="num">{count(refused.length)}</span>
            </button>
          )}
        </fieldset>
        {refused.length > 0 && (
          <Button
            size="small"
            variant="quiet"
            icon={Download}
            onClick={() => saveFile('left-out.csv', refusedFile(refused))}
          >
            Save these with the reasons
          </Button>
        )}
      </div>
      {part === 'refused' && <Reasons refused={refused} />}
      <DataTable
        key={part}
        label={part === 'change' ? 'Will change' : 'Cannot be changed'}
        columns={part === 'change' ? CHANGE : REFUSED}
        rows={rows[part]}
        rowId={idOf}
        rowLabel={nameOf}
        empty={<EmptyState title="Nothing would be changed">{emptyWords(result)}</EmptyState>}
      />
    </>
  );
}

function emptyWords({ same, refused }: DryRun): string {
  if (refused.length === 0)
    return same > 0 ? 'All of them hold this already.' : 'No entry is there any more.';
  return same > 0 ? 'Those that can be changed hold this already.' : 'None of them can be changed.';
}

const MOST_REASONS = 5;

/** How many are held back by what, the most frequent first. */
function Reasons({ refused }: Pick<DryRun, 'refused'>) {
  const counts = [...Map.groupBy(refused, ({ why }) => why)]
    .map(([why, { length }]) => ({ why, length }))
    .toSorted((a, b) => b.length - a.length);
  const more = counts.length - MOST_REASONS;
  return (
    <ul className="bed-reasons num">
      {counts.slice(0, MOST_REASONS).map(({ why, length }) => (
        <li key={why}>
          {why}: {counted(length, 'entry', 'entries')}
        </li>
      ))}
      {more > 0 && <li>{counted(more, 'other reason', 'other reasons')}</li>}
    </ul>
  );
}

const idOf = ({ id }: Line) => id;
const nameOf = ({ name }: Line) => name;

/** Lines are made when they come into view: there may be a hundred thousand. */
const sourceOf = <Item,>(items: readonly Item[], line: (item: Item) => Line): RowSource<Line> => ({
  length: items.length,
  at(index) {
    const item = items[index];
    return item && line(item);
  },
});
