import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { PersonWithoutFactor, TwoFactorCoverage } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { unlisted } from './-coverage.ts';

/** Shows so many at first. */
const SHOWN = 25;

/** Who stands out: asked for a second factor without having one, or with the keys of the site and without one. */
export function WithoutFactorCard({ coverage }: { coverage: TwoFactorCoverage }) {
  const { people, administratorsNotSetUp, optionalNotSetUp } = coverage;
  const [all, setAll] = useState(false);
  const shown = all ? people : people.slice(0, SHOWN);
  const hidden = people.length - shown.length;
  const more = unlisted(coverage);
  return (
    <Card title="Who needs a second factor next">
      {people.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="Nobody stands out">
          Whoever is asked for a second factor has one, and so has every administrator.
        </EmptyState>
      ) : (
        <CardBody>
          <div className="set-outcome">
            {administratorsNotSetUp > 0 && (
              <p>
                {counted(administratorsNotSetUp, 'administrator has', 'administrators have')} no second
                factor. They may manage users, groups, settings or backups.
              </p>
            )}
            <ul className="set-people" aria-label="People without a second factor">
              {shown.map((person) => (
                <Person key={person.userId} person={person} />
              ))}
            </ul>
            {hidden > 0 && (
              <div>
                <Button size="small" onClick={() => setAll(true)}>
                  Show {counted(hidden, 'more person', 'more people')}
                </Button>
              </div>
            )}
            {hidden === 0 && more > 0 && (
              <p className="set-soft">And {counted(more, 'more person', 'more people')}.</p>
            )}
          </div>
        </CardBody>
      )}
      <div className="set-foot">
        {optionalNotSetUp > 0 ? (
          <Link to="/users" search={{ status: 'active', twoFactor: 'off' }}>
            Everybody of whom none is required
          </Link>
        ) : (
          'Everybody is asked for one, or has one.'
        )}
      </div>
    </Card>
  );
}

function Person({ person }: { person: PersonWithoutFactor }) {
  const { userId, userName, fullName, twoFactorEnabled, isAdministrator } = person;
  return (
    <li>
      <span className="set-person">
        <Link to="/users/$userId" params={{ userId }}>
          {fullName || userName}
        </Link>
        {isAdministrator && <Badge tone="accent">Administrator</Badge>}
        {twoFactorEnabled ? <Badge tone="warn">Required, not set up</Badge> : <Badge>Not required</Badge>}
      </span>
      <span className="set-places">{userName}</span>
    </li>
  );
}
