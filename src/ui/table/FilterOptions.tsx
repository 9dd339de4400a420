import { useState } from 'react';
import type { RefObject } from 'react';
import { Button } from '../button/Button.tsx';
import PopoverCard from '../menu/PopoverCard.tsx';
import '../form/form.css';
import '../form/check.css';
import '../form/options.css';

export interface FilterOption {
  value: string;
  label: string;
  /** Number of rows with this value. */
  count?: number | undefined;
}

interface FilterOptionsProps {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

const numberFormat = new Intl.NumberFormat();
const MAX_OPTIONS_WITHOUT_SEARCH = 8;

/** Open filter: its values with their counts; a long list has a search field. */
export default function FilterOptions({
  label,
  options,
  value,
  onChange,
  anchor,
  onClose,
}: FilterOptionsProps) {
  const [text, setText] = useState('');
  const searchText = text.trim().toLocaleLowerCase();
  const matches = options.filter((option) => option.label.toLocaleLowerCase().includes(searchText));
  return (
    <PopoverCard label={`${label} filter`} anchor={anchor} align="start" onClose={onClose}>
      {options.length > MAX_OPTIONS_WITHOUT_SEARCH && (
        <input
          type="search"
          className="input filter-search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <FilterOptionList {...{ label, options: matches, value, onChange }} />
      {value.length > 0 && (
        <footer className="filter-foot">
          <Button variant="quiet" size="small" onClick={() => onChange([])}>
            Clear
          </Button>
        </footer>
      )}
    </PopoverCard>
  );
}

interface FilterOptionListProps extends Omit<FilterOptionsProps, 'anchor' | 'onClose'> {
  /** Shows the label, for a list among other filters. */
  showsLabel?: boolean;
}

/** Checkbox list of the values of a filter. */
export function FilterOptionList({
  label,
  options,
  value,
  onChange,
  showsLabel = false,
}: FilterOptionListProps) {
  const toggle = (one: string) =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return (
    <fieldset className="filter-options">
      <legend className={showsLabel ? 'filter-legend' : 'visually-hidden'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="filter-option">
          <input
            type="checkbox"
            className="checkbox"
            checked={value.includes(option.value)}
            onChange={() => toggle(option.value)}
          />
          <span>{option.label}</span>
          {option.count !== undefined && <small className="num">{numberFormat.format(option.count)}</small>}
        </label>
      ))}
      {options.length === 0 && <p className="options-none">Nothing matches</p>}
    </fieldset>
  );
}

/** A filter of `MoreFilters`. */
export interface FilterDefinition {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

interface MoreFilterOptionsProps {
  filters: readonly FilterDefinition[];
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

/** Open card of `MoreFilters`: the values of each filter under its label. */
export function MoreFilterOptions({ filters, anchor, onClose }: MoreFilterOptionsProps) {
  return (
    <PopoverCard label="More filters" anchor={anchor} align="start" onClose={onClose}>
      <div className="filter-groups">
        {filters.map(({ label, options, value, onChange }) => (
          <FilterOptionList key={label} {...{ label, options, value, onChange }} showsLabel />
        ))}
      </div>
    </PopoverCard>
  );
}
