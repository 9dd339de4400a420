import { X } from 'lucide-react';
import { useId, useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';

interface ChosenPeopleProps {
  ids: readonly number[];
  /** How many of those chosen are in the group already. */
  already: number;
  onDrop: (userId: number) => void;
}

const SHOWN = 50;

/** Who will be added, each to be taken out again. */
export function ChosenPeople({ ids, already, onDrop }: ChosenPeopleProps) {
  const titleId = useId();
  const key = ids.slice(0, SHOWN).join();
  // The same people are the same list, however it came about.
  const shown = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeople(shown);
  if (ids.length === 0 && already === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="field-label">
        {ids.length === 0
          ? 'Nobody is left to add'
          : `${counted(ids.length, 'person', 'people')} will be added`}
      </h3>
      {already > 0 && (
        <p className="chosen-more">
          {counted(already, 'person is', 'people are')} in the group already and will be passed over.
        </p>
      )}
      <ul className="chosen">
        {shown.map((userId) => {
          const name = people.get(userId)?.name ?? `User ${userId}`;
          return (
            <li key={userId}>
              <Avatar name={name} id={userId} />
              <span className="chosen-name">
                {name} <small>{people.get(userId)?.email}</small>
              </span>
              <IconButton
                label={`Leave out ${name}`}
                icon={X}
                size="small"
                onClick={({ currentTarget }) => {
                  focusNeighbour(currentTarget);
                  onDrop(userId);
                }}
              />
            </li>
          );
        })}
      </ul>
      {ids.length > SHOWN && <p className="chosen-more">and {count(ids.length - SHOWN)} more</p>}
    </section>
  );
}
