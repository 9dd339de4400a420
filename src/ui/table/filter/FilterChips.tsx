import { Plus, X } from 'lucide-react';
import { Suspense, useContext, useId, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import { cx } from '../../cx.ts';
import { lazyWithPreload } from '../../lazy.tsx';
import type { FilterOption } from './FilterOptionList.tsx';
import { SentenceContext, useChipOpen } from './sentence-context.ts';
import './filter.css';

const FilterOptions = lazyWithPreload(() => import('./FilterOptions.tsx'));
const PopoverCard = lazyWithPreload(() => import('../../menu/PopoverCard.tsx'));

interface PopoverChipProps {
  label: string;
  /** The whole clause, where several clauses have the same label. */
  title?: string | undefined;
  /** Verb between label and value in a sentence. */
  operator?: string | undefined;
  /** Text of the current value; undefined while inactive, empty for an operator without value. */
  value?: string | undefined;
  /** Stands for the value of an inactive chip in a sentence. */
  placeholder?: string | undefined;
  /** Button between the value and the one that clears it. */
  action?: ReactNode;
  /** Why the value is invalid. */
  error?: string | undefined;
  /** Undefined if the filter cannot be cleared. */
  onClear?: (() => void) | undefined;
  button: RefObject<HTMLButtonElement | null>;
  open: boolean;
  onOpen: () => void;
  preload: () => void;
  /** The popover while it is open. */
  children: ReactNode;
}

/**
 * Chip that opens a popover: dashed while inactive, filled with its value and clearable while active. In a sentence it has
 * the parts field, operator and value.
 */
function PopoverChip({
  label,
  title,
  operator = 'is',
  value,
  placeholder = '…',
  action,
  error,
  onClear,
  button,
  open,
  onOpen,
  preload,
  children,
}: PopoverChipProps) {
  const errorId = useId();
  const isActive = value !== undefined;
  const isClause = useContext(SentenceContext) !== undefined;
  return (
    <span
      className={cx(
        'filter',
        isActive && 'filter-on',
        isClause && 'filter-clause',
        error !== undefined && 'filter-bad',
      )}
    >
      <button
        ref={button}
        type="button"
        className="filter-open"
        title={title}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-describedby={error === undefined ? undefined : errorId}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={onOpen}
      >
        {isClause ? (
          <>
            <bdi>{label}</bdi> <span className="filter-operator">{operator}</span>{' '}
            {value !== '' && <bdi className="filter-value">{value ?? placeholder}</bdi>}{' '}
            <span className="visually-hidden">filter</span>
          </>
        ) : (
          <>
            {!isActive && <Plus />}
            <span>
              {isActive ? `${label}: ${value}` : label}
              {/* Distinguishes the name from columns and bulk actions with the same label. */}
              <span className="visually-hidden"> filter</span>
            </span>
          </>
        )}
      </button>
      {error !== undefined && (
        <span id={errorId} hidden>
          {error}
        </span>
      )}
      {action}
      {isActive && onClear && (
        <button
          type="button"
          className="filter-clear"
          aria-label={title === undefined ? `Clear ${label} filter` : `Remove ${title}`}
          onClick={() => {
            onClear();
            button.current?.focus();
          }}
        >
          <X />
        </button>
      )}
      <Suspense>{children}</Suspense>
    </span>
  );
}

interface FilterChipProps {
  label: string;
  operator?: string | undefined;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

const MAX_NAMES = 2;
const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

/** Filter with a list of values. */
export function FilterChip({ label, operator, options, value, onChange }: FilterChipProps) {
  const [open, setOpen] = useChipOpen(label);
  const isClause = useContext(SentenceContext) !== undefined;
  const button = useRef<HTMLButtonElement>(null);
  const names = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  const more = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES);
  const valueText = isClause
    ? disjunction.format(more > 0 ? [...shown, `${more} more`] : shown)
    : shown.join(', ') + (more > 0 ? ` +${more}` : '');
  return (
    <PopoverChip
      {...{ label, operator, button, open }}
      value={value.length > 0 ? valueText : undefined}
      onClear={() => onChange([])}
      onOpen={() => setOpen(true)}
      preload={FilterOptions.preload}
    >
      {open && (
        <FilterOptions
          {...{ label, options, value, onChange }}
          anchor={button}
          onClose={() => setOpen(false)}
        />
      )}
    </PopoverChip>
  );
}

interface CardChipProps extends Pick<
  PopoverChipProps,
  'label' | 'title' | 'operator' | 'value' | 'placeholder' | 'action' | 'error' | 'onClear'
> {
  /** Identifies the clause in its sentence; the label by default. */
  id?: string;
  /** Renders the content of the open card. */
  children: (close: () => void) => ReactNode;
}

/** Filter whose value is edited in a card. Its error is shown on the chip and at the field in the card. */
export function CardChip({ id, children, ...chip }: CardChipProps) {
  const { label } = chip;
  const [open, setOpen] = useChipOpen(id ?? label);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(false);
  return (
    <PopoverChip {...chip} {...{ button, open }} onOpen={() => setOpen(true)} preload={PopoverCard.preload}>
      {open && (
        <PopoverCard label={`${label} filter`} anchor={button} align="start" onClose={close}>
          {children(close)}
        </PopoverCard>
      )}
    </PopoverChip>
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
