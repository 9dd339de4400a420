import { useId } from 'react';
import type { ReactNode } from 'react';
import { useController } from 'react-hook-form';
import type { Control, FieldError, FieldPathByValue, FieldValues } from 'react-hook-form';

/** Props of every field; `Value` restricts it to form values of its type. */
export interface FieldProps<Values extends FieldValues, Output, Value> {
  control: Control<Values, unknown, Output>;
  name: FieldPathByValue<Values, Value>;
  label: string;
  hint?: ReactNode;
  /** Shown after the error message: ways to resolve it ("Invite" or "add without an invitation"). */
  errorHelp?: ReactNode;
}

/** Name of an item of a list, for errors of single items. */
type GetItemName = (item: unknown) => string | undefined;

/** Connects a control to the form and provides the ids of its label, hint and error. */
export function useField<Values extends FieldValues, Output, Value>(
  { control, name, hint }: FieldProps<Values, Output, Value>,
  getItemName?: GetItemName,
) {
  const id = useId();
  const { field, fieldState } = useController({ control, name });
  const { value, ...bind } = field;
  const fieldValue: unknown = value;
  const error = getErrorMessage(fieldState.error, fieldValue, getItemName);
  return {
    /** Name, ref and handlers; each field reads the value itself. */
    bind,
    value: fieldValue,
    error,
    id,
    noteId: error !== undefined || hint !== undefined ? `${id}-note` : undefined,
  };
}

/** Message of a field's error. The error of an item of a list has its index as the key of `types` (Form.tsx). */
export function getErrorMessage(
  error: FieldError | undefined,
  value: unknown,
  getItemName: GetItemName | undefined,
): string | undefined {
  const [index] = Object.keys(error?.types ?? {}).map(Number);
  if (index === undefined || !Array.isArray(value)) return error?.message;
  const name = getItemName?.(value[index]);
  return name === undefined ? error?.message : `${name}: ${error?.message}`;
}
