import { useState } from 'react';
import type { OwnPrincipal } from '../../api/generated/types.gen.ts';
import { fold } from '../../lib/fold.ts';

interface PrincipalFieldProps {
  people: readonly OwnPrincipal[];
  value: number;
  onChange: (userId: number) => void;
}

// From so many on one searches rather than looks.
const MANY = 7;

/** One of those somebody may work as; who cannot be chosen now says why. */
export function PrincipalField({ people, value, onChange }: PrincipalFieldProps) {
  const [typed, setTyped] = useState('');
  const wanted = fold(typed.trim());
  const shown = people.filter(
    ({ id, fullName, email }) => id === value || fold(`${fullName} ${email}`).includes(wanted),
  );
  return (
    <fieldset className="field">
      <legend className="field-label">Work as</legend>
      {people.length > MANY && (
        <input
          type="search"
          className="input"
          aria-label="Search people"
          placeholder="Name or e-mail"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div className="work-as-people">
        {shown.map(({ id, fullName, email, refusal }) => (
          // The name stands in it, a level further down than is looked for.
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control
          <label key={id} className="work-as-one">
            <input
              type="radio"
              name="principal"
              checked={id === value}
              aria-disabled={refusal !== null || undefined}
              onChange={() => {
                if (refusal === null) onChange(id);
              }}
            />
            <span>
              <strong>{fullName}</strong>
              <small>{refusal ?? email}</small>
            </span>
          </label>
        ))}
        {shown.length === 0 && <p className="options-none">Nothing matches</p>}
      </div>
    </fieldset>
  );
}
