import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UserChange } from '../../../../contract/generated/types.gen.ts';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import './changes.css';

type Authorship = Pick<UserChange, 'changedBy' | 'changedByName' | 'proxyUserId' | 'proxyUserName'>;

type Origin = Authorship & Pick<UserChange, 'date' | 'ipAddress'>;

/** Time, author and address of a change. */
export function ChangeOrigin({ change }: { change: Origin }) {
  return (
    <>
      <Timestamp at={change.date} /> · <ChangeAuthor change={change} />
      {change.ipAddress !== null && (
        <>
          {' '}
          · <span className="mono">{change.ipAddress}</span>
        </>
      )}
    </>
  );
}

/** Author of a change: the service, a user, or a proxy on behalf of a user. Former members are not linked. */
function ChangeAuthor({ change }: { change: Authorship }) {
  const { changedBy, changedByName, proxyUserId, proxyUserName } = change;
  const by = changedBy === null ? 'the service' : <PersonLink id={changedBy} name={changedByName} />;
  if (proxyUserId === null) return <>by {by}</>;
  return (
    <>
      by <PersonLink id={proxyUserId} name={proxyUserName} /> for {by}
    </>
  );
}

function PersonLink({ id, name }: { id: number; name: string | null }) {
  if (name === null) return <>user {id}</>;
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {name}
    </Link>
  );
}

/** A changed property with its value; children of a `dl`. */
export function ChangedProperty({ property, children }: { property: string; children: ReactNode }) {
  return (
    <div>
      <dt>{property}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A value before and after; without a value before, only the one after. */
export function BeforeAfter({ before, after }: { before: string | undefined; after: string }) {
  return (
    <>
      {before !== undefined && (
        <>
          <del>{before}</del> <span aria-hidden>→</span>
          <span className="visually-hidden"> became </span>{' '}
        </>
      )}
      {after}
    </>
  );
}
