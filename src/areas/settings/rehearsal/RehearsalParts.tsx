import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AddressRehearsal, SuggestedNetwork } from '../../../../contract/generated/types.gen.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { groupByPerson } from './group-places.ts';
import './rehearsal.css';
import '../people-list.css';

/** People shown; the counts cover all. */
const MAX_PEOPLE = 50;
const MAX_NETWORKS = 10;

/** People who used an address outside the list, each with these addresses. */
export function RehearsedPeople({ places }: Pick<AddressRehearsal, 'places'>) {
  const people = groupByPerson(places);
  return (
    <>
      <ul className="people-list" aria-label="People outside the list">
        {people.slice(0, MAX_PEOPLE).map(({ person, from }) => (
          <li key={person.userId}>
            <span className="people-list-person">
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
            <span className="people-list-note">
              {from.map(({ ipAddress, count, lastDate }) => (
                <span key={ipAddress}>
                  {ipAddress}, {pluralize(count, 'time', 'times')}, last <Timestamp at={lastDate} />
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {people.length > MAX_PEOPLE && (
        <p className="rehearsal-rest">And {people.length - MAX_PEOPLE} more people.</p>
      )}
    </>
  );
}

interface SuggestedNetworksProps extends Pick<AddressRehearsal, 'suggestions'> {
  /** Button or link that approves a network. */
  renderAction: (suggestion: SuggestedNetwork) => ReactNode;
}

/** Networks to approve, those of most people first; nothing if nobody is outside the list. */
export function SuggestedNetworks({ suggestions, renderAction }: SuggestedNetworksProps) {
  if (suggestions.length === 0) return null;
  return (
    <section className="rehearsal">
      <h3>Networks to approve, if they are yours</h3>
      <ul className="rehearsal-networks" aria-label="Networks to approve">
        {suggestions.slice(0, MAX_NETWORKS).map((suggestion) => {
          const { network, users, count, lastDate } = suggestion;
          return (
            <li key={network}>
              <span>
                <span className="mono">{network}</span>
                <small>
                  {pluralize(users, 'person', 'people')}, {pluralize(count, 'time', 'times')}, last{' '}
                  <Timestamp at={lastDate} />
                </small>
              </span>
              {renderAction(suggestion)}
            </li>
          );
        })}
      </ul>
      {suggestions.length > MAX_NETWORKS && (
        <p className="rehearsal-rest">And {suggestions.length - MAX_NETWORKS} more networks.</p>
      )}
    </section>
  );
}
