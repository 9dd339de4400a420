import { Plus } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { later } from '../later.ts';
import type { FilterOption } from './FilterOptions.tsx';
import './filter.css';

const loadOptions = () => import('./MoreFilterOptions.tsx');
const MoreFilterOptions = later(loadOptions);

/** One filter among several behind one chip. */
export interface Filter {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

/** Filters used less often, behind one chip; one that is on should stand beside it as a chip of its own. */
export function MoreFilters({ filters }: { filters: readonly Filter[] }) {
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
        onPointerEnter={() => void loadOptions()}
        onFocus={() => void loadOptions()}
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
