import { useMemo } from 'react';
import type { DirectoryRow } from '../../../directory/row.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { namesOfCapabilities, useGroupCapabilities } from '../users/-group-capabilities.ts';
import { keptBack, reachOf } from './-reach.ts';
import { namesOf } from './-words.ts';

/** What the proxy will be able to do as these users; what they do not hold themselves is marked. */
export function ReachList({ proxy, users }: { proxy: DirectoryRow; users: readonly DirectoryRow[] }) {
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
