import type { RefObject } from 'react';
import PopoverCard from '../menu/PopoverCard.tsx';
import { OptionList } from './FilterOptions.tsx';
import type { Filter } from './MoreFilters.tsx';

interface MoreFilterOptionsProps {
  filters: readonly Filter[];
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

/** The open card: each filter with its values under its name. */
export default function MoreFilterOptions({ filters, anchor, onClose }: MoreFilterOptionsProps) {
  return (
    <PopoverCard label="More filters" anchor={anchor} align="start" onClose={onClose}>
      <div className="filter-groups">
        {filters.map(({ label, options, value, onChange }) => (
          <OptionList key={label} {...{ label, options, value, onChange }} named />
        ))}
      </div>
    </PopoverCard>
  );
}
