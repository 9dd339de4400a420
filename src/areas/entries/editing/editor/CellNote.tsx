import type { ReactNode } from 'react';
import { cx } from '../../../../ui/cx.ts';

interface CellNoteProps {
  id?: string | undefined;
  className?: string;
  role?: 'alert';
  /** Whether screen readers announce it without interrupting. */
  isPolite?: boolean;
  hidden?: boolean;
  children: ReactNode;
}

/** A note at the edge of a cell. `hidden` hides it from screen readers that announced the text already. */
export function CellNote({ id, className, role, isPolite = false, hidden, children }: CellNoteProps) {
  return (
    <span
      ref={flipAtGridEdge}
      id={id}
      className={cx('ed-error', className)}
      role={role}
      aria-live={isPolite ? 'polite' : undefined}
      aria-hidden={hidden}
    >
      {children}
    </span>
  );
}

/** Ref callback for overlays of a cell: they extend to the other side where they would leave the grid. */
export function flipAtGridEdge(node: HTMLElement | null): void {
  const grid = node?.closest('.eg-scroll')?.getBoundingClientRect();
  if (!node || !grid) return;
  const { right, bottom } = node.getBoundingClientRect();
  node.classList.toggle('ed-align-end', right > grid.right);
  node.classList.toggle('ed-upwards', bottom > grid.bottom);
}
