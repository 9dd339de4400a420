import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';

interface PeopleLinesProps {
  people: readonly ProxyPerson[];
  /** The name of the button that takes somebody out. */
  dropLabel: (name: string) => string;
  dropReason?: string | undefined;
  /** Whether the line goes at once, so that its neighbour takes the focus. */
  atOnce?: boolean;
  onDrop: (person: ProxyPerson) => void;
  /** What stands behind a name. */
  note?: (person: ProxyPerson) => ReactNode;
  /** Where a name leads; without it, it is a name alone. */
  to?: '/users/$userId/proxies' | '/proxies/$userId' | '/proxies/graph/$userId';
}

/** People one under another, each to be taken out. */
export function PeopleLines({
  people,
  dropLabel,
  dropReason,
  atOnce = false,
  onDrop,
  note,
  to,
}: PeopleLinesProps) {
  return (
    <ul className="px-lines">
      {people.map((person) => (
        <li key={person.id}>
          <Avatar name={person.fullName} id={person.id} />
          <span className="px-line-text">
            {to === undefined ? (
              <strong>{person.fullName}</strong>
            ) : (
              <Link to={to} params={{ userId: person.id }} search={(now) => now}>
                {person.fullName}
              </Link>
            )}
            <small>{person.email}</small>
            {note?.(person)}
          </span>
          <IconButton
            label={dropLabel(person.fullName)}
            icon={X}
            size="small"
            disabledReason={dropReason}
            onClick={({ currentTarget }) => {
              if (atOnce) focusNeighbour(currentTarget);
              onDrop(person);
            }}
          />
        </li>
      ))}
    </ul>
  );
}
