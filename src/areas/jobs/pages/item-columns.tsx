import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import type { GroupInfoResponse, Job, JobItem } from '../../../../contract/generated/types.gen.ts';
import { PersonLink } from '../../../directory/person-columns.tsx';
import { formatExactDate, formatTime } from '../../../lib/dates/dates.ts';
import { capitalize } from '../../../lib/text/sentences.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { getOutcome } from '../model/format.ts';
import { describeChange } from '../model/item-change.ts';
import { getItemEntry } from '../model/request-facts.ts';

export const getItemId = ({ number }: JobItem): number => number;
export const getItemLabel = ({ label, number }: JobItem): string => label ?? `Item ${number}`;

/** Column of a value that the items of a kind change. */
const CHANGE_HEADERS: Partial<Record<Job['kind'], string>> = {
  'licenses.change': 'License',
  'groups.change': 'Groups',
  'users.update': 'Change',
};

interface ItemNameProps {
  job: Pick<Job, 'kind' | 'parameters'>;
  item: JobItem;
  tabIndex: 0 | -1;
}

function ItemName({ job, item, tabIndex }: ItemNameProps) {
  const { input, detail, state } = item;
  const { userId } = input;
  const name = getItemLabel(item);
  const entry = getItemEntry(job, item);
  if (typeof userId !== 'number')
    return (
      <span className="job-item-name">
        {entry ? (
          <Link
            to="/entries/$type/$entryId"
            params={{ type: String(entry.typeId), entryId: entry.entryId }}
            tabIndex={tabIndex}
            title={name}
          >
            {name}
          </Link>
        ) : (
          <span title={name}>{name}</span>
        )}{' '}
        {detail !== null && <small title={detail}>{detail}</small>}
      </span>
    );
  return (
    <span className="job-item-name" title={detail === null ? name : `${name}, ${detail}`}>
      {job.kind === 'users.remove' && state === 'done' ? (
        <span className="person">
          <Avatar name={name} id={userId} />
          <span>{name}</span>
        </span>
      ) : (
        <PersonLink id={userId} name={name} to="/users/$userId" tabIndex={tabIndex} />
      )}{' '}
      {detail !== null && <small>{detail}</small>}
    </span>
  );
}

/** Columns of the items of a job. @param noun name of one item */
export function createItemColumns(
  job: Pick<Job, 'kind' | 'parameters' | 'state'>,
  groups: readonly GroupInfoResponse[],
  noun: string,
): readonly Column<JobItem>[] {
  const changeHeader = CHANGE_HEADERS[job.kind];
  const changeColumn: Column<JobItem> = {
    id: 'change',
    header: changeHeader ?? '',
    // A switch is one word; licenses and groups share the remaining space.
    ...(job.kind === 'users.update' ? { width: 124 } : { minWidth: 120 }),
    small: 'line',
    cell: (item) => {
      const change = describeChange(job, item, groups);
      if (!change) return null;
      const { from, to } = change;
      return (
        <span className="job-change" title={from === undefined ? to : `${from} to ${to}`}>
          {from !== undefined && (
            <>
              {from} <ArrowRight aria-label="to" />{' '}
            </>
          )}
          <b data-done={item.state === 'done' || undefined}>{to}</b>
        </span>
      );
    },
  };
  return [
    {
      id: 'item',
      header: capitalize(noun),
      minWidth: 170,
      cell: (item, { tabIndex }) => <ItemName job={job} item={item} tabIndex={tabIndex} />,
    },
    ...(changeHeader === undefined ? [] : [changeColumn]),
    {
      id: 'outcome',
      header: 'Outcome',
      width: 116,
      small: 'aside',
      cell: ({ state }) => {
        const { label, tone } = getOutcome(job, state);
        return <Badge tone={tone}>{label}</Badge>;
      },
    },
    {
      id: 'reason',
      header: 'Reason',
      minWidth: 124,
      small: 'line',
      cell: ({ reason }) => (reason === null ? '' : <span title={reason}>{reason}</span>),
    },
    {
      id: 'time',
      header: 'Time',
      // As wide as 12:00:00 PM.
      width: 116,
      align: 'end',
      cell: ({ endedDate }) =>
        endedDate === null ? (
          ''
        ) : (
          <time dateTime={endedDate} title={formatExactDate(endedDate)}>
            {formatTime(new Date(endedDate))}
          </time>
        ),
    },
  ];
}
