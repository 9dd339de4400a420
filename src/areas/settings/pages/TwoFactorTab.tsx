import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { PART_TONES, partsOf, unlisted } from '../model/coverage.ts';
import { coverageQuery } from '../model/settings-query.ts';
import type { PersonWithoutFactor, TwoFactorCoverage } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import './settings.css';

/** How far two-factor authentication reaches: who has a second factor, and of whom one is asked (spec 2.1). */
export function TwoFactorTab() {
  const { site } = useSession();
  const { data: coverage } = useSuspenseQuery(coverageQuery);
  const { active, setUp, parts } = partsOf(coverage);
  const visible = parts.filter(({ number }) => number > 0);
  return (
    <div className="set-outcome">
      {site.identityMode === 'identity-manager' && (
        <Banner>
          {site.name} signs people in through its identity manager, which asks for second factors by its own
          rules. What stands here counts where the same people sign in with a password.
        </Banner>
      )}
      <StatTiles>
        <StatTile
          label="Active users"
          value={count(active)}
          note={setUp === 0 ? 'none has a second factor' : `${count(setUp)} with a second factor`}
        />
        {parts.map(({ key, label, number, note }) => (
          <StatTile key={key} tone={PART_TONES[key]} label={label} value={count(number)} note={note} />
        ))}
      </StatTiles>
      {active > 0 && (
        // The numbers above it say the same.
        <div className="set-cover" aria-hidden>
          {visible.map(({ key, number }) => (
            <span key={key} className={`chart-tone-${PART_TONES[key]}`} style={{ flexGrow: number }} />
          ))}
        </div>
      )}
      <WithoutFactorCard coverage={coverage} />
    </div>
  );
}

/** Shows so many at first. */
const SHOWN = 25;

/** Who stands out: asked for a second factor without having one, or with the keys of the site and without one. */
function WithoutFactorCard({ coverage }: { coverage: TwoFactorCoverage }) {
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
