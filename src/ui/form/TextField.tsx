import type { HTMLAttributes, HTMLInputTypeAttribute } from 'react';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame } from './FieldFrame.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';

interface TextFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  string | null | undefined
> {
  type?: Extract<HTMLInputTypeAttribute, 'text' | 'email' | 'url' | 'tel' | 'time'>;
  placeholder?: string;
  optional?: boolean;
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: HTMLAttributes<Element>['inputMode'];
  /** Number of lines; a textarea instead of an input. */
  rows?: number;
  /** Why it cannot be edited; replaces the hint. The field stays focusable. */
  disabledReason?: string | undefined;
}

/** Text field with one line, or several with `rows`. */
export function TextField<Values extends FieldValues, Output>(props: TextFieldProps<Values, Output>) {
  const { label, errorHelp, optional, type = 'text', rows, disabledReason } = props;
  const hint = disabledReason ?? props.hint;
  const { placeholder, autoComplete = 'off', autoFocus, inputMode } = props;
  const { bind, value, error, id, noteId } = useField({ ...props, hint });
  const input = {
    ...bind,
    placeholder,
    autoComplete,
    autoFocus,
    inputMode,
    id,
    className: 'input',
    value: typeof value === 'string' ? value : '',
    readOnly: disabledReason !== undefined,
    'aria-disabled': disabledReason !== undefined || undefined,
    'aria-invalid': error !== undefined,
    'aria-describedby': noteId,
  };
  return (
    <FieldFrame {...{ id, noteId, label, hint, error, errorHelp, optional }}>
      {rows === undefined ? <input {...input} type={type} /> : <textarea {...input} rows={rows} />}
    </FieldFrame>
  );
}
