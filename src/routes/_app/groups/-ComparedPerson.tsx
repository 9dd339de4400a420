import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import type { DirectoryRow } from '../../../directory/row.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { PersonPicker } from './-PersonPicker.tsx';

interface ComparedPersonProps {
  /** "First user", "Second user". */
  label: string;
  userId: number | undefined;
  person: DirectoryRow | undefined;
  /** The directory is complete: whoever it does not know is not on this site. */
  missing: boolean;
  /** The one they are compared with. */
  other: number | undefined;
  onChoose: (userId: number | undefined) => void;
}

/** One of the two: who it is, or the field to find them. */
export function ComparedPerson({ label, userId, person, missing, other, onChoose }: ComparedPersonProps) {
  // Choosing takes the place of what was pressed: the focus goes on to what stands there now.
  const [used, setUsed] = useState(false);
  const choose = (id: number | undefined) => {
    setUsed(true);
    onChoose(id);
  };
  if (userId === undefined) {
    return (
      <section className="compare-person" aria-label={label}>
        <PersonPicker
          label={label}
          placeholder="Name, e-mail or id"
          first={used}
          onPick={choose}
          reasonFor={(id) => (id === other ? 'Is the other one' : undefined)}
        />
      </section>
    );
  }
  const name = person?.name ?? `User ${userId}`;
  return (
    <section className="compare-person compare-chosen" aria-label={label}>
      <Avatar name={name} id={userId} size="medium" />
      <div className="compare-who">
        <small>{label}</small>
        {person ? (
          <>
            <strong>
              <Link to="/users/$userId/groups" params={{ userId }}>
                {name}
              </Link>
            </strong>
            <span>{person.email}</span>
          </>
        ) : (
          <strong>{missing ? `User ${userId} is not on this site` : <Skeleton width="160px" />}</strong>
        )}
      </div>
      <IconButton
        label={`Choose somebody else than ${name}`}
        icon={X}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={used}
        onClick={() => choose(undefined)}
      />
    </section>
  );
}
