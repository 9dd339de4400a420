import { useEffect, useRef } from 'react';
import type { FormEvent, ReactNode } from 'react';
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import { Button } from '../button/Button.tsx';
import { FailureBanner } from '../feedback/FailureBanner.tsx';
import type { Failure } from '../feedback/failure.ts';
import './form.css';

interface FormProps<Values extends FieldValues, Context, Output> {
  /** From `useForm`; `form.formState.isDirty` says whether something typed would be lost. */
  form: UseFormReturn<Values, Context, Output>;
  onSubmit: (values: Output) => unknown;
  pending: boolean;
  error: Failure | null | undefined;
  /** The verb on the primary button. */
  submit: string;
  onCancel?: (() => void) | undefined;
  /** Why it cannot be sent now. */
  disabledReason?: string | undefined;
  children: ReactNode;
}

/**
 * The one form: its fields, then cancel and submit. Errors of the server land on their fields, the focus goes
 * to the first; what belongs to no field stands at the top.
 */
export function Form<Values extends FieldValues, Context, Output>(props: FormProps<Values, Context, Output>) {
  const { form, onSubmit, pending, error, submit, onCancel, disabledReason, children } = props;
  const { onFields, rest } = sortOut(form, error);
  const summary = useRef<HTMLDivElement>(null);
  // `pending` is known a rendering later: a second submit in the same moment must not send twice.
  const sending = useRef(false);
  const send = async (event: FormEvent) => {
    if (pending || sending.current) return;
    sending.current = true;
    await form
      .handleSubmit(onSubmit)(event)
      .finally(() => {
        sending.current = false;
      });
  };

  // The server's answer comes from outside React Hook Form and has to be carried into it.
  useEffect(() => {
    onFields.forEach(({ path, message }, at) =>
      form.setError(path, { type: 'server', message }, { shouldFocus: at === 0 }),
    );
    if (error && onFields.length === 0) summary.current?.focus();
    // Only a new answer counts; what is derived from it changes with every render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [error]);

  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send(event);
      }}
    >
      <div className="form-body">
        {rest && (
          <div ref={summary} tabIndex={-1}>
            <FailureBanner failure={rest} />
          </div>
        )}
        {children}
      </div>
      <footer className="form-footer">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" variant="primary" pending={pending} disabledReason={disabledReason}>
          {submit}
        </Button>
      </footer>
    </form>
  );
}

function sortOut<Values extends FieldValues, Context, Output>(
  form: UseFormReturn<Values, Context, Output>,
  error: Failure | null | undefined,
) {
  const onFields: { path: FieldPath<Values>; message: string }[] = [];
  const others: { path: string; message: string }[] = [];
  for (const { path, message } of error?.fields ?? []) {
    if (isField(form.getValues(), path)) onFields.push({ path, message });
    else others.push({ path, message });
  }
  const rest =
    error && (onFields.length === 0 || others.length > 0) ? { ...error, fields: others } : undefined;
  return { onFields, rest };
}

function isField<Values extends FieldValues>(values: Values, path: string): path is FieldPath<Values> {
  let at: unknown = values;
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = Reflect.get(at, step);
  }
  return true;
}

/** Fields side by side where there is room. */
export function FormRow({ children }: { children: ReactNode }) {
  return <div className="form-row">{children}</div>;
}
