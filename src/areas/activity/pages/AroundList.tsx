import { Link } from '@tanstack/react-router';
import { count, counted } from '../../../lib/numbers.ts';
import { cx } from '../../../ui/cx.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { rangeAround } from '../model/around.ts';
import type { Around } from '../model/around.ts';
import { placeOf } from './columns.tsx';
import { LARGEST_PAGE } from '../model/data.ts';
import { rowMoment } from '../model/moments.ts';
import { activityId, actorOf, addressOf, kindOf, principalOf } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';
import { DEFAULT_VIEW, readView, writeView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';

interface AroundListProps {
  /** Whose rows these are: a person or an address. */
  title: string;
  /** The row in the middle. */
  of: ActivityRow;
  /** Undefined until it is known. */
  around: Around | undefined;
  error: string | undefined;
  /** What tells the rows apart. */
  shows: 'person' | 'address';
  /** What the report is asked for to show the same. */
  view: Partial<ActivityView>;
}

function wordsFor({ rows, total }: Around): string {
  const many = total === undefined ? `At least ${count(LARGEST_PAGE)} rows` : counted(total, 'row', 'rows');
  return `${many} in ± 15 min${rows.length === total ? '' : `, the nearest ${count(rows.length)}`}`;
}

/** The rows of somebody or of an address from fifteen minutes before to fifteen minutes after, each to be opened. */
export function AroundList({ title, of, around, error, shows, view }: AroundListProps) {
  const range = rangeAround(Date.parse(of.eventDate));
  return (
    <section className="act-around" aria-label={`${title}, 15 minutes around`}>
      <header>
        <h4>
          <span className={shows === 'person' ? 'mono' : undefined}>{title}</span>
          <small>{around && wordsFor(around)}</small>
        </h4>
        <Link to="/activity" search={writeView({ ...DEFAULT_VIEW, ...view, range })}>
          Show in the report
        </Link>
      </header>
      {error !== undefined && <p className="field-error">{error}</p>}
      {!around && error === undefined && <SkeletonRows rows={3} />}
      <ol>
        {around?.rows.map((row) => (
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
