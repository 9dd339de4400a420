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
  return <CheckField {...props} kind="switch" />;
}

/** A box to tick, with its label beside it. */
export function CheckboxField<Values extends FieldValues, Output>(props: CheckFieldProps<Values, Output>) {
  return <CheckField {...props} kind="checkbox" />;
}

function CheckField<Values extends FieldValues, Output>({
  kind,
  ...props
}: CheckFieldProps<Values, Output> & { kind: 'switch' | 'checkbox' }) {
  const { label, hint, errorHelp, disabledReason } = props;
  const { bind, value, error, id } = useField(props);
  return (
    <Check
      {...bind}
      {...{ kind, id, label, hint, error, errorHelp, disabledReason }}
      checked={value === true}
    />
  );
}
