import { Link } from '@tanstack/react-router';
import { counted } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { rangeAround } from './-around.ts';
import { placeOf } from './-columns.tsx';
import { rowMoment } from './-moments.ts';
import { activityId, actorOf, addressOf, kindOf, principalOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';
import { DEFAULT_VIEW, readView, writeView } from './-view.ts';
import type { ActivityView } from './-view.ts';

interface AroundListProps {
  /** Whose rows these are: a person or an address. */
  title: string;
  /** The row in the middle. */
  of: ActivityRow;
  rows: readonly ActivityRow[] | undefined;
  error?: string | undefined;
  /** What tells the rows apart. */
  shows: 'person' | 'address';
  /** What the report is asked for to show the same. */
  view: Partial<ActivityView>;
}

/** The rows of somebody or of an address from fifteen minutes before to fifteen minutes after, each to be opened. */
export function AroundList({ title, of, rows, error, shows, view }: AroundListProps) {
  const range = rangeAround(Date.parse(of.eventDate));
  return (
    <section className="act-around" aria-label={`${title}, 15 minutes around`}>
      <header>
        <h4>
          <span className={shows === 'person' ? 'mono' : undefined}>{title}</span>
          <small>{rows && `${counted(rows.length, 'row', 'rows')} in ± 15 min`}</small>
        </h4>
        <Link to="/activity" search={writeView({ ...DEFAULT_VIEW, ...view, range })}>
          Show in the report
        </Link>
      </header>
      {error !== undefined && <p className="field-error">{error}</p>}
      {!rows && error === undefined && <SkeletonRows rows={3} />}
      <ol>
        {rows?.map((row) => (
          <AroundRow key={activityId(row)} {...{ row, shows }} current={activityId(row) === activityId(of)} />
        ))}
      </ol>
    </section>
  );
}

interface AroundRowProps {
  row: ActivityRow;
  shows: AroundListProps['shows'];
  current: boolean;
}

function AroundRow({ row, shows, current }: AroundRowProps) {
  const principal = principalOf(row);
  const who = principal ? `${actorOf(row)} for ${principal.name}` : actorOf(row);
  const kind = kindOf(row);
  return (
    <li className={cx(current && 'act-around-current')}>
      <Link
        to="/activity/$activityId"
        params={{ activityId: row.activityId ?? 0 }}
        search={(now) => ({ ...writeView(readView(now)), ...placeOf(row) })}
        aria-current={current ? 'true' : undefined}
      >
        <time dateTime={row.eventDate} className="num">
          {rowMoment(row.eventDate)}
        </time>
        <span className="act-around-what">
          {row.activityType}
          {kind !== undefined && ` · ${kind}`}
          <small className={shows === 'address' ? 'mono' : undefined}>
            {shows === 'person' ? who : (addressOf(row) ?? row.sourceType)}
          </small>
        </span>
      </Link>
    </li>
  );
}
