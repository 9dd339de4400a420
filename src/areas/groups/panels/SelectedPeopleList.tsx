import { X } from 'lucide-react';
import { useId, useMemo } from 'react';
import { usePeopleById } from '../../../directory/directory.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';

interface SelectedPeopleListProps {
  ids: readonly number[];
  /** Number of selected users who are members already. */
  memberCount: number;
  onExclude: (userId: number) => void;
}

const MAX_SHOWN_PEOPLE = 50;

/** Users to add, each removable. */
export function SelectedPeopleList({ ids, memberCount, onExclude }: SelectedPeopleListProps) {
  const titleId = useId();
  const key = ids.slice(0, MAX_SHOWN_PEOPLE).join();
  // Keyed by ids, so that equal selections keep their identity.
  const shown = useMemo(() => (key === '' ? [] : key.split(',').map(Number)), [key]);
  const people = usePeopleById(shown);
  if (ids.length === 0 && memberCount === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="field-label">
        {ids.length === 0
          ? 'No one left to add'
          : `${pluralize(ids.length, 'person', 'people')} will be added`}
      </h3>
      {memberCount > 0 && (
        <p className="chosen-more">
          {pluralize(memberCount, 'person is', 'people are')} already in the group and will be skipped.
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
                  onExclude(userId);
                }}
              />
            </li>
          );
        })}
      </ul>
      {ids.length > MAX_SHOWN_PEOPLE && (
        <p className="chosen-more">and {formatNumber(ids.length - MAX_SHOWN_PEOPLE)} more</p>
      )}
    </section>
  );
}
