import { useContext } from 'react';
import type { RefObject } from 'react';
import { Button } from '../../button/Button.tsx';
import PopoverCard from '../../menu/PopoverCard.tsx';
import FilterFoot from './FilterFoot.tsx';
import FilterOptionList from './FilterOptionList.tsx';
import type { FilterOptionListProps } from './FilterOptionList.tsx';
import { SentenceContext } from './sentence-context.ts';

interface FilterOptionsProps extends FilterOptionListProps {
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

/** Open filter with its values. */
export default function FilterOptions({ anchor, onClose, ...list }: FilterOptionsProps) {
  const { label, value, onChange } = list;
  const sentence = useContext(SentenceContext);
  return (
    <PopoverCard label={`${label} filter`} anchor={anchor} align="start" onClose={onClose}>
      <FilterOptionList {...list} />
      {(value.length > 0 || sentence) && (
        <FilterFoot onDone={onClose}>
          {value.length > 0 && (
            <Button variant="quiet" size="small" onClick={() => onChange([])}>
              Clear
            </Button>
          )}
        </FilterFoot>
      )}
    </PopoverCard>
  );
}
