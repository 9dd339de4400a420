import type { ReactNode } from 'react';
import { cx } from '../../../ui/cx.ts';
import { turn } from './turn.ts';

interface CellNoteProps {
  id?: string | undefined;
  className?: string;
  role?: 'alert';
  hidden?: boolean;
  children: ReactNode;
}

/** What is to be said of a cell, at its edge. `hidden` from a screen reader that has heard it. */
export const CellNote = ({ id, className, role, hidden, children }: CellNoteProps) => (
  <span ref={turn} id={id} className={cx('ed-fault', className)} role={role} aria-hidden={hidden}>
    {children}
  </span>
);
