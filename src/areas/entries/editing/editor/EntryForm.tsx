import { useId } from 'react';
import type { FieldValue } from '../../../../../contract/generated/types.gen.ts';
import { cx } from '../../../../ui/cx.ts';
import '../../../../ui/form/form.css';
import type { Field, Schema } from '../../model/schema.ts';
import { toItems } from '../../model/values.ts';
import { ValueView } from '../../model/ValueView.tsx';
import type { InvalidInput, StagedCell } from '../change-set.ts';
import { getLockedReason } from '../value-rules.ts';
import { Editor } from './Editor.tsx';

interface EntryFormProps {
  fields: readonly Field[];
  schema: Schema;
  getShownValue: (field: Field) => FieldValue | undefined;
  getStagedCell: (field: Field) => Pick<StagedCell, 'invalidInput'> | undefined;
  /** Errors by field id. */
  errors: ReadonlyMap<number, string>;
  /** Whether no value of the entry is stored yet. */
  isNew?: boolean;
  onChange: (field: Field, value: FieldValue | undefined, invalidInput?: InvalidInput) => void;
}

/** Form of an entry, built from its schema; each value is committed when the focus leaves its field. */
export function EntryForm({ fields, ...props }: EntryFormProps) {
  return (
    <div className="form-body entry-form">
      {fields.map((field) => (
        <FormField key={field.id} field={field} {...props} />
      ))}
    </div>
  );
}

type FormFieldProps = Omit<EntryFormProps, 'fields'> & { field: Field };

function FormField(props: FormFieldProps) {
  const { field, schema, getShownValue, getStagedCell, errors, isNew = false, onChange } = props;
  const id = useId();
  const value = getShownValue(field);
  const cell = getStagedCell(field);
  const lockedReason = getLockedReason(field);
  // The editor shows the error of invalid input itself.
  const error = cell?.invalidInput ? undefined : errors.get(field.id);
  const note = lockedReason ?? field.description ?? undefined;
  const noteId = `${id}-note`;
  const errorId = `${id}-error`;
  const descriptionIds = [note !== undefined && noteId, error !== undefined && errorId]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={cx('field', cell && 'entry-form-staged')}>
      <label className="field-label" htmlFor={lockedReason === undefined ? id : undefined} id={`${id}-label`}>
        {field.name} {field.isRequired && <span className="field-optional">required</span>}
        {cell && <span className="entry-form-mark">changed, not saved</span>}
      </label>
      {lockedReason === undefined ? (
        <Editor
          id={id}
          inCell={false}
          {...{ field, schema, value }}
          invalidInput={cell?.invalidInput}
          isChanged={isNew || cell !== undefined}
          isInvalid={error !== undefined}
          describedBy={descriptionIds === '' ? undefined : descriptionIds}
          onCommit={(next) => onChange(field, next)}
          onInvalidInput={(invalidInput) => onChange(field, value, invalidInput)}
          onCancel={() => undefined}
        />
      ) : (
        <div aria-labelledby={`${id}-label`}>
          {toItems(value).length === 0 ? 'No data' : <ValueView value={value} field={field} />}
        </div>
      )}
      {note !== undefined && (
        <span id={noteId} className="field-hint">
          {note}
        </span>
      )}
      {error !== undefined && (
        <span id={errorId} className="field-error">
          {error}
        </span>
      )}
    </div>
  );
}
