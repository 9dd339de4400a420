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
  type?: Extract<HTMLInputTypeAttribute, 'text' | 'email' | 'url' | 'tel'>;
  placeholder?: string;
  optional?: boolean;
  autoComplete?: string;
  autoFocus?: boolean;
  inputMode?: HTMLAttributes<Element>['inputMode'];
  maxLength?: number;
  /** More than one line. */
  rows?: number;
  /** Why it cannot be filled in; stands in place of the hint, and the field stays in reach. */
  disabledReason?: string | undefined;
}

/** A line of text, or several with `rows`. */
export function TextField<Values extends FieldValues, Output>(props: TextFieldProps<Values, Output>) {
  const { label, errorHelp, optional, type = 'text', rows, disabledReason } = props;
  const hint = disabledReason ?? props.hint;
  const { placeholder, autoComplete = 'off', autoFocus, inputMode, maxLength } = props;
  const { bind, value, error, id, noteId } = useField({ ...props, hint });
  const input = {
    ...bind,
    placeholder,
    autoComplete,
    autoFocus,
    inputMode,
    maxLength,
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
