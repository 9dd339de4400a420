import { useState } from 'react';
import type { ReactNode } from 'react';
import '../../form/form.css';
import '../../form/check.css';
import '../../form/select/options.css';
import './filter.css';

export interface FilterOption {
  value: string;
  label: string;
  /** Stands before the label, hidden from screen readers. */
  icon?: ReactNode;
  /** Number of rows with this value. */
  count?: number | undefined;
}

export interface FilterOptionListProps {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}

const numberFormat = new Intl.NumberFormat();
const MAX_OPTIONS_WITHOUT_SEARCH = 8;

/** Checkbox list of the values of a filter, with the share of rows that have each; a long list has a search field. */
export default function FilterOptionList({ label, options, value, onChange }: FilterOptionListProps) {
  const [text, setText] = useState('');
  const searchText = text.trim().toLocaleLowerCase();
  const matches = options.filter((option) => option.label.toLocaleLowerCase().includes(searchText));
  const highest = Math.max(1, ...matches.map(({ count = 0 }) => count));
  const toggle = (one: string) =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return (
    <>
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
      <fieldset className="filter-options">
        <legend className="visually-hidden">{label}</legend>
        {matches.map((option) => (
          <label key={option.value} className="filter-option">
            <input
              type="checkbox"
              className="checkbox"
              checked={value.includes(option.value)}
              onChange={() => toggle(option.value)}
            />
            {option.icon === undefined ? (
              <span>{option.label}</span>
            ) : (
              <span className="type-label">
                {option.icon}
                <span>{option.label}</span>
              </span>
            )}
            {option.count !== undefined && (
              <>
                <small className="num">{numberFormat.format(option.count)}</small>
                <span className="filter-share" aria-hidden>
                  <span style={{ width: `${(100 * option.count) / highest}%` }} />
                </span>
              </>
            )}
          </label>
        ))}
        {matches.length === 0 && <p className="options-none">Nothing matches</p>}
      </fieldset>
    </>
  );
}
