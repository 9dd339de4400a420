import { Plus, X } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import type { InvalidInput } from '../editing/change-set.ts';
import { Editor } from '../editing/editor/Editor.tsx';
import { getLockedReason } from '../editing/value-rules.ts';
import type { Field, Schema } from '../model/schema.ts';
import { toItems } from '../model/values.ts';
import type { FieldEdit } from './plan.ts';

/** Line of the form: the new value of one field. */
export interface EditLine extends FieldEdit {
  clears: boolean;
  /** Input that is not a valid value. */
  invalidInput?: InvalidInput | undefined;
}

interface EditFieldsProps {
  fields: readonly Field[];
  schema: Schema;
  lines: readonly EditLine[];
  onChange: (lines: readonly EditLine[]) => void;
}

/** Fields that can be changed for many entries. */
const getEditableFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => getLockedReason(field) === undefined);

/** Whether the line needs no more input. */
export const isComplete = ({ clears, value }: EditLine): boolean => clears || toItems(value).length > 0;

/** Form for the new values of fields of all entries. */
export function EditFields({ fields, schema, lines, onChange }: EditFieldsProps) {
  const editableFields = getEditableFields(fields);
  const unusedFields = editableFields.filter(({ id }) => !lines.some(({ fieldId }) => fieldId === id));
  const replaceLine = (at: number, line: EditLine) => onChange(lines.with(at, line));
  const [nextField] = unusedFields;
  return (
    <div className="bed-lines">
      {lines.map((line, at) => {
        const field = editableFields.find(({ id }) => id === line.fieldId);
        if (!field) return null;
        return (
          <fieldset key={line.fieldId} className="bed-line">
            <legend className="visually-hidden">Change of {field.name}</legend>
            <select
              className="input find-select"
              aria-label="Field"
              value={line.fieldId}
              onChange={({ target }) =>
                replaceLine(at, { fieldId: Number(target.value), value: undefined, clears: false })
              }
            >
              {[field, ...unusedFields].map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
            <select
              className="input find-select"
              aria-label="Action"
              value={line.clears ? 'clear' : 'set'}
              onChange={({ target }) => replaceLine(at, { ...line, clears: target.value === 'clear' })}
            >
              <option value="set">Set to</option>
              <option value="clear">Clear</option>
            </select>
            <div className="bed-value">
              {!line.clears && (
                <Editor
                  {...{ field, schema }}
                  value={line.value}
                  inCell={false}
                  invalidInput={line.invalidInput}
                  onCommit={(value) => replaceLine(at, { ...line, value, invalidInput: undefined })}
                  onInvalidInput={(invalidInput) =>
                    replaceLine(at, { ...line, value: undefined, invalidInput })
                  }
                  onCancel={() => undefined}
                />
              )}
            </div>
            <IconButton
              label={`Do not change ${field.name}`}
              icon={X}
              size="small"
              onClick={() => onChange(lines.toSpliced(at, 1))}
            />
          </fieldset>
        );
      })}
      {nextField && (
        <div>
          <Button
            size="small"
            variant="quiet"
            icon={Plus}
            onClick={() => onChange([...lines, { fieldId: nextField.id, value: undefined, clears: false }])}
          >
            {lines.length === 0 ? 'Choose a field' : 'Add a field'}
          </Button>
        </div>
      )}
    </div>
  );
}
