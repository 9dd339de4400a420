import { Plus, X } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { later } from '../later.ts';
import type { FilterOption } from './FilterOptions.tsx';
import './filter.css';

const loadOptions = () => import('./FilterOptions.tsx');
const FilterOptions = later(loadOptions);

interface FilterChipProps {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

const SHOWN = 2;

/** A filter: dashed to add it, filled while it is on, with its values in words. */
export function FilterChip({ label, options, value, onChange }: FilterChipProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const on = value.length > 0;
  const names = options.filter((option) => value.includes(option.value)).map((option) => option.label);
  const more = names.length - SHOWN;
  const words = names.slice(0, SHOWN).join(', ') + (more > 0 ? ` +${more}` : '');
  return (
    <span className={on ? 'filter filter-on' : 'filter'}>
      <button
        ref={button}
        type="button"
        className="filter-open"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={() => void loadOptions()}
        onFocus={() => void loadOptions()}
        onClick={() => setOpen(true)}
      >
        {!on && <Plus />}
        <span>
          {on ? `${label}: ${words}` : label}
          {/* A column and a bulk act may have the same word. */}
          <span className="visually-hidden"> filter</span>
        </span>
      </button>
      {on && (
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
