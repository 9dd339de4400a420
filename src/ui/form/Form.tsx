import { useEffect, useRef, useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { get } from 'react-hook-form';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { Button } from '../button/Button.tsx';
import type { Failure } from '../feedback/failure.ts';
import { FailureBanner } from '../feedback/FailureBanner.tsx';
import './form.css';

interface FormProps<Values extends FieldValues, Context, Output> {
  /** From `useForm`; `form.formState.isDirty` tells whether input would be lost. */
  form: UseFormReturn<Values, Context, Output>;
  onSubmit: (values: Output) => unknown;
  pending: boolean;
  error: Failure | null | undefined;
  /** Label of the primary button. */
  submitLabel: string;
  onCancel?: (() => void) | undefined;
  cancelLabel?: string;
  /** Why the form cannot be submitted. */
  disabledReason?: string | undefined;
  /**
   * The form stays, and keeps what is typed while the answer is awaited (`trackInput`). Without it the fields are locked meanwhile: the
   * input would be lost when the form closes or starts over.
   */
  keepsInput?: boolean;
  children: ReactNode;
}

/**
 * Form with its fields, cancel and submit. Errors of the service are shown at their fields, the first of which gets the
 * focus; errors without a field are shown at the top.
 */
export function Form<Values extends FieldValues, Context, Output>(props: FormProps<Values, Context, Output>) {
  const { form, onSubmit, pending, error, submitLabel, onCancel, disabledReason, children } = props;
  const { cancelLabel = 'Cancel', keepsInput = false } = props;
  const { fieldErrors, bannerError } = splitErrors(form, error);
  const summary = useRef<HTMLDivElement>(null);
  const submitButton = useRef<HTMLButtonElement>(null);
  // `pending` changes with the next render; the ref prevents a second submit before that.
  const isSubmitting = useRef(false);
  // Valid input was sent. `pending` may include the validation, during which the first wrong field gets the focus.
  const [isSent, setSent] = useState(false);
  const isLocked = isSent && pending && !keepsInput;
  const submitOnce = async (event: FormEvent) => {
    if (pending || isSubmitting.current) return;
    isSubmitting.current = true;
    setSent(false);
    await form
      .handleSubmit((values) => {
        setSent(true);
        // A locked field loses the focus, and with it Escape would not reach the panel.
        if (!keepsInput) submitButton.current?.focus();
        return onSubmit(values);
      })(event)
      .finally(() => {
        isSubmitting.current = false;
      });
  };

  // A locked field cannot get the focus.
  const shownError = isLocked ? undefined : error;
  // Passes errors of the service to React Hook Form.
  useEffect(() => {
    fieldErrors.forEach(({ path, message, types }, at) =>
      form.setError(path, { type: 'server', message, types }, { shouldFocus: at === 0 }),
    );
    if (shownError && fieldErrors.length === 0) summary.current?.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- only a new error counts; derived values change with every render
  }, [shownError]);

  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submitOnce(event);
      }}
    >
      <div className="form-body" inert={isLocked}>
        {bannerError && (
          <div ref={summary} tabIndex={-1}>
            <FailureBanner failure={bannerError} />
          </div>
        )}
        {children}
      </div>
      <footer className="form-footer">
        {onCancel && <Button onClick={onCancel}>{cancelLabel}</Button>}
        <Button
          ref={submitButton}
          type="submit"
          variant="primary"
          pending={pending}
          disabledReason={disabledReason}
        >
          {submitLabel}
        </Button>
      </footer>
    </form>
  );
}

function splitErrors<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: Failure | null | undefined,
) {
  const fieldErrors: { path: FieldPath<Values>; message: string; types: Record<string, string> }[] = [];
  const otherErrors: { path: string; message: string }[] = [];
  const values = form.getValues();
  for (const { path, message } of error?.fields ?? []) {
    const [fieldPath, index] = splitItemPath(values, path);
    const types: Record<string, string> = index === undefined ? {} : { [index]: message };
    if (!isField(values, fieldPath)) otherErrors.push({ path, message });
    // A field shows the first one of its errors.
    else if (index === undefined || fieldErrors.every((one) => one.path !== fieldPath))
      fieldErrors.push({ path: fieldPath, message, types });
  }
  const bannerError =
    error && (fieldErrors.length === 0 || otherErrors.length > 0)
      ? { ...error, fields: otherErrors }
      : undefined;
  return { fieldErrors, bannerError };
}

/** Splits the path of a list item that is no object, such as `recipients.0`: the list is one field. */
function splitItemPath(values: FieldValues, path: string): [path: string, index?: string] {
  const listPath = path.replace(/\.\d+$/, '');
  const list: unknown = get(values, listPath);
  const index = path.slice(listPath.length + 1);
  if (index === '' || !Array.isArray(list) || typeof list[Number(index)] === 'object') return [path];
  return [listPath, index];
}

function isField<Values extends FieldValues>(values: Values, path: string): path is FieldPath<Values> {
  let at: unknown = values;
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = Reflect.get(at, step);
  }
  return true;
}

/** Fields side by side if there is space. */
export function FormRow({ children }: { children: ReactNode }) {
  return <div className="form-row">{children}</div>;
}
