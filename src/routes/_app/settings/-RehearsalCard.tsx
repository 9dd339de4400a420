import { Link } from '@tanstack/react-router';
import type { AddressRehearsal } from '../../../api/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { byPerson } from './-address-form.ts';

interface RehearsalCardProps {
  rehearsal: AddressRehearsal | undefined;
  error: ServiceError | undefined;
  onRetry: () => void;
  /** Whether the list above can be rehearsed: every line is an address. */
  isReady: boolean;
}

/** Shows so many people; the counts tell of all. */
const SHOWN = 50;

/** Who came in the last 90 days from an address that the list above would not approve. */
export function RehearsalCard({ rehearsal, error, onRetry, isReady }: RehearsalCardProps) {
  return (
    <Card title="Who would have been locked out">
      {error ? (
        <ErrorState title="The list could not be rehearsed" onRetry={onRetry} requestId={error.requestId}>
          {error.message}
        </ErrorState>
      ) : !isReady ? (
        <CardBody>
          <p className="set-soft">
            As soon as every line is an address, the last 90 days are played against the list.
          </p>
        </CardBody>
      ) : rehearsal ? (
        <Outcome rehearsal={rehearsal} />
      ) : (
        <CardBody>
          <Skeleton width="60%" />
        </CardBody>
      )}
    </Card>
  );
}

function Outcome({ rehearsal }: { rehearsal: AddressRehearsal }) {
  const { lockedOut, wouldBeLockedOut, restrictedUsers, places } = rehearsal;
  const people = byPerson(places);
  return (
    <CardBody>
      <div className="set-outcome">
        <Banner tone={lockedOut > 0 ? 'warn' : 'ok'}>
          {lockedOut > 0
            ? `${counted(lockedOut, 'user', 'users')} of ${restrictedUsers} with IP restrictions came from an address outside this list in the last 90 days.`
            : restrictedUsers > 0
              ? `None of the ${counted(restrictedUsers, 'user', 'users')} with IP restrictions came from an address outside this list in the last 90 days.`
              : 'No active user has IP restrictions: the list holds for nobody yet.'}
          {wouldBeLockedOut > 0 &&
            ` ${counted(wouldBeLockedOut, 'user', 'users')} without IP restrictions would be locked out, were they restricted.`}
        </Banner>
        <ul className="set-people" aria-label="People outside the list">
          {people.slice(0, SHOWN).map(({ person, from }) => (
            <li key={person.userId}>
              <span className="set-person">
                <Link to="/users/$userId" params={{ userId: person.userId }}>
                  {person.fullName || person.userName}
                </Link>
                {person.ipRestrictionsEnabled ? (
                  <Badge tone="warn">Restricted</Badge>
                ) : (
                  <Badge>Not restricted</Badge>
                )}
                {!person.isActive && <Badge>Inactive</Badge>}
              </span>
              <span className="set-places">
                {from.map(({ ipAddress, count, lastDate }) => (
                  <span key={ipAddress}>
                    {ipAddress}, {counted(count, 'time', 'times')}, last <Moment at={lastDate} />
                  </span>
                ))}
              </span>
            </li>
          ))}
        </ul>
        {people.length > SHOWN && <p className="set-soft">And {people.length - SHOWN} more people.</p>}
      </div>
    </CardBody>
  );
}
