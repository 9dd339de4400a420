import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeftRight, Users, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useDirectory, usePeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows, Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { ComparedCapabilities, ComparedGroups } from './Comparison.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { useAllowed } from '../../../api/session.ts';
import type { Pair } from '../../bulk/actions.ts';
import { openBulk } from '../../bulk/index.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { counted } from '../../../lib/numbers.ts';
import { useGroupCapabilities, useGroupReason } from '../model/group-capabilities.ts';
import { copyingOf } from './compare.ts';
import './compare.css';

const route = getRouteApi('/_app/groups/compare');

/** Two people side by side: their groups, what these give, and copying groups from one to the other. */
export function ComparePage() {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const { complete, error, size } = useDirectory();
  const ids = useMemo(() => [a, b].filter((id) => id !== undefined), [a, b]);
  const people = usePeople(ids);
  const [ann, ben] = [
    a === undefined ? undefined : people.get(a),
    b === undefined ? undefined : people.get(b),
  ];
  const show = (search: { a?: number | undefined; b?: number | undefined }) =>
    void navigate({ to: '.', search });

  if (error?.status === 403 && size === undefined) throw error;
  const side = (id: number | undefined, other: number | undefined, label: string) => ({
    label,
    userId: id,
    person: id === undefined ? undefined : people.get(id),
    missing: complete,
    other,
  });
  return (
    <Page
      title="Compare users"
      breadcrumbs={<Trail />}
      actions={
        <Button
          icon={ArrowLeftRight}
          disabledReason={a === undefined && b === undefined ? 'Choose somebody first' : undefined}
          onClick={() => show({ a: b, b: a })}
        >
          Swap
        </Button>
      }
    >
      <div className="compare-people">
        <ComparedPerson {...side(a, b, 'First user')} onChoose={(id) => show({ a: id, b })} />
        <ComparedPerson {...side(b, a, 'Second user')} onChoose={(id) => show({ a, b: id })} />
      </div>
      <Body {...{ ann, ben }} waiting={ids.length === 2 && !complete} chosen={ids.length} />
    </Page>
  );
}

interface BodyProps {
  ann: DirectoryRow | undefined;
  ben: DirectoryRow | undefined;
  waiting: boolean;
  chosen: number;
}

function Body({ ann, ben, waiting, chosen }: BodyProps) {
  if (ann && ben) {
    return (
      <>
        <ComparedGroups a={ann} b={ben} />
        <CopyGroups from={ann} to={ben} />
        <ComparedCapabilities a={ann} b={ben} />
      </>
    );
  }
  return (
    <Card>
      {waiting ? (
        <SkeletonRows rows={5} />
      ) : (
        <EmptyState icon={Users} title={chosen < 2 ? 'Choose two people' : 'One of them is not on this site'}>
          Their groups stand side by side, with what each may do and which group it comes from. Groups can
          then be copied from the first to the second.
        </EmptyState>
      )}
    </Card>
  );
}

interface ComparedPersonProps {
  /** "First user", "Second user". */
  label: string;
  userId: number | undefined;
  person: DirectoryRow | undefined;
  /** The directory is complete: whoever it does not know is not on this site. */
  missing: boolean;
  /** The one they are compared with. */
  other: number | undefined;
  onChoose: (userId: number | undefined) => void;
}

/** One of the two: who it is, or the field to find them. */
function ComparedPerson({ label, userId, person, missing, other, onChoose }: ComparedPersonProps) {
  // Choosing takes the place of what was pressed: the focus goes on to what stands there now.
  const [used, setUsed] = useState(false);
  const choose = (id: number | undefined) => {
    setUsed(true);
    onChoose(id);
  };
  if (userId === undefined) {
    return (
      <section className="compare-person" aria-label={label}>
        <PersonPicker
          label={label}
          placeholder="Name, e-mail or id"
          first={used}
          onPick={choose}
          reasonFor={(id) => (id === other ? 'Is the other one' : undefined)}
        />
      </section>
    );
  }
  const name = person?.name ?? `User ${userId}`;
  return (
    <section className="compare-person compare-chosen" aria-label={label}>
      <Avatar name={name} id={userId} size="medium" />
      <div className="compare-who">
        <small>{label}</small>
        {person ? (
          <>
            <strong>
              <Link to="/users/$userId/groups" params={{ userId }}>
                {name}
              </Link>
            </strong>
            <span>{person.email}</span>
          </>
        ) : (
          <strong>{missing ? `User ${userId} is not on this site` : <Skeleton width="160px" />}</strong>
        )}
      </div>
      <IconButton
        label={`Choose somebody else than ${name}`}
        icon={X}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={used}
        onClick={() => choose(undefined)}
      />
    </section>
  );
}

interface CopyGroupsProps {
  from: DirectoryRow;
  to: DirectoryRow;
}

const list = new Intl.ListFormat('en');
const groupsIn = (pairs: readonly Pair[]) => counted(pairs.length, 'group', 'groups');

/** Copies groups from one person to the other: only what is missing, or so that both have the same. */
function CopyGroups({ from, to }: CopyGroupsProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const put = useAllowed('assignGroups');
  const unassign = useAllowed('unassignGroups');
  const why = useReason(from, to);
  const { add, remove } = copyingOf(from, to);
  const names = (pairs: readonly Pair[]) =>
    list.format(
      pairs.map(({ groupId }) => groups.find(({ id }) => id === groupId)?.name ?? `Group ${groupId}`),
    );
  const start = (pairs: { add: Pair[]; remove: Pair[] }) =>
    openBulk({ action: { kind: 'pairs', ...pairs }, userIds: [to.id] });
  const nothing = `${to.name} is in all of them already`;
  return (
    <Card title={`Copy the groups of ${from.name} to ${to.name}`}>
      <CardRow
        title="Add what is missing"
        description={
          add.length === 0
            ? `${nothing}.`
            : `Adds ${names(add)}. Adding never takes anything away: ${to.name} keeps every other group.`
        }
        action={
          <Button
            disabledReason={put.reason ?? (add.length === 0 ? nothing : why(add))}
            onClick={() => start({ add, remove: [] })}
          >
            {add.length === 0 ? 'Add groups' : `Add ${groupsIn(add)}`}
          </Button>
        }
      />
      <CardRow
        title="Set exactly"
        description={
          remove.length === 0
            ? `${to.name} is in no group that ${from.name} is not in: adding what is missing is enough.`
            : `Afterwards ${to.name} is in the groups of ${from.name} and in no others. The interface knows no such call, so it is two: one adds ${add.length === 0 ? 'nothing' : names(add)}, one removes ${names(remove)}.`
        }
        action={
          <Button
            disabledReason={
              put.reason ??
              unassign.reason ??
              (remove.length === 0 ? 'There is nothing to remove' : why([...add, ...remove]))
            }
            onClick={() => start({ add, remove })}
          >
            Set exactly
          </Button>
        }
      />
    </Card>
  );
}

/** Why these groups may not all be given or taken. */
function useReason(from: DirectoryRow, to: DirectoryRow) {
  const together = useMemo(() => [...new Set([...from.groups, ...to.groups])], [from, to]);
  const given = useGroupCapabilities(together);
  const holds = useGroupReason();
  return (pairs: readonly Pair[]): string | undefined =>
    pairs.map(({ groupId }) => holds(given.get(groupId))).find((reason) => reason !== undefined);
}
