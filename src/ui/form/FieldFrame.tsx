import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import './form.css';

interface FieldNoteProps {
  id: string | undefined;
  hint?: ReactNode;
  error?: string | undefined;
  errorHelp?: ReactNode;
}

/** Hint or error under a field. */
export function FieldNote({ id, hint, error, errorHelp }: FieldNoteProps) {
  if (error !== undefined) {
    return (
      <div id={id} className="field-error">
        <CircleAlert />
        <span>
          {error}
          {errorHelp !== undefined && <> {errorHelp}</>}
        </span>
      </div>
    );
  }
  return hint === undefined ? null : (
    <div id={id} className="field-hint">
      {hint}
    </div>
  );
}

interface FieldFrameProps extends Omit<FieldNoteProps, 'id'> {
  id: string;
  noteId: string | undefined;
  label: string;
  /** For screen readers only, where the control itself says what it is. */
  isLabelHidden?: boolean;
  optional?: boolean | undefined;
  children: ReactNode;
}

/** Layout of a field: label, control, hint or error. */
export function FieldFrame({
  id,
  noteId,
  label,
  isLabelHidden = false,
  optional,
  children,
  ...note
}: FieldFrameProps) {
  return (
    <div className="field">
      <label
        id={`${id}-label`}
        htmlFor={id}
        className={cx('field-label', isLabelHidden && 'visually-hidden')}
      >
        {label}
        {optional && <span className="field-optional"> (optional)</span>}
      </label>
      {children}
      <FieldNote id={noteId} {...note} />
    </div>
  );
}
