import { useId } from 'react';
import type { ReactNode } from 'react';
import { useController } from 'react-hook-form';
import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form';

/** Props of every field; `Value` restricts it to form values of its type. */
export interface FieldProps<Values extends FieldValues, Output, Value> {
  control: Control<Values, unknown, Output>;
  name: FieldPathByValue<Values, Value>;
  label: string;
  hint?: ReactNode;
  /** Shown after the error message: ways to resolve it ("Invite" or "add without an invitation"). */
  errorHelp?: ReactNode;
}

/** Connects a control to the form and provides the ids of its label, hint and error. */
export function useField<Values extends FieldValues, Output, Value>({
  control,
  name,
  hint,
}: FieldProps<Values, Output, Value>) {
  const id = useId();
  const { field, fieldState } = useController({ control, name });
  const error = fieldState.error?.message;
  const { value, ...bind } = field;
  const fieldValue: unknown = value;
  return {
    /** Name, ref and handlers; each field reads the value itself. */
    bind,
    value: fieldValue,
    error,
    id,
    noteId: error !== undefined || hint !== undefined ? `${id}-note` : undefined,
  };
}
