import type { FieldValues } from 'react-hook-form';
import { Check } from './Check.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';

interface CheckFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  boolean | undefined
> {
  disabledReason?: string | undefined;
}

/** A switch of a form, with what it does under it. */
export function SwitchField<Values extends FieldValues, Output>(props: CheckFieldProps<Values, Output>) {
  const { label, hint, errorHelp, disabledReason } = props;
  const { bind, value, error, id } = useField(props);
  return (
    <Check
      {...bind}
      {...{ id, label, hint, error, errorHelp, disabledReason }}
      kind="switch"
      checked={value === true}
    />
  );
}
