import type { FieldValues } from 'react-hook-form';
import { FieldNote } from './FieldFrame.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';
import './check.css';

interface CheckFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  boolean | undefined
> {
  /** Why it cannot be changed; stands in place of the hint. */
  disabledReason?: string | undefined;
}

/** A switch with its meaning beside it and what it does under it. */
export function SwitchField<Values extends FieldValues, Output>(props: CheckFieldProps<Values, Output>) {
  return <Check {...props} kind="switch" />;
}

/** A box to tick, with its label beside it. */
export function CheckboxField<Values extends FieldValues, Output>(props: CheckFieldProps<Values, Output>) {
  return <Check {...props} kind="checkbox" />;
}

function Check<Values extends FieldValues, Output>({
  kind,
  disabledReason,
  ...props
}: CheckFieldProps<Values, Output> & { kind: 'switch' | 'checkbox' }) {
  const hint = disabledReason ?? props.hint;
  const { bind, value, error, id, noteId } = useField({ ...props, hint });
  return (
    <div className={`check-field check-field-${kind}`}>
      <input
        {...bind}
        id={id}
        type="checkbox"
        role={kind === 'switch' ? 'switch' : undefined}
        className={kind}
        checked={value === true}
        disabled={disabledReason !== undefined}
        aria-invalid={error !== undefined}
        aria-describedby={noteId}
        onChange={(event) => bind.onChange(event.target.checked)}
      />
      <label htmlFor={id}>{props.label}</label>
      <FieldNote id={noteId} hint={hint} error={error} errorHelp={props.errorHelp} />
    </div>
  );
}
