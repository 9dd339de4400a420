import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Minus } from 'lucide-react';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { groupsQuery } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { counted } from '../../../lib/numbers.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { useGroupCapabilities } from '../model/group-capabilities.ts';
import { capabilityLines, groupLines } from './compare.ts';

interface ComparisonProps {
  a: DirectoryRow;
  b: DirectoryRow;
}

const list = new Intl.ListFormat('en');

/** Their groups side by side, those first that tell them apart. */
export function ComparedGroups({ a, b }: ComparisonProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const lines = groupLines(a, b, groups);
  const apart = lines.filter((line) => line.a !== line.b).length;
  return (
    <Card title={apart === 0 ? 'Groups: the same' : `Groups: ${counted(apart, 'difference', 'differences')}`}>
      <Sides a={a} b={b} head="Group" none={lines.length === 0 && 'Neither is in a group.'}>
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
      </Sides>
    </Card>
  );
}

/** What each may do and from which groups, those capabilities first that tell them apart. */
export function ComparedCapabilities({ a, b }: ComparisonProps) {
  const { data: groups = [] } = useQuery(groupsQuery);
  const together = useMemo(() => [...new Set([...a.groups, ...b.groups])], [a, b]);
  const given = useGroupCapabilities(together);
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  const lines = capabilityLines(a, b, given);
  const read = given.size === together.length;
  const source = (ids: readonly number[]) =>
    ids.length === 0 ? (
      <No words="Does not have it" />
    ) : (
      <Yes words={list.format(ids.map((id) => names.get(id) ?? `Group ${id}`))} />
    );
  return (
    <Card title="What they may do, and from which groups">
      <Sides a={a} b={b} head="Capability" none={lines.length === 0 && read && 'Neither has a capability.'}>
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
      </Sides>
    </Card>
  );
}

interface SidesProps extends ComparisonProps {
  head: string;
  none: string | false;
  children: ReactNode;
}

function Sides({ a, b, head, none, children }: SidesProps) {
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
