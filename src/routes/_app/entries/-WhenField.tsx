import type { Control } from 'react-hook-form';
import { Builder } from '../../../entries/find/Builder.tsx';
import { EMPTY } from '../../../entries/find/draft.ts';
import type { Group } from '../../../entries/find/draft.ts';
import { useNameOf } from '../../../entries/find/use-name-of.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { useField } from '../../../ui/form/use-field.ts';
import type { FieldValues } from './-field-form.ts';

interface WhenFieldProps {
  control: Control<FieldValues, unknown, FieldValues>;
  /** Those that conditions may ask. */
  fields: readonly Field[];
  schema: Schema;
}

const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && 'of' in value;

/** The conditions under which a value is needed. */
export function WhenField({ control, fields, schema }: WhenFieldProps) {
  const {
    bind: { ref, onChange },
    value,
    error,
    id,
    noteId,
  } = useField({
    control,
    name: 'requiredWhen',
    label: 'Conditions',
    hint: 'A value is needed where these hold.',
  });
  const draft = isGroup(value) ? value : EMPTY;
  const nameOf = useNameOf(draft, fields, schema);
  return (
    <fieldset className="field sch-fieldset" aria-labelledby={`${id}-label`} aria-describedby={noteId}>
      <span id={`${id}-label`} className="field-label" ref={ref} tabIndex={-1}>
        Required when
      </span>
      <div className="sch-when">
        <Builder flat draft={draft} {...{ fields, schema, nameOf }} onChange={onChange} />
      </div>
      <FieldNote id={noteId} hint="A value is needed where these hold." error={error} />
    </fieldset>
  );
}
