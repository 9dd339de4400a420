import type { UserActivitySummary } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import type { ActivityView } from './-view.ts';

interface TopListsProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
  summary: UserActivitySummary | undefined;
}

interface Line {
  key: string | number;
  name: string;
  count: number;
  mono?: boolean;
  /** Whether the report is narrowed to it. */
  on: boolean;
  choose: () => void;
}

const ON_A_PHONE = 5;

/** Who acted most, and from which addresses; each narrows the report to itself. */
export function TopLists({ view, show, summary }: TopListsProps) {
  const people = summary?.topUsers.map(({ userId, fullName, userName, count: rows }): Line => {
    const on = view.people.length === 1 && view.people[0] === userId;
    return {
      key: userId,
      name: fullName.trim() || userName || `User ${userId}`,
      count: rows,
      on,
      choose: () => show({ ...view, people: on ? [] : [userId] }),
    };
  });
  const addresses = summary?.topAddresses.map(({ ipAddress, count: rows }): Line => {
    const on = view.address === ipAddress;
    return {
      key: ipAddress,
      name: ipAddress,
      count: rows,
      mono: true,
      on,
      choose: () => show({ ...view, address: on ? '' : ipAddress }),
    };
  });
  return (
    <>
      <TopList title="Most active people" lines={people} />
      <TopList title="Most used addresses" lines={addresses} />
    </>
  );
}

function TopList({ title, lines }: { title: string; lines: readonly Line[] | undefined }) {
  const small = useMedia(SMALL);
  const shown = small ? lines?.slice(0, ON_A_PHONE) : lines;
  const most = Math.max(1, ...(lines ?? []).map((line) => line.count));
  return (
    <Card title={title}>
      {!shown && <SkeletonRows rows={5} />}
      {shown?.length === 0 && <p className="act-top-none">None</p>}
      {shown && shown.length > 0 && (
        <ol className="act-top">
          {shown.map(({ key, name, count: rows, mono, on, choose }) => (
            <li key={key}>
              <button type="button" aria-pressed={on} title={name} onClick={choose}>
                <i className="act-top-bar" style={{ inlineSize: `${(100 * rows) / most}%` }} aria-hidden />
                <span className={mono ? 'act-top-name mono' : 'act-top-name'}>{name}</span>
                <span className="num">{count(rows)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
