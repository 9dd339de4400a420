import { Plus, X } from 'lucide-react';
import { Suspense, useRef, useState, useId } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { lazyWithPreload } from '../lazy.tsx';
import type { FilterDefinition, FilterOption } from './FilterOptions.tsx';
import './filter.css';

const FilterOptions = lazyWithPreload(() => import('./FilterOptions.tsx'));
const MoreFilterOptions = lazyWithPreload(async () => ({
  default: (await import('./FilterOptions.tsx')).MoreFilterOptions,
}));
const PopoverCard = lazyWithPreload(() => import('../menu/PopoverCard.tsx'));

interface FilterChipProps {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

const MAX_NAMES = 2;

/** Filter with a list of values: dashed while inactive, filled with its values while active. */
export function FilterChip({ label, options, value, onChange }: FilterChipProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isActive = value.length > 0;
  const names = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  const more = names.length - MAX_NAMES;
  const valueText = names.slice(0, MAX_NAMES).join(', ') + (more > 0 ? ` +${more}` : '');
  return (
    <span className={isActive ? 'filter filter-on' : 'filter'}>
      <button
        ref={button}
        type="button"
        className="filter-open"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={FilterOptions.preload}
        onFocus={FilterOptions.preload}
        onClick={() => setOpen(true)}
      >
        {!isActive && <Plus />}
        <span>
          {isActive ? `${label}: ${valueText}` : label}
          {/* Distinguishes the name from columns and bulk actions with the same label. */}
          <span className="visually-hidden"> filter</span>
        </span>
      </button>
      {isActive && (
        <button
          type="button"
          className="filter-clear"
          aria-label={`Clear ${label} filter`}
          onClick={() => {
            onChange([]);
            button.current?.focus();
          }}
        >
          <X />
        </button>
      )}
      <Suspense>
        {open && (
          <FilterOptions
            {...{ label, options, value, onChange }}
            anchor={button}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </span>
  );
}

/** Less frequent filters behind one chip; show an active one as a chip of its own beside it. */
export function MoreFilters({ filters }: { filters: readonly FilterDefinition[] }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <span className="filter">
      <button
        ref={button}
        type="button"
        className="filter-open"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={MoreFilterOptions.preload}
        onFocus={MoreFilterOptions.preload}
        onClick={() => setOpen(true)}
      >
        <Plus />
        <span>More filters</span>
      </button>
      <Suspense>
        {open && <MoreFilterOptions {...{ filters }} anchor={button} onClose={() => setOpen(false)} />}
      </Suspense>
    </span>
  );
}

interface CardChipProps {
  label: string;
  /** Text of the current value; undefined while inactive. */
  value: string | undefined;
  /** Why the value is invalid; shown on the chip and at the field in its card. */
  error?: string | undefined;
  /** Undefined if the filter cannot be cleared. */
  onClear?: (() => void) | undefined;
  /** Renders the content of the open card. */
  children: (close: () => void) => ReactNode;
}

/** Filter whose value is edited in a card: dashed while inactive, filled while active. */
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
        onPointerEnter={PopoverCard.preload}
        onFocus={PopoverCard.preload}
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

interface RemovableChipProps {
  /** Value of the filter: a person, a word. */
  label: string;
  /** Decoration before the label. */
  lead?: ReactNode;
  onRemove: () => void;
}

/** One value of a filter with a button that removes it. */
export function RemovableChip({ label, lead, onRemove }: RemovableChipProps) {
  return (
    <span className="filter filter-on">
      <span className="filter-open">
        {lead}
        <span>{label}</span>
      </span>
      <button type="button" className="filter-clear" aria-label={`Remove ${label}`} onClick={onRemove}>
        <X />
      </button>
    </span>
  );
}

interface ToggleChipProps {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

/** Filter without values: on or off. */
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
