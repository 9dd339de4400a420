import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeftRight, Users, X, Check, Minus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { usePermission } from '../../../api/session.ts';
import { useDirectory, usePeopleById } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows, Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { UserGroupPair } from '../../bulk/index.ts';
import { openBulk } from '../../bulk/index.ts';
import { useGroupCapabilities, useGrantCheck } from '../model/group-capabilities.ts';
import { PeopleError } from '../PeopleError.tsx';
import { planGroupCopy, compareCapabilities, compareGroups } from './compare.ts';
import './compare.css';

const route = getRouteApi('/_app/groups/compare');

/** Compares groups and capabilities of two users and copies groups between them. */
export function ComparePage() {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const { complete, error, size, refresh, refreshing } = useDirectory();
  const ids = useMemo(() => [a, b].filter((id) => id !== undefined), [a, b]);
  const people = usePeopleById(ids);
  const [firstPerson, secondPerson] = [
    a === undefined ? undefined : people.get(a),
    b === undefined ? undefined : people.get(b),
  ];
  const show = (search: { a?: number | undefined; b?: number | undefined }) =>
    void navigate({ to: '.', search });

  if (error?.status === 403 && size === undefined) throw error;
  const getSideProps = (id: number | undefined, other: number | undefined, label: string) => ({
    label,
    userId: id,
    person: id === undefined ? undefined : people.get(id),
    missing: complete,
    other,
  });
  return (
    <Page
      title="Compare users"
      breadcrumbs={<Breadcrumbs />}
      actions={
        <Button
          icon={ArrowLeftRight}
          disabledReason={a === undefined && b === undefined ? 'Choose a person first' : undefined}
          onClick={() => show({ a: b, b: a })}
        >
          Swap
        </Button>
      }
    >
      <div className="compare-people">
        <ComparedPerson {...getSideProps(a, b, 'First user')} onChoose={(id) => show({ a: id, b })} />
        <ComparedPerson {...getSideProps(b, a, 'Second user')} onChoose={(id) => show({ a, b: id })} />
      </div>
      {error && !complete && !(firstPerson && secondPerson) ? (
        <PeopleError {...{ error, refresh, refreshing }} />
      ) : (
        <Body
          {...{ firstPerson, secondPerson }}
          waiting={ids.length === 2 && !complete}
          selectedIds={ids.length}
        />
      )}
    </Page>
  );
}

interface BodyProps {
  firstPerson: DirectoryRow | undefined;
  secondPerson: DirectoryRow | undefined;
  waiting: boolean;
  selectedIds: number;
}

function Body({ firstPerson, secondPerson, waiting, selectedIds: chosen }: BodyProps) {
  if (firstPerson && secondPerson) {
    return (
      <>
        <ComparedGroups a={firstPerson} b={secondPerson} />
        <CopyGroups from={firstPerson} to={secondPerson} />
        <ComparedCapabilities a={firstPerson} b={secondPerson} />
      </>
    );
  }
  return (
    <Card>
      {waiting ? (
        <SkeletonRows rows={5} />
      ) : (
        <EmptyState icon={Users} title={chosen < 2 ? 'Choose two people' : 'One of them is not on this site'}>
          Compare groups, capabilities and where they come from. Groups can be copied from the first to the
          second.
        </EmptyState>
      )}
    </Card>
  );
}

interface ComparedPersonProps {
  /** "First user" or "Second user". */
  label: string;
  userId: number | undefined;
  person: DirectoryRow | undefined;
  /** Whether the directory is complete, so that an unknown user is not on this site. */
  missing: boolean;
  /** Id of the other user. */
  other: number | undefined;
  onChoose: (userId: number | undefined) => void;
}

/** One of the users, or the field to choose them. */
function ComparedPerson({ label, userId, person, missing, other, onChoose }: ComparedPersonProps) {
  // After choosing or clearing, the replacing element gets the focus.
  const [wasUsed, setWasUsed] = useState(false);
  const choose = (id: number | undefined) => {
    setWasUsed(true);
    onChoose(id);
  };
  if (userId === undefined) {
    return (
      <section className="compare-person" aria-label={label}>
        <PersonPicker
          label={label}
          placeholder="Name, e-mail or id"
          // Moves the focus from the cleared person to this field.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={wasUsed}
          onSelect={choose}
          getDisabledReason={(id) => (id === other ? 'Already chosen' : undefined)}
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
        label={`Choose someone other than ${name}`}
        icon={X}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={wasUsed}
        onClick={() => choose(undefined)}
      />
    </section>
  );
}

interface CopyGroupsProps {
  from: DirectoryRow;
  to: DirectoryRow;
}

const groupListFormat = new Intl.ListFormat('en');
const formatGroupCount = (pairs: readonly UserGroupPair[]) => pluralize(pairs.length, 'group', 'groups');

/** Copies groups from the first user to the second: missing ones, or exactly. */
function CopyGroups({ from, to }: CopyGroupsProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const put = usePermission('assignGroups');
  const unassign = usePermission('unassignGroups');
  const why = useGrantReason(from, to);
  const { add, remove } = planGroupCopy(from, to);
  const names = (pairs: readonly UserGroupPair[]) =>
    groupListFormat.format(
      pairs.map(({ groupId }) => groups.find(({ id }) => id === groupId)?.name ?? `Group ${groupId}`),
    );
  const start = (pairs: { add: UserGroupPair[]; remove: UserGroupPair[] }) =>
    openBulk({ action: { kind: 'pairs', ...pairs }, userIds: [to.id] });
  const nothing = `${to.name} is already in all of them`;
  return (
    <Card title={`Copy the groups of ${from.name} to ${to.name}`}>
      <CardRow
        title="Add what is missing"
        description={
          add.length === 0 ? `${nothing}.` : `Adds ${names(add)}. ${to.name} keeps all other groups.`
        }
        action={
          <Button
            disabledReason={put.reason ?? (add.length === 0 ? nothing : why(add))}
            onClick={() => start({ add, remove: [] })}
          >
            {add.length === 0 ? 'Add groups' : `Add ${formatGroupCount(add)}`}
          </Button>
        }
      />
      <CardRow
        title="Set exactly"
        description={
          remove.length === 0
            ? `${to.name} has no other groups than ${from.name}: adding missing groups is enough.`
            : `Afterwards ${to.name} is in the groups of ${from.name} and in no others. Two requests are sent: one adds ${add.length === 0 ? 'nothing' : names(add)}, one removes ${names(remove)}.`
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

/** Returns the reason why these memberships may not be changed. */
function useGrantReason(from: DirectoryRow, to: DirectoryRow) {
  const together = useMemo(() => [...new Set([...from.groups, ...to.groups])], [from, to]);
  const given = useGroupCapabilities(together);
  const holds = useGrantCheck();
  return (pairs: readonly UserGroupPair[]): string | undefined =>
    pairs.map(({ groupId }) => holds(given.get(groupId))).find((reason) => reason !== undefined);
}

interface ComparisonProps {
  a: DirectoryRow;
  b: DirectoryRow;
}

const sourceListFormat = new Intl.ListFormat('en');

/** Groups of both users, differing ones first. */
function ComparedGroups({ a, b }: ComparisonProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const lines = compareGroups(a, b, groups);
  const apart = lines.filter((line) => line.a !== line.b).length;
  return (
    <Card
      title={apart === 0 ? 'Groups: the same' : `Groups: ${pluralize(apart, 'difference', 'differences')}`}
    >
      <ComparisonTable a={a} b={b} head="Group" none={lines.length === 0 && 'Neither is in a group.'}>
        {lines.map((line) => (
          <tr key={line.id} className={line.a === line.b ? 'compare-same' : 'compare-differs'}>
            <th scope="row">
              <Link to="/groups/$groupId" params={{ groupId: line.id }}>
                {line.name}
              </Link>
            </th>
            <td>{line.a ? <Yes words="Member" /> : <No words="Not in it" />}</td>
            <td>{line.b ? <Yes words="Member" /> : <No words="Not in it" />}</td>
          </tr>
        ))}
      </ComparisonTable>
    </Card>
  );
}

/** Capabilities of both users with their sources, differing ones first. */
function ComparedCapabilities({ a, b }: ComparisonProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const together = useMemo(() => [...new Set([...a.groups, ...b.groups])], [a, b]);
  const given = useGroupCapabilities(together);
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const lines = compareCapabilities(a, b, given);
  const read = given.size === together.length;
  const source = (ids: readonly number[]) =>
    ids.length === 0 ? (
      <No words="Does not have it" />
    ) : (
      <Yes words={sourceListFormat.format(ids.map((id) => names.get(id) ?? `Group ${id}`))} />
    );
  return (
    <Card title="Capabilities and their groups">
      <ComparisonTable
        a={a}
        b={b}
        head="Capability"
        none={lines.length === 0 && read && 'Neither has a capability.'}
      >
        {lines.map(({ capability, a: fromA, b: fromB }) => (
          <tr
            key={capability}
            className={(fromA.length === 0) === (fromB.length === 0) ? 'compare-same' : 'compare-differs'}
          >
            <th scope="row">{capability}</th>
            <td>{source(fromA)}</td>
            <td>{source(fromB)}</td>
          </tr>
        ))}
      </ComparisonTable>
    </Card>
  );
}

interface ComparisonTableProps extends ComparisonProps {
  head: string;
  none: string | false;
  children: ReactNode;
}

function ComparisonTable({ a, b, head, none, children }: ComparisonTableProps) {
  if (none !== false) return <p className="card-body compare-none">{none}</p>;
  return (
    <div className="compare-scroll">
      <table className="compare">
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">{a.name}</th>
            <th scope="col">{b.name}</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

const Yes = ({ words }: { words: string }) => (
  <span className="compare-mark compare-yes">
    <Check />
    <span>{words}</span>
  </span>
);

const No = ({ words }: { words: string }) => (
  <span className="compare-mark compare-no">
    <Minus />
    <span>{words}</span>
  </span>
);
