import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CornerDownRight, FilePlus2, GitMerge, Pencil, Sigma, Trash2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { EntryChange, EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { addDays, isPast } from '../../../lib/dates/dates.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Field } from '../model/schema.ts';
import { ActorName } from './ActorName.tsx';
import { findDifferences, toDeletedFieldDifferences, isCaseOnly } from './differences.ts';
import type { Difference } from './differences.ts';
import { entryChangesQuery } from './history-queries.ts';
import { getChangeTimestamp } from './timestamps.ts';
import type { Timestamps } from './timestamps.ts';
import { ValueExcerpt } from './ValueExcerpt.tsx';
import './history.css';

interface TimelineProps {
  type: EntryTypeVm;
  entryId: number;
  fields: readonly Field[];
  timestamps: Timestamps;
  /** Shows only changes that a proxy made on behalf of somebody. */
  onlyProxy: boolean;
  /** Selects a change for comparison; undefined for the nested history of a merged entry. */
  onToggle?: ((change: EntryChange, isNewest: boolean) => void) | undefined;
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

/** The changes of an entry, newest first; up to two can be selected for comparison. */
export function Timeline({ type, entryId, fields, timestamps, onlyProxy, onToggle }: TimelineProps) {
  const result = useInfiniteQuery(entryChangesQuery(type.id, entryId, onlyProxy));
  const { data, error, isFetchingNextPage, hasNextPage, fetchNextPage } = result;
  const changes = useMemo(() => data?.pages.flatMap((page) => page.changes), [data]);
  if (!changes)
    return error ? (
      <p className="ent-line field-error">{toServiceError(error).message}</p>
    ) : (
      <SkeletonRows rows={4} />
    );
  return (
    <>
      {changes.length === 0 && <p className="ent-line">No proxy has changed this entry.</p>}
      <ol className="tm-line">
        {changes.map((change, index) => (
          <TimelineItem
            key={`${change.at} ${change.kind} ${change.entry?.id ?? ''} ${change.by?.id ?? ''}`}
            {...{ type, change, fields, entryId, onlyProxy }}
            isSelected={timestamps.includes(getChangeTimestamp(change))}
            onToggle={onToggle && (() => onToggle(change, index === 0))}
          />
        ))}
      </ol>
      {error && <p className="ent-line field-error">{toServiceError(error).message}</p>}
      {hasNextPage && (
        <div className="ent-line">
          <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older changes
          </ShowMoreButton>
        </div>
      )}
    </>
  );
}

/** Days for which the messages of changes are kept (shapes 7). */
const MESSAGE_DAYS = 9;

/** Link to the message that published a change, while it is kept. */
function MessageLink({ at, entryId }: { at: string; entryId: number }) {
  const { allowed } = usePermission('listTopicEvents');
  if (!allowed || isPast(addDays(MESSAGE_DAYS, at))) return null;
  return (
    <>
      {' · '}
      <Link to="/publications/message" search={{ topic: 'default-data', at, entity: entryId }}>
        Message
      </Link>
    </>
  );
}

interface TimelineItemProps {
  type: EntryTypeVm;
  entryId: number;
  change: EntryChange;
  fields: readonly Field[];
  isSelected: boolean;
  onlyProxy: boolean;
  onToggle: (() => void) | undefined;
}

function TimelineItem({ type, entryId, change, fields, isSelected, onlyProxy, onToggle }: TimelineItemProps) {
  const Icon = ICONS[change.kind];
  const names = new Set(change.fields);
  const differences = [
    ...findDifferences(
      change.before,
      change.after,
      fields.filter(({ apiName }) => names.has(apiName)),
    ),
    ...toDeletedFieldDifferences(change.gone, fields),
  ];
  return (
    <li className={`tm-event tm-${change.kind}`}>
      <Icon aria-hidden />
      <div className="tm-what">
        <div className="tm-head">
          <span>
            <ChangeSummary change={change} fields={differences.length} />, <Timestamp at={change.at} />
            <MessageLink at={change.at} entryId={entryId} />
          </span>
          {onToggle && (
            <Button size="small" variant="quiet" aria-pressed={isSelected} onClick={onToggle}>
              {isSelected ? 'Selected' : 'Compare'}
            </Button>
          )}
        </div>
        {differences.length > 0 && <DifferenceList differences={differences} />}
        {change.kind === 'tookIn' && change.entry && (
          <MergedHistory {...{ type, fields, onlyProxy }} entry={change.entry} />
        )}
      </div>
    </li>
  );
}

/** The history of an entry before it was merged into this one. */
function MergedHistory({
  type,
  fields,
  onlyProxy,
  entry,
}: Pick<TimelineProps, 'type' | 'fields' | 'onlyProxy'> & { entry: NonNullable<EntryChange['entry']> }) {
  const [isExpanded, setIsExpanded] = useState(false);
  const name = entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name;
  return (
    <div className="tm-before">
      <Button
        size="small"
        variant="quiet"
        aria-expanded={isExpanded}
        onClick={() => setIsExpanded(!isExpanded)}
      >
        {isExpanded ? 'Hide' : 'Show'} the history of {name}
      </Button>
      {isExpanded && (
        <Timeline {...{ type, fields, onlyProxy }} entryId={entry.id} timestamps={NO_TIMESTAMPS} />
      )}
    </div>
  );
}

const NO_TIMESTAMPS: Timestamps = [];

/** Summary of a change, such as "Ada changed 2 fields". */
function ChangeSummary({ change, fields }: { change: EntryChange; fields: number }) {
  const { kind, by, proxy, entry } = change;
  const actor = <ActorName {...(by && { by })} {...(proxy && { proxy })} />;
  const otherEntry = entry && (
    <Link to="/entries/$type/$entryId" params={{ type: String(entry.entryListId), entryId: entry.id }}>
      <bdi>{entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name}</bdi>
    </Link>
  );
  if (kind === 'created') return <>{actor} created it</>;
  if (kind === 'deleted') return <>{actor} deleted it</>;
  if (kind === 'restored') return <>{actor} restored it</>;
  if (kind === 'merged')
    return (
      <>
        {actor} merged it into {otherEntry}
      </>
    );
  if (kind === 'tookIn')
    return (
      <>
        {actor} merged {otherEntry} into it
      </>
    );
  if (kind === 'calculated') return <>Recalculated</>;
  if (kind === 'redirected') return <>{actor} deleted an entry it referred to</>;
  return (
    <>
      {actor} changed {fields === 0 ? 'a field deleted since' : pluralize(fields, 'field', 'fields')}
    </>
  );
}

function DifferenceList({ differences }: { differences: readonly Difference[] }) {
  return (
    <dl className="tm-diffs">
      {differences.map((difference) => (
        <div key={difference.field.id}>
          <dt>
            {difference.field.name}
            {difference.isFieldDeleted === true && <Badge>field deleted since</Badge>}
            {isCaseOnly(difference) && <Badge>only case differs</Badge>}
          </dt>
          <dd>
            <del>
              <ValueExcerpt value={difference.before} field={difference.field} />
            </del>
            <span className="tm-arrow" aria-label="changed to">
              →
            </span>
            <ins>
              <ValueExcerpt value={difference.after} field={difference.field} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
