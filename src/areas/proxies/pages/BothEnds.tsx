import type { ReactNode } from 'react';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { useRemovals } from '../model/actions.ts';
import { byName, isCyclic, marksOf } from '../model/delegations.ts';
import type { Delegations, States } from '../model/delegations.ts';
import { Marks } from './Marks.tsx';
import { PeopleLines } from './PeopleLines.tsx';
import './proxies.css';

interface BothEndsProps {
  person: ProxyPerson;
  delegations: Delegations;
  states: States;
  to: NonNullable<Parameters<typeof PeopleLines>[0]['to']>;
  /** The way to assign: users to this proxy, or a proxy to this user. */
  renderAssign: (end: 'proxy' | 'user', label: string) => ReactNode;
}

/** For whom somebody may act, and who may act for them. */
export function BothEnds({ person, delegations, states, to, renderAssign }: BothEndsProps) {
  const { reason } = useAllowed('changeProxies');
  const { removeOne, clearProxy, clearUser } = useRemovals();
  const { people, usersOf, proxiesOf } = delegations;
  const named = (ids: readonly number[] | undefined) =>
    (ids ?? []).flatMap((id) => people.get(id) ?? []).toSorted(byName);
  const users = named(usersOf.get(person.id));
  const proxies = named(proxiesOf.get(person.id));
  const note = (other: ProxyPerson) => {
    const marks = marksOf(other.id, delegations, states).filter(
      (mark) =>
        mark !== 'cycle' ||
        isCyclic(delegations, { proxyUserId: person.id, userId: other.id }) ||
        isCyclic(delegations, { proxyUserId: other.id, userId: person.id }),
    );
    return marks.length > 0 && <Marks marks={marks} />;
  };
  const shared = { dropReason: reason, note, to };
  const clear = (all: readonly ProxyPerson[], run: () => Promise<boolean>) =>
    all.length > 1 && (
      <Button variant="quiet" size="small" disabledReason={reason} onClick={() => void run()}>
        Remove all {count(all.length)}…
      </Button>
    );
  return (
    <>
      <Card
        title={`May act for ${counted(users.length, 'user', 'users')}`}
        actions={
          <span className="px-card-actions">
            {clear(users, () => clearProxy(person, users))}
            {renderAssign('proxy', 'Assign users')}
          </span>
        }
      >
        {users.length === 0 ? (
          <CardBody>
            <p className="px-quiet">{person.fullName} may act for nobody.</p>
          </CardBody>
        ) : (
          <PeopleLines
            {...shared}
            people={users}
            dropLabel={(name) => `No longer act for ${name}`}
            onDrop={(user) => void removeOne(person, user)}
          />
        )}
      </Card>
      <Card
        title={`${counted(proxies.length, 'proxy', 'proxies')} may act for them`}
        actions={
          <span className="px-card-actions">
            {clear(proxies, () => clearUser(person, proxies))}
            {renderAssign('user', 'Assign a proxy')}
          </span>
        }
      >
        {proxies.length === 0 ? (
          <CardBody>
            <p className="px-quiet">Nobody may act for {person.fullName}.</p>
          </CardBody>
        ) : (
          <PeopleLines
            {...shared}
            people={proxies}
            dropLabel={(name) => `${name} no longer acts for them`}
            onDrop={(proxy) => void removeOne(proxy, person)}
          />
        )}
      </Card>
    </>
  );
}
