import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useId } from 'react';
import { FieldNote } from './FieldFrame.tsx';
import './check.css';
import '../layout/card.css';

interface ToggleProps extends Pick<ComponentPropsWithRef<'input'>, 'ref' | 'name' | 'onBlur'> {
  kind: 'switch' | 'checkbox';
  id: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: ReactNode;
  error?: string | undefined;
  errorHelp?: ReactNode;
  /** Why it cannot be changed; replaces the hint. The control stays focusable. */
  disabledReason?: string | undefined;
}

/** Switch or checkbox with its label and hint. */
export function Toggle({ kind, id, label, checked, onChange, hint, error, errorHelp, ...rest }: ToggleProps) {
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

interface SwitchRowProps {
  label: string;
  /** Effect, and whether it can be undone. */
  hint?: ReactNode;
  checked: boolean;
  /** Applies the change at once; the switch shows `checked`, so that it reverts after an error. */
  onChange: (checked: boolean) => void;
  disabledReason?: string | undefined;
}

/** Card row with a switch outside a form. */
export function SwitchRow(props: SwitchRowProps) {
  return (
    <div className="card-row">
      <Toggle {...props} kind="switch" id={useId()} />
    </div>
  );
}
