import type { ComponentPropsWithRef, ReactNode } from 'react';
import { FieldNote } from './FieldFrame.tsx';
import './check.css';

interface CheckProps extends Pick<ComponentPropsWithRef<'input'>, 'ref' | 'name' | 'onBlur'> {
  kind: 'switch' | 'checkbox';
  id: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: ReactNode;
  error?: string | undefined;
  errorHelp?: ReactNode;
  /** Why it cannot be changed; stands in place of the hint, and the control stays in reach. */
  disabledReason?: string | undefined;
}

/** A switch or a box to tick, its label beside it and what it does under that. */
export function Check({ kind, id, label, checked, onChange, hint, error, errorHelp, ...rest }: CheckProps) {
  const { disabledReason, ...bind } = rest;
  const off = disabledReason !== undefined;
  const note = disabledReason ?? hint;
  const noteId = error !== undefined || note !== undefined ? `${id}-note` : undefined;
  return (
    <div className={`check-field check-field-${kind}`}>
      <input
        {...bind}
        id={id}
        type="checkbox"
        role={kind === 'switch' ? 'switch' : undefined}
        className={kind}
        checked={checked}
        aria-disabled={off || undefined}
        aria-invalid={error !== undefined}
        aria-describedby={noteId}
        onChange={(event) => {
          if (!off) onChange(event.target.checked);
        }}
      />
      <label htmlFor={id}>{label}</label>
      <FieldNote id={noteId} hint={note} error={error} errorHelp={errorHelp} />
    </div>
  );
}
