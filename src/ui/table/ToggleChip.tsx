import { X } from 'lucide-react';
import { cx } from '../cx.ts';
import './filter.css';

interface ToggleChipProps {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

/** A filter without values: it is on or off. */
export function ToggleChip({ label, on, onChange }: ToggleChipProps) {
  return (
    <span className={cx('filter', on && 'filter-on')}>
      <button
        type="button"
        className="filter-open filter-toggle"
        aria-pressed={on}
        onClick={() => onChange(!on)}
      >
        <span>{label}</span>
        {on && <X />}
      </button>
    </span>
  );
}
