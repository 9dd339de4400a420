import { Plus, X } from 'lucide-react';
import { Suspense, useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { later } from '../later.ts';
import './filter.css';

const loadCard = () => import('../menu/PopoverCard.tsx');
const PopoverCard = later(loadCard);

interface CardChipProps {
  label: string;
  /** What it is set to, in words; undefined while it does not filter. */
  value: string | undefined;
  /** Why the value is not taken; stands on the chip and beside the field in its card. */
  error?: string | undefined;
  /** Absent where something must be chosen. */
  onClear?: (() => void) | undefined;
  /** What the open card holds. */
  children: (close: () => void) => ReactNode;
}

/** A filter whose value is chosen in a card of its own: dashed to add it, filled while it is on. */
export function CardChip({ label, value, error, onClear, children }: CardChipProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const errorId = useId();
  const close = () => setOpen(false);
  return (
    <span className={cx('filter', value !== undefined && 'filter-on', error !== undefined && 'filter-bad')}>
      <button
        ref={button}
        type="button"
        className="filter-open"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-describedby={error === undefined ? undefined : errorId}
        onPointerEnter={() => void loadCard()}
        onFocus={() => void loadCard()}
        onClick={() => setOpen(true)}
      >
        {value === undefined && <Plus />}
        <span>
          {value === undefined ? label : `${label}: ${value}`}
          <span className="visually-hidden"> filter</span>
        </span>
      </button>
      {error !== undefined && (
        <span id={errorId} hidden>
          {error}
        </span>
      )}
      {value !== undefined && onClear && (
        <button
          type="button"
          className="filter-clear"
          aria-label={`Clear ${label} filter`}
          onClick={() => {
            onClear();
            button.current?.focus();
          }}
        >
          <X />
        </button>
      )}
      <Suspense>
        {open && (
          <PopoverCard label={`${label} filter`} anchor={button} align="start" onClose={close}>
            {children(close)}
          </PopoverCard>
        )}
      </Suspense>
    </span>
  );
}
