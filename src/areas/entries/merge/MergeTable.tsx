import type { RowVm } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import type { Field } from '../model/schema.ts';
import { Shown } from '../history/Shown.tsx';
import { valueIn } from '../model/values.ts';
import { choiceOf } from './plan.ts';
import type { Choice, Choices } from './plan.ts';
import './merge.css';

interface MergeTableProps {
  rows: readonly RowVm[];
  stays: RowVm;
  nameOf: (row: RowVm) => string;
  /** Fields with a choice, and those that stay as they are in the entry that stays. */
  chosen: readonly Field[];
  kept: readonly Field[];
  choices: Choices;
  onStays: (entryId: number) => void;
  onChoose: (field: Field, choice: Choice) => void;
  onLeave: (entryId: number) => void;
}

// In pixels; a phone scrolls sideways.
const FIELD_WIDTH = 150;
const ENTRY_WIDTH = 170;

/** The entries side by side: which one stays, and whose value it gets in each field in which they differ. */
export function MergeTable(props: MergeTableProps) {
  const { rows, stays, nameOf, chosen, kept, choices, onStays, onLeave } = props;
  return (
    <div className="mg-scroll">
      <table className="mg-table" style={{ minWidth: FIELD_WIDTH + rows.length * ENTRY_WIDTH }}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {rows.map((row) => (
              <th key={row.EntryId} scope="col" className={cx(row === stays && 'mg-stays')}>
                <div className="mg-pick">
                  <input
                    id={`stays-${row.EntryId}`}
                    type="radio"
                    className="radio"
                    name="stays"
                    checked={row === stays}
                    onChange={() => onStays(row.EntryId)}
                  />
                  <label htmlFor={`stays-${row.EntryId}`}>
                    <bdi>{nameOf(row)}</bdi>
                    <span className="mg-id">
                      id {row.EntryId}, {row === stays ? 'stays' : 'goes away'}
                    </span>
                  </label>
                </div>
                <button
                  type="button"
                  className="btn btn-quiet btn-small"
                  onClick={() => onLeave(row.EntryId)}
                >
                  Leave out<span className="visually-hidden"> {nameOf(row)}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {chosen.map((field) => (
            <ChosenRow
              key={field.id}
              {...props}
              field={field}
              choice={choiceOf(field, choices, stays, rows)}
            />
          ))}
          {kept.map((field) => (
            <tr key={field.id}>
              <th scope="row">
                {field.name}
                <span className="mg-id">stays as it is</span>
              </th>
              {rows.map((row) => (
                <td key={row.EntryId} className={cx(row === stays && 'mg-taken')}>
                  <Shown value={valueIn(row, field)} field={field} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChosenRow(props: MergeTableProps & { field: Field; choice: Choice }) {
  const { rows, nameOf, field, choice, onChoose } = props;
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
              onChange={() => onChoose(field, 'all')}
            />
            All of them together
          </label>
        )}
      </th>
      {rows.map((row) => {
        const isTaken = choice === row.EntryId || choice === 'all';
        return (
          <td key={row.EntryId} className={cx(isTaken && 'mg-taken')}>
            <span className="mg-value">
              <input
                type="radio"
                className="radio"
                name={`field-${field.id}`}
                aria-label={`${field.name} of ${nameOf(row)}, id ${row.EntryId}`}
                checked={choice === row.EntryId}
                onChange={() => onChoose(field, row.EntryId)}
              />
              <span>
                <Shown value={valueIn(row, field)} field={field} />
                {isTaken && <span className="mg-id">taken</span>}
              </span>
            </span>
          </td>
        );
      })}
    </tr>
  );
}
