import { Link } from '@tanstack/react-router';
import { UserRound, UserRoundPlus, Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { usePeopleById } from '../../../directory/directory.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { getPersonWarnings } from '../model/assignments.ts';
import { useAssignments } from '../model/use-assignments.ts';
import { AssignmentsError, AssignmentLists } from './AssignmentLists.tsx';
import { Warnings } from './Warnings.tsx';
import './proxies.css';

interface PersonPanelProps {
  userId: number;
  onClose: () => void;
  /** Target of the names: the same panel over the same page. */
  to: '/proxies/$userId' | '/proxies/graph/$userId';
}

/** Panel with the assignments of a person, over the list or the graph. */
export function PersonPanel({ userId, onClose, to }: PersonPanelProps) {
  const { assignments, states, error, isFetching, refetch } = useAssignments();
  const ids = useMemo(() => [userId], [userId]);
  const row = usePeopleById(ids).get(userId);
  const assigned = assignments?.people.get(userId);
  const person = assigned ?? (row && { id: userId, email: row.email, fullName: row.name });
  return (
    <Panel title={person?.fullName ?? `User ${userId}`} onClose={onClose}>
      <div className="px-panel">
        {error && !assignments && <AssignmentsError {...{ error, refetch, isFetching }} />}
        {!assignments && !error && <SkeletonRows />}
        {assignments && (
          <>
            <div className="px-who">
              <span>{person?.email ?? 'Not a member of this site, or no assignments'}</span>
              <Warnings warnings={getPersonWarnings(userId, assignments, states)} />
            </div>
            <div className="px-ways">
              <Link
                to="/users/$userId/proxies"
                params={{ userId }}
                className={buttonClass({ size: 'small' })}
              >
                <UserRound />
                Open user
              </Link>
              <Link
                to="/proxies/graph"
                search={{ around: userId }}
                className={buttonClass({ size: 'small' })}
              >
                <Waypoints />
                Show in graph
              </Link>
            </div>
            {person && (
              <AssignmentLists
                {...{ person, assignments, states, to }}
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
