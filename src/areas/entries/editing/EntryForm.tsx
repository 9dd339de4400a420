import { useId } from 'react';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { cx } from '../../../ui/cx.ts';
import '../../../ui/form/form.css';
import type { Field, Schema } from '../model/schema.ts';
import { ValueView } from '../model/ValueView.tsx';
import { itemsOf } from '../model/values.ts';
import type { Misfit, StagedCell } from './changes.ts';
import { Editor } from './Editor.tsx';
import { lockedReason } from './rules.ts';

interface EntryFormProps {
  fields: readonly Field[];
  schema: Schema;
  shown: (field: Field) => FieldValue | undefined;
  staged: (field: Field) => Pick<StagedCell, 'misfit'> | undefined;
  /** What is wrong, by field. */
  faults: ReadonlyMap<number, string>;
  onChange: (field: Field, value: FieldValue | undefined, misfit?: Misfit) => void;
}

/** The form of an entry, made from its schema; each value is taken as soon as one leaves its field. */
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

function FormField({ field, schema, shown, staged, faults, onChange }: FormFieldProps) {
  const id = useId();
  const value = shown(field);
  const cell = staged(field);
  const locked = lockedReason(field);
  // A text that does not fit says so itself.
  const fault = cell?.misfit ? undefined : faults.get(field.id);
  const note = locked ?? field.description ?? undefined;
  const noteId = `${id}-note`;
  const faultId = `${id}-fault`;
  const described = [note !== undefined && noteId, fault !== undefined && faultId].filter(Boolean).join(' ');
  return (
    <div className={cx('field', cell && 'entry-form-staged')}>
      <label className="field-label" htmlFor={locked === undefined ? id : undefined} id={`${id}-label`}>
        {field.name} {field.isRequired && <span className="field-optional">required</span>}
        {cell && <span className="entry-form-mark">changed, not saved</span>}
      </label>
      {locked === undefined ? (
        <Editor
          id={id}
          inCell={false}
          {...{ field, schema, value }}
          misfit={cell?.misfit}
          invalid={fault !== undefined}
          describedBy={described === '' ? undefined : described}
          onCommit={(next) => onChange(field, next)}
          onMisfit={(misfit) => onChange(field, value, misfit)}
          onCancel={() => undefined}
        />
      ) : (
        <div aria-labelledby={`${id}-label`}>
          {itemsOf(value).length === 0 ? 'No data' : <ValueView value={value} field={field} />}
        </div>
      )}
      {note !== undefined && (
        <span id={noteId} className="field-hint">
          {note}
        </span>
      )}
      {fault !== undefined && (
        <span id={faultId} className="field-error">
          {fault}
        </span>
      )}
    </div>
  );
}
