import { usePeopleFinder, usePeopleNames } from '../../../entries/people.ts';
import { PickBox } from '../../../entries/find/PickBox.tsx';
import '../../../entries/find/find.css';

interface ByPersonProps {
  userId: number | undefined;
  onChange: (userId: number | undefined) => void;
}

const MOST = 30;

/** Narrows changes to those that one person made. */
export function ByPerson({ userId, onChange }: ByPersonProps) {
  const find = usePeopleFinder();
  const chosen = userId === undefined ? [] : [userId];
  const names = usePeopleNames(chosen);
  return (
    <span className="chg-person">
      <span aria-hidden>By</span>
      <PickBox
        label="Changed by"
        topic="changed by"
        find={async (typed) =>
          (await find(typed, MOST)).map(({ id, name, email }) => ({ value: id, label: name, hint: email }))
        }
        chosen={chosen}
        nameOf={(id) => names.get(id) ?? `User ${id}`}
        many={false}
        onChange={([id]) => onChange(id)}
      />
    </span>
  );
}
