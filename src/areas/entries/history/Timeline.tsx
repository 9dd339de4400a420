import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CornerDownRight, FilePlus2, GitMerge, Pencil, Sigma, Trash2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryChange, EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Field } from '../model/schema.ts';
import { differencesOf, goneDifferences, isCaseOnly } from './differences.ts';
import type { Difference } from './differences.ts';
import { Shown } from './Shown.tsx';
import { momentOf } from './moments.ts';
import type { Moments } from './moments.ts';
import { changesQuery } from './timeline.ts';
import { Who } from './Who.tsx';
import './time.css';

interface TimelineProps {
  type: EntryTypeVm;
  entryId: number;
  fields: readonly Field[];
  moments: Moments;
  /** Undefined: the history of another entry, within that of this one. */
  onPick?: ((at: string) => void) | undefined;
}

const ICONS = {
  created: FilePlus2,
  changed: Pencil,
  calculated: Sigma,
  redirected: CornerDownRight,
  tookIn: GitMerge,
  deleted: Trash2,
  merged: GitMerge,
  restored: Undo2,
};

/** Everything that happened to an entry, the newest first; any two moments can be picked and compared. */
export function Timeline({ type, entryId, fields, moments, onPick }: TimelineProps) {
  const answer = useInfiniteQuery(changesQuery(type.id, entryId));
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = answer;
  const changes = useMemo(() => data?.pages.flatMap((page) => page.changes), [data]);
  if (!changes)
    return error ? (
      <p className="ent-line field-error">{toServiceError(error).message}</p>
    ) : (
      <SkeletonRows rows={4} />
    );
  return (
    <>
      <ol className="tm-line">
        {changes.map((change) => (
          <Change
            key={`${change.at} ${change.kind} ${change.entry?.id ?? ''} ${change.by?.id ?? ''}`}
            {...{ type, change, fields }}
            isPicked={moments.includes(momentOf(change))}
            onPick={onPick && (() => onPick(momentOf(change)))}
          />
        ))}
      </ol>
      {error && <p className="ent-line field-error">{toServiceError(error).message}</p>}
      {hasNextPage && (
        <div className="ent-line">
          <Button size="small" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older changes
          </Button>
        </div>
      )}
    </>
  );
}

interface ChangeProps {
  type: EntryTypeVm;
  change: EntryChange;
  fields: readonly Field[];
  isPicked: boolean;
  onPick: (() => void) | undefined;
}

function Change({ type, change, fields, isPicked, onPick }: ChangeProps) {
  const Icon = ICONS[change.kind];
  const names = new Set(change.fields);
  const differences = [
    ...differencesOf(
      change.before,
      change.after,
      fields.filter(({ apiName }) => names.has(apiName)),
    ),
    ...goneDifferences(change.gone, fields),
  ];
  return (
    <li className={`tm-event tm-${change.kind}`}>
      <Icon aria-hidden />
      <div className="tm-what">
        <div className="tm-head">
          <span>
            <Deed change={change} fields={differences.length} />, <Moment at={change.at} />
          </span>
          {onPick && (
            <Button size="small" variant="quiet" aria-pressed={isPicked} onClick={onPick}>
              {isPicked ? 'Picked' : 'Compare'}
            </Button>
          )}
        </div>
        {differences.length > 0 && <Differences differences={differences} />}
        {change.kind === 'tookIn' && change.entry && <Before {...{ type, fields }} entry={change.entry} />}
      </div>
    </li>
  );
}

/** What had happened to an entry before it went into this one. */
function Before({
  type,
  fields,
  entry,
}: Pick<TimelineProps, 'type' | 'fields'> & { entry: NonNullable<EntryChange['entry']> }) {
  const [isOpen, setOpen] = useState(false);
  const name = entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name;
  return (
    <div className="tm-before">
      <Button size="small" variant="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Hide' : 'Show'} the history of {name}
      </Button>
      {isOpen && <Timeline {...{ type, fields }} entryId={entry.id} moments={NO_MOMENTS} />}
    </div>
  );
}

const NO_MOMENTS: Moments = [];

/** What was done, as a clause. */
function Deed({ change, fields }: { change: EntryChange; fields: number }) {
  const { kind, by, proxy, entry } = change;
  const who = <Who {...(by && { by })} {...(proxy && { proxy })} />;
  const other = entry && (
    <Link to="/entries/$type/$entryId" params={{ type: String(entry.entryListId), entryId: entry.id }}>
      <bdi>{entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name}</bdi>
    </Link>
  );
  if (kind === 'created') return <>{who} created it</>;
  if (kind === 'deleted') return <>{who} deleted it</>;
  if (kind === 'restored') return <>{who} brought it back</>;
  if (kind === 'merged')
    return (
      <>
        {who} merged it into {other}
      </>
    );
  if (kind === 'tookIn')
    return (
      <>
        {who} merged {other} into it
      </>
    );
  if (kind === 'calculated') return <>Calculated anew</>;
  if (kind === 'redirected') return <>{who} took away what it referred to</>;
  return (
    <>
      {who} changed {fields === 0 ? 'a field that is gone since' : counted(fields, 'field', 'fields')}
    </>
  );
}

function Differences({ differences }: { differences: readonly Difference[] }) {
  return (
    <dl className="tm-diffs">
      {differences.map((difference) => (
        <div key={difference.field.id}>
          <dt>
            {difference.field.name}
            {difference.isGone === true && <Badge>field deleted since</Badge>}
            {isCaseOnly(difference) && <Badge>case of letters</Badge>}
          </dt>
          <dd>
            <del>
              <Shown value={difference.before} field={difference.field} />
            </del>
            <span className="tm-arrow" aria-label="became">
              →
            </span>
            <ins>
              <Shown value={difference.after} field={difference.field} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
