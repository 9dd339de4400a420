import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { PersonWithoutFactor, TwoFactorCoverage } from '../../../../contract/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { GROUP_TONES, getCoverageGroups, countUnlisted } from '../model/coverage.ts';
import { coverageQuery } from '../model/settings-query.ts';
import './settings.css';
import '../people-list.css';

/** Coverage of two-factor authentication: which users have a second factor, and for whom it is required (spec 2.1). */
export function TwoFactorTab() {
  const { site } = useSession();
  const { data: coverage } = useSuspenseQuery(coverageQuery);
  const { active, setUp, groups } = getCoverageGroups(coverage);
  const visible = groups.filter(({ count }) => count > 0);
  return (
    <div className="set-outcome">
      {site.identityMode === 'identity-manager' && (
        <Banner>
          {site.name} uses an identity manager for sign-in, which has its own rules for second factors. The
          numbers apply where the same users sign in with a password.
        </Banner>
      )}
      <StatTiles areNotesBelow>
        <StatTile
          label="Active users"
          value={formatNumber(active)}
          note={setUp === 0 ? 'none has a second factor' : `${formatNumber(setUp)} with a second factor`}
        />
        {groups.map(({ key, label, count, note }) => (
          <StatTile key={key} tone={GROUP_TONES[key]} label={label} value={formatNumber(count)} note={note} />
        ))}
      </StatTiles>
      {active > 0 && (
        // Repeats the numbers of the tiles.
        <div className="set-cover" aria-hidden>
          {visible.map(({ key, count }) => (
            <span key={key} className={`chart-tone-${GROUP_TONES[key]}`} style={{ flexGrow: count }} />
          ))}
        </div>
      )}
      <WithoutFactorCard coverage={coverage} />
    </div>
  );
}

/** People shown initially. */
const MAX_SHOWN = 25;

/** Users without a required second factor, and administrators without one. */
function WithoutFactorCard({ coverage }: { coverage: TwoFactorCoverage }) {
  const { people, administratorsNotSetUp, optionalNotSetUp } = coverage;
  const [all, setAll] = useState(false);
  const visiblePeople = all ? people : people.slice(0, MAX_SHOWN);
  const hidden = people.length - visiblePeople.length;
  const more = countUnlisted(coverage);
  return (
    <Card title="Missing second factors">
      {people.length === 0 ? (
        <EmptyState icon={ShieldCheck} title="No missing second factors">
          All users who require a second factor have one, and so do all administrators of users, groups,
          settings or backups.
        </EmptyState>
      ) : (
        <CardBody>
          <div className="set-outcome">
            {administratorsNotSetUp > 0 && (
              <p>
                {pluralize(administratorsNotSetUp, 'administrator', 'administrators')} of users, groups,
                settings or backups {administratorsNotSetUp === 1 ? 'has' : 'have'} no second factor.
              </p>
            )}
            <ul className="people-list" aria-label="People without a second factor">
              {visiblePeople.map((person) => (
                <PersonItem key={person.userId} person={person} />
              ))}
            </ul>
            {hidden > 0 && (
              <div>
                <Button size="small" onClick={() => setAll(true)}>
                  Show {pluralize(hidden, 'more person', 'more people')}
                </Button>
              </div>
            )}
            {hidden === 0 && more > 0 && (
              <p className="set-soft">And {pluralize(more, 'more person', 'more people')}.</p>
            )}
          </div>
        </CardBody>
      )}
      <div className="set-foot">
        {optionalNotSetUp > 0 ? (
          <Link to="/users" search={{ status: 'active', twoFactor: 'off' }}>
            Show users without a required factor
          </Link>
        ) : (
          'A second factor is required for or set up by every user.'
        )}
      </div>
    </Card>
  );
}

function PersonItem({ person }: { person: PersonWithoutFactor }) {
  const { userId, userName, fullName, twoFactorEnabled, isAdministrator } = person;
  return (
    <li>
      <span className="people-list-person">
        <Link to="/users/$userId" params={{ userId }}>
          {fullName || userName}
        </Link>
        {isAdministrator && <Badge tone="accent">Administrator</Badge>}
        {twoFactorEnabled ? <Badge tone="warn">Required, not set up</Badge> : <Badge>Not required</Badge>}
      </span>
      <span className="people-list-note">{userName}</span>
    </li>
  );
}
