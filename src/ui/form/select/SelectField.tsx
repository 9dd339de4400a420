import { useRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame } from '../FieldFrame.tsx';
import { useField } from '../use-field.ts';
import type { FieldProps } from '../use-field.ts';
import type { FieldOption } from './OptionList.tsx';
import { Select } from './Select.tsx';

interface SelectFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  string | number | null | undefined
> {
  options: readonly FieldOption[];
  placeholder?: string;
  /** Adds a field above a long list that filters it by label. */
  searchable?: boolean;
}

/** Selects one of several options. */
export function SelectField<Values extends FieldValues, Output>(props: SelectFieldProps<Values, Output>) {
  const { label, hint, errorHelp, options, placeholder, searchable } = props;
  const { bind, value, error, id, noteId } = useField(props);
  const trigger = useRef<HTMLButtonElement>(null);
  return (
    <FieldFrame {...{ id, noteId, label, hint, error, errorHelp }}>
      <Select
        ref={(button) => {
          trigger.current = button;
          bind.ref({ focus: () => trigger.current?.focus() });
        }}
        {...{ id, label, options }}
        {...(placeholder !== undefined && { placeholder })}
        {...(searchable !== undefined && { searchable })}
        labelledBy={`${id}-label`}
        describedBy={noteId}
        isInvalid={error !== undefined}
        value={typeof value === 'string' || typeof value === 'number' ? value : undefined}
        onChange={bind.onChange}
        onBlur={bind.onBlur}
      />
    </FieldFrame>
  );
}
