import { ChevronDown } from 'lucide-react';
import { useRef } from 'react';
import { Button, Select, SelectValue } from 'react-aria-components';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame } from './FieldFrame.tsx';
import { OptionList } from './OptionList.tsx';
import type { FieldOption } from './OptionList.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';

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
  const { label, hint, errorHelp, options, placeholder = 'Choose', searchable = false } = props;
  const { bind, value, error, id, noteId } = useField(props);
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = options.find((option) => option.value === value);
  return (
    <FieldFrame {...{ id, noteId, label, hint, error, errorHelp }}>
      <Select
        ref={() => {
          bind.ref({ focus: () => trigger.current?.focus() });
        }}
        aria-labelledby={`${id}-label`}
        aria-describedby={noteId}
        isInvalid={error !== undefined}
        validationBehavior="aria"
        placeholder={placeholder}
        value={chosen?.value ?? null}
        onChange={bind.onChange}
        onBlur={bind.onBlur}
      >
        <Button ref={trigger} id={id} className="input select-trigger">
          <SelectValue className="select-value">{chosen?.label ?? placeholder}</SelectValue>
          <ChevronDown />
        </Button>
        <OptionList label={label} options={options} searchable={searchable} />
      </Select>
    </FieldFrame>
  );
}
