import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import './proxies.css';
import { focusNeighbour } from '../../../ui/focus-neighbour.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { comparePeople, getPersonWarnings, isPartOfCycle, isSelfAssigned } from '../model/assignments.ts';
import type { Assignments, PersonStates } from '../model/assignments.ts';
import { useRemoveAssignments } from '../model/use-remove-assignments.ts';
import { Warnings } from './Warnings.tsx';

interface AssignmentListsProps {
  person: ProxyPerson;
  assignments: Assignments;
  states: PersonStates;
  to: NonNullable<Parameters<typeof PersonList>[0]['to']>;
  /** Renders the button that assigns users to this person as a proxy, or a proxy to this person. */
  renderAssign: (end: 'proxy' | 'user', label: string) => ReactNode;
}

/** Assignments of a person in both directions: users they may act for, and their proxies. */
export function AssignmentLists({ person, assignments, states, to, renderAssign }: AssignmentListsProps) {
  const { reason } = usePermission('changeProxies');
  const { removeAssignment, removeAllOfProxy, removeAllOfUser } = useRemoveAssignments();
  const { people, usersByProxy, proxiesByUser } = assignments;
  const sortPeople = (ids: readonly number[] | undefined) =>
    (ids ?? []).flatMap((id) => people.get(id) ?? []).toSorted(comparePeople);
  const users = sortPeople(usersByProxy.get(person.id));
  const proxies = sortPeople(proxiesByUser.get(person.id));
  const renderWarnings = (other: ProxyPerson) => {
    const pairs = [
      { proxyUserId: person.id, userId: other.id },
      { proxyUserId: other.id, userId: person.id },
    ];
    const warnings = getPersonWarnings(other.id, assignments, states).filter(
      (warning) =>
        warning !== 'selfAssigned' &&
        (warning !== 'cycle' || pairs.some((pair) => isPartOfCycle(assignments, pair))),
    );
    if (pairs.some((pair) => isSelfAssigned(assignments, pair))) warnings.push('selfAssigned');
    return warnings.length > 0 && <Warnings warnings={warnings} />;
  };
  const shared = { removeDisabledReason: reason, note: renderWarnings, to };
  const renderRemoveAll = (all: readonly ProxyPerson[], run: () => Promise<boolean>) =>
    all.length > 1 && (
      <Button variant="quiet" size="small" disabledReason={reason} onClick={() => void run()}>
        Remove all {formatNumber(all.length)}…
      </Button>
    );
  return (
    <>
      <Card
        title={`May act for ${pluralize(users.length, 'user', 'users')}`}
        actions={
          <span className="px-card-actions">
            {renderRemoveAll(users, () => removeAllOfProxy(person, users))}
            {renderAssign('proxy', 'Assign users')}
          </span>
        }
      >
        {users.length === 0 ? (
          <CardBody>
            <p className="px-quiet">{person.fullName} may not act for anyone.</p>
          </CardBody>
        ) : (
          <PersonList
            {...shared}
            people={users}
            removeLabel={(name) => `Stop acting for ${name}`}
            onRemove={(user) => void removeAssignment(person, user)}
          />
        )}
      </Card>
      <Card
        title={`${pluralize(proxies.length, 'proxy', 'proxies')} may act for them`}
        actions={
          <span className="px-card-actions">
            {renderRemoveAll(proxies, () => removeAllOfUser(person, proxies))}
            {renderAssign('user', 'Assign a proxy')}
          </span>
        }
      >
        {proxies.length === 0 ? (
          <CardBody>
            <p className="px-quiet">No one may act for {person.fullName}.</p>
          </CardBody>
        ) : (
          <PersonList
            {...shared}
            people={proxies}
            removeLabel={(name) => `Remove ${name} as a proxy`}
            onRemove={(proxy) => void removeAssignment(proxy, person)}
          />
        )}
      </Card>
    </>
  );
}

interface PersonListProps {
  people: readonly ProxyPerson[];
  /** Accessible name of the button that removes a person. */
  removeLabel: (name: string) => string;
  removeDisabledReason?: string | undefined;
  /** Whether the row disappears on click; the focus then moves to its neighbour. */
  removesImmediately?: boolean;
  onRemove: (person: ProxyPerson) => void;
  /** Content shown after the name. */
  note?: (person: ProxyPerson) => ReactNode;
  /** Target of the name; undefined shows plain text. */
  to?: '/users/$userId/proxies' | '/proxies/$userId' | '/proxies/graph/$userId';
}

/** List of people with a button to remove each. */
export function PersonList({
  people,
  removeLabel,
  removeDisabledReason,
  removesImmediately = false,
  onRemove,
  note,
  to,
}: PersonListProps) {
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
            label={removeLabel(person.fullName)}
            icon={X}
            size="small"
            disabledReason={removeDisabledReason}
            onClick={({ currentTarget }) => {
              if (removesImmediately) focusNeighbour(currentTarget);
              onRemove(person);
            }}
          />
        </li>
      ))}
    </ul>
  );
}

interface AssignmentsErrorProps {
  error: ServiceError;
  refetch: () => void;
  isFetching: boolean;
}

/** Error state for assignments that could not be loaded. */
export const AssignmentsError = ({ error, refetch, isFetching }: AssignmentsErrorProps) => (
  <ErrorState
    title="The assignments could not be loaded"
    onRetry={refetch}
    retrying={isFetching}
    requestId={error.requestId}
  >
    {error.message}
  </ErrorState>
);
