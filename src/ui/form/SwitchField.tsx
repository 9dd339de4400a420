import type { FieldValues } from 'react-hook-form';
import { Toggle } from './Toggle.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';

interface SwitchFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  boolean | undefined
> {
  disabledReason?: string | undefined;
}

/** Switch of a form with its hint. */
export function SwitchField<Values extends FieldValues, Output>(props: SwitchFieldProps<Values, Output>) {
  const { label, hint, errorHelp, disabledReason } = props;
  const { bind, value, error, id } = useField(props);
  return (
    <Toggle
      {...bind}
      {...{ id, label, hint, error, errorHelp, disabledReason }}
      kind="switch"
      checked={value === true}
    />
  );
}
