import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../../ui/button/Button.tsx';
import PopoverCard from '../../../ui/menu/PopoverCard.tsx';
import './search-modes.css';

/** Ways to search (src/directory/engine/search-text.ts); `start` is what a choice types into the field. */
const MODES: readonly { example: string; meaning: string; start?: string }[] = [
  { example: 'ann lee', meaning: 'All words in the name or e-mail address' },
  { example: '"Ann Lee"', meaning: 'Exactly this name or address', start: '"' },
  { example: 'id:42', meaning: 'The user with this id', start: 'id:' },
  { example: 'email:@north.example', meaning: 'Part of the e-mail address only', start: 'email:' },
  { example: 'group:sales', meaning: 'Members of groups with this name', start: 'group:' },
  { example: 'license:full', meaning: 'Users with this license', start: 'license:' },
  { example: 'ann, 42, bob@north.example', meaning: 'Any of a list, typed or pasted' },
];

interface SearchModesProps {
  anchor: RefObject<Element | null>;
  onChoose: (start: string) => void;
  onClose: () => void;
}

/** The ways to search for users, with an example of each; those with a prefix can be chosen. */
export default function SearchModes({ anchor, onChoose, onClose }: SearchModesProps) {
  return (
    <PopoverCard label="Ways to search" anchor={anchor} align="start" onClose={onClose}>
      <dl className="search-modes">
        {MODES.map(({ example, meaning, start }) => (
          <div key={example}>
            <dt>
              {start === undefined ? (
                <code>{example}</code>
              ) : (
                <Button
                  size="small"
                  onClick={() => {
                    // Without the card: an open one keeps the focus.
                    flushSync(onClose);
                    onChoose(start);
                  }}
                >
                  <code>{example}</code>
                </Button>
              )}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </PopoverCard>
  );
}
