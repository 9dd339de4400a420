import { Plus, X } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import type { Misfit } from '../editing/changes.ts';
import { Editor } from '../editing/Editor.tsx';
import { lockedReason } from '../editing/rules.ts';
import type { Field, Schema } from '../model/schema.ts';
import { itemsOf } from '../model/values.ts';
import type { FieldEdit } from './plan.ts';

/** A line of the form: what becomes of a field. */
export interface EditLine extends FieldEdit {
  clears: boolean;
  /** What was typed in place of a value and is none. */
  misfit?: Misfit | undefined;
}

interface EditFieldsProps {
  fields: readonly Field[];
  schema: Schema;
  lines: readonly EditLine[];
  onChange: (lines: readonly EditLine[]) => void;
}

/** The fields that can be written for many entries at once. */
const writable = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => lockedReason(field) === undefined);

/** Whether the line says all that it needs. */
export const isComplete = ({ clears, value }: EditLine): boolean => clears || itemsOf(value).length > 0;

/** Which fields of all the entries get which value, or none. */
export function EditFields({ fields, schema, lines, onChange }: EditFieldsProps) {
  const offered = writable(fields);
  const free = offered.filter(({ id }) => !lines.some(({ fieldId }) => fieldId === id));
  const set = (at: number, line: EditLine) => onChange(lines.with(at, line));
  const [next] = free;
  return (
    <div className="bed-lines">
      {lines.map((line, at) => {
        const field = offered.find(({ id }) => id === line.fieldId);
        if (!field) return null;
        return (
          <fieldset key={line.fieldId} className="bed-line">
            <legend className="visually-hidden">Change of {field.name}</legend>
            <select
              className="input find-select"
              aria-label="Field"
              value={line.fieldId}
              onChange={({ target }) =>
                set(at, { fieldId: Number(target.value), value: undefined, clears: false })
              }
            >
              {[field, ...free].map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
            <select
              className="input find-select"
              aria-label="What becomes of it"
              value={line.clears ? 'clear' : 'set'}
              onChange={({ target }) => set(at, { ...line, clears: target.value === 'clear' })}
            >
              <option value="set">is set to</option>
              <option value="clear">is cleared</option>
            </select>
            <div className="bed-value">
              {!line.clears && (
                <Editor
                  {...{ field, schema }}
                  value={line.value}
                  inCell={false}
                  misfit={line.misfit}
                  onCommit={(value) => set(at, { ...line, value, misfit: undefined })}
                  onMisfit={(misfit) => set(at, { ...line, value: undefined, misfit })}
                  onCancel={() => undefined}
                />
              )}
            </div>
            <IconButton
              label={`Leave ${field.name} as it is`}
              icon={X}
              size="small"
              onClick={() => onChange(lines.toSpliced(at, 1))}
            />
          </fieldset>
        );
      })}
      {next && (
        <div>
          <Button
            size="small"
            variant="quiet"
            icon={Plus}
            onClick={() => onChange([...lines, { fieldId: next.id, value: undefined, clears: false }])}
          >
            {lines.length === 0 ? 'Choose a field' : 'Add a field'}
          </Button>
        </div>
      )}
    </div>
  );
}
