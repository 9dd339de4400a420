import { useId } from 'react';
import type { ReactNode } from 'react';
import { useController } from 'react-hook-form';
import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form';

/** What every field takes; `Value` keeps a field from being tied to a value of another kind. */
export interface FieldProps<Values extends FieldValues, Output, Value> {
  control: Control<Values, unknown, Output>;
  name: FieldPathByValue<Values, Value>;
  label: string;
  hint?: ReactNode;
  /** Stands after the error's words: the ways out ("Invite" or "add without an invitation"). */
  errorHelp?: ReactNode;
}

/** Ties a control to the form and gives it the ids that its label, hint and error share. */
export function useField<Values extends FieldValues, Output, Value>({
  control,
  name,
  hint,
}: FieldProps<Values, Output, Value>) {
  const id = useId();
  const { field, fieldState } = useController({ control, name });
  const error = fieldState.error?.message;
  const { value, ...bind } = field;
  const known: unknown = value;
  return {
    /** Name, ref and handlers; the value is read by each field in its own way. */
    bind,
    value: known,
    error,
    id,
    noteId: error !== undefined || hint !== undefined ? `${id}-note` : undefined,
  };
}
