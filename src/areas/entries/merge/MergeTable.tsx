import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import { ValueExcerpt } from '../history/ValueExcerpt.tsx';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import { getChoice } from './merge-plan.ts';
import type { ValueChoice, ValueChoices } from './merge-plan.ts';
import './merge.css';

interface MergeTableProps {
  rows: readonly RowVm[];
  target: RowVm;
  formatName: (row: RowVm) => string;
  /** Differing fields whose value can be selected. */
  selectableFields: readonly Field[];
  fixedFields: readonly Field[];
  choices: ValueChoices;
  onTargetChange: (entryId: number) => void;
  onChoiceChange: (field: Field, choice: ValueChoice) => void;
  onRemove: (entryId: number) => void;
}

// Small screens scroll sideways.
const FIELD_WIDTH_PX = 150;
const ENTRY_WIDTH_PX = 170;

/** The entries side by side: selects the target and, for each differing field, whose value it keeps. */
export function MergeTable(props: MergeTableProps) {
  const { rows, target, formatName, selectableFields, fixedFields, choices, onTargetChange, onRemove } =
    props;
  return (
    <div className="mg-scroll">
      <table className="mg-table" style={{ minWidth: FIELD_WIDTH_PX + rows.length * ENTRY_WIDTH_PX }}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {rows.map((row) => (
              <th key={row.EntryId} scope="col" className={cx(row === target && 'mg-target')}>
                <div className="mg-pick">
                  <input
                    id={`stays-${row.EntryId}`}
                    type="radio"
                    className="radio"
                    name="stays"
                    checked={row === target}
                    onChange={() => onTargetChange(row.EntryId)}
                  />
                  <label htmlFor={`stays-${row.EntryId}`}>
                    <bdi>{formatName(row)}</bdi>
                    <span className="mg-id">
                      id {row.EntryId}, {row === target ? 'stays' : 'will be merged'}
                    </span>
                  </label>
                </div>
                <button
                  type="button"
                  className="btn btn-quiet btn-small"
                  onClick={() => onRemove(row.EntryId)}
                >
                  Leave out<span className="visually-hidden"> {formatName(row)}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {selectableFields.map((field) => (
            <SelectableRow
              key={field.id}
              {...props}
              field={field}
              choice={getChoice(field, choices, target, rows)}
            />
          ))}
          {fixedFields.map((field) => (
            <tr key={field.id}>
              <th scope="row">
                {field.name}
                <span className="mg-id">stays unchanged</span>
              </th>
              {rows.map((row) => (
                <td key={row.EntryId} className={cx(row === target && 'mg-selected')}>
                  <ValueExcerpt value={getValue(row, field)} field={field} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SelectableRow(props: MergeTableProps & { field: Field; choice: ValueChoice }) {
  const { rows, formatName, field, choice, onChoiceChange } = props;
  return (
    <tr>
      <th scope="row">
        {field.name}
        {field.isMultiSelect && (
          <label className="mg-all">
            <input
              type="radio"
              className="radio"
              name={`field-${field.id}`}
              checked={choice === 'all'}
              onChange={() => onChoiceChange(field, 'all')}
            />
            Keep all values
          </label>
        )}
      </th>
      {rows.map((row) => {
        const isSelected = choice === row.EntryId || choice === 'all';
        return (
          <td key={row.EntryId} className={cx(isSelected && 'mg-selected')}>
            <span className="mg-value">
              <input
                type="radio"
                className="radio"
                name={`field-${field.id}`}
                aria-label={`${field.name} of ${formatName(row)}, id ${row.EntryId}`}
                checked={choice === row.EntryId}
                onChange={() => onChoiceChange(field, row.EntryId)}
              />
              <span>
                <ValueExcerpt value={getValue(row, field)} field={field} />
                {isSelected && <span className="mg-id">kept</span>}
              </span>
            </span>
          </td>
        );
      })}
    </tr>
  );
}
