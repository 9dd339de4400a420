import { CircleHelp } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';

const SearchModes = lazyWithPreload(() => import('./SearchModes.tsx'));

/** Button in the search field of users that shows the ways to search. */
export function SearchHelp({ onChoose }: { onChoose: (start: string) => void }) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <span ref={anchor}>
      <IconButton
        label="Ways to search"
        icon={CircleHelp}
        size="small"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={SearchModes.preload}
        onFocus={SearchModes.preload}
        onClick={() => setIsOpen(true)}
      />
      <Suspense>
        {isOpen && <SearchModes {...{ anchor, onChoose }} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </span>
  );
}
