import { useId, useMemo } from 'react';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { counted } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import type { Delegations } from '../model/delegations.ts';
import { PeopleLines } from './PeopleLines.tsx';
import { refusalOf } from '../model/plan.ts';
import type { Plan } from '../model/plan.ts';
import { namesOf } from '../model/words.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { namesOfCapabilities, useGroupCapabilities } from '../../groups/model/group-capabilities.ts';
import { keptBack, reachOf } from '../model/reach.ts';

interface AssignFieldsProps {
  delegations: Delegations | undefined;
  /** Of those chosen. */
  rows: ReadonlyMap<number, DirectoryRow>;
  plan: Plan | undefined;
  proxy: ProxyPerson | undefined;
  userIds: readonly number[];
  replace: boolean;
  personOf: (id: number) => ProxyPerson;
  onProxy: (id: number | undefined) => void;
  onUsers: (ids: readonly number[]) => void;
  onReplace: (replace: boolean) => void;
}

const NONE: ReadonlySet<number> = new Set();

/** Who, for whom, in place of what, and what they will reach. */
export function AssignFields(props: AssignFieldsProps) {
  const { delegations, rows, plan, proxy, userIds, replace, personOf, onProxy, onUsers, onReplace } = props;
  const replaceId = useId();
  const now = (proxy && delegations?.usersOf.get(proxy.id)) ?? [];
  const taken = new Set([...userIds, ...(replace ? [] : now)]);
  const proxyRow = proxy && rows.get(proxy.id);
  const userRows = userIds.flatMap((id) => rows.get(id) ?? []);
  return (
    <>
      <p className="px-quiet">
        A proxy works in the place of a user: with what that user may do, under both names. Never for
        themselves, never on from one to the next, and only while both are active.
      </p>
      {proxy ? (
        <section className="px-chosen" aria-label="Proxy">
          <h3 className="field-label">Proxy</h3>
          <PeopleLines
            people={[proxy]}
            dropLabel={(name) => `Choose somebody else than ${name}`}
            onDrop={() => onProxy(undefined)}
          />
        </section>
      ) : (
        <PersonPicker
          label="Proxy"
          hint="Who will act for others."
          placeholder="Name, e-mail or id"
          first
          onPick={onProxy}
          reasonFor={(_, person) => refusalOf(person, { other: undefined, taken: NONE })}
        />
      )}
      {proxyRow?.twoFactor === false && (
        <Banner tone="warn">
          {proxyRow.name} signs in without a second factor: whoever has their password can act for others.
        </Banner>
      )}
      <section className="px-chosen" aria-label="May act for">
        <PersonPicker
          label="May act for"
          placeholder="Name, e-mail or id"
          first={proxy !== undefined}
          onPick={(id) => onUsers([...userIds, id])}
          reasonFor={(_, person) => refusalOf(person, { other: proxy?.id, taken })}
        />
        {userIds.length > 0 && (
          <PeopleLines
            people={userIds.map(personOf)}
            atOnce
            dropLabel={(name) => `Leave out ${name}`}
            onDrop={({ id }) => onUsers(userIds.filter((one) => one !== id))}
          />
        )}
      </section>
      {now.length > 0 && (
        <Check
          kind="checkbox"
          id={replaceId}
          label={`Replace the whole list of ${counted(now.length, 'assignment', 'assignments')}`}
          hint={
            replace
              ? 'Only the users above stay. What is removed is asked about once more.'
              : `${proxy?.fullName} keeps ${namesOf(now.map(personOf), 3)}.`
          }
          checked={replace}
          onChange={onReplace}
        />
      )}
      {plan && plan.circles.length > 0 && (
        <Banner tone="warn" title="This closes a circle">
          {namesOf(plan.circles.map(personOf), 3)} may act, directly or over others, for {proxy?.fullName}{' '}
          already. Nobody gains more by it, for acting never goes on from one to the next; but it is rarely
          meant.
        </Banner>
      )}
      {proxyRow && userRows.length > 0 && (
        <section className="px-chosen" aria-label="What they will reach">
          <h3 className="field-label">What {proxyRow.firstName} can do as them</h3>
          <ReachList proxy={proxyRow} users={userRows} />
        </section>
      )}
    </>
  );
}

/** What the proxy will be able to do as these users; what they do not hold themselves is marked. */
function ReachList({ proxy, users }: { proxy: DirectoryRow; users: readonly DirectoryRow[] }) {
  const groups = useMemo(
    () => [...new Set([proxy, ...users].flatMap((person) => person.groups))],
    [proxy, users],
  );
  const given = useGroupCapabilities(groups);
  if (given.size < groups.length) return <SkeletonRows rows={3} />;
  const reached = reachOf(proxy, users, given);
  const kept = keptBack(users, given);
  return (
    <>
      {reached.length === 0 ? (
        <p className="px-quiet">Nothing: their groups give no capabilities that can be passed on.</p>
      ) : (
        <ul className="px-reach">
          {reached.map(({ capability, from, isNew }) => (
            <li key={capability}>
              <span>
                {capability} {isNew && <Badge tone="warn">Not held by {proxy.firstName}</Badge>}
              </span>
              <small>
                through{' '}
                {namesOf(
                  from.map((fullName) => ({ fullName })),
                  3,
                )}
              </small>
            </li>
          ))}
        </ul>
      )}
      {kept.length > 0 && (
        <p className="px-quiet">Never through a proxy, though held: {namesOfCapabilities(kept)}.</p>
      )}
    </>
  );
}
