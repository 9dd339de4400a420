import { Link } from '@tanstack/react-router';
import { UserRound, UserRoundPlus, Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { DelegationsError } from '../pages/DelegationsError.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { BothEnds } from '../pages/BothEnds.tsx';
import { marksOf } from '../model/delegations.ts';
import { Marks } from '../pages/Marks.tsx';
import { useDelegations } from '../model/proxies-query.ts';
import '../pages/proxies.css';

interface PersonPanelProps {
  userId: number;
  onClose: () => void;
  /** Where the names in it lead: to the same panel over the same page. */
  to: '/proxies/$userId' | '/proxies/graph/$userId';
}

/** Somebody's assignments in both directions, over the list or the graph. */
export function PersonPanel({ userId, onClose, to }: PersonPanelProps) {
  const { delegations, states, error, isFetching, refetch } = useDelegations();
  const ids = useMemo(() => [userId], [userId]);
  const row = usePeople(ids).get(userId);
  const assigned = delegations?.people.get(userId);
  const person = assigned ?? (row && { id: userId, email: row.email, fullName: row.name });
  return (
    <Panel title={person?.fullName ?? `User ${userId}`} onClose={onClose}>
      <div className="px-panel">
        {error && !delegations && <DelegationsError {...{ error, refetch, isFetching }} />}
        {!delegations && !error && <SkeletonRows />}
        {delegations && (
          <>
            <div className="px-who">
              <span>{person?.email ?? 'Not on this site, or without any assignment'}</span>
              <Marks marks={marksOf(userId, delegations, states)} />
            </div>
            <div className="px-ways">
              <Link
                to="/users/$userId/proxies"
                params={{ userId }}
                className={buttonClass({ size: 'small' })}
              >
                <UserRound />
                Go to the user
              </Link>
              <Link
                to="/proxies/graph"
                search={{ around: userId }}
                className={buttonClass({ size: 'small' })}
              >
                <Waypoints />
                Show in the graph
              </Link>
            </div>
            {person && (
              <BothEnds
                {...{ person, delegations, states, to }}
                renderAssign={(end, label) => (
                  <Link
                    to="/proxies/assign"
                    search={end === 'proxy' ? { delegate: userId } : { principal: userId }}
                    className={buttonClass({ size: 'small' })}
                  >
                    <UserRoundPlus />
                    {label}
                  </Link>
                )}
              />
            )}
          </>
        )}
      </div>
    </Panel>
  );
}
