import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { EntryTypeVm, RowVm } from '../../../api/generated/types.gen.ts';
import { dateWords } from '../../../entries/dates.ts';
import type { Field } from '../../../entries/schema.ts';
import { valueIn } from '../../../entries/values.ts';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Moment as MomentText } from '../../../ui/layout/Moment.tsx';
import { useNames } from '../activity/-use-names.ts';
import { readRowAt, touchedQuery } from './-entry-query.ts';
import type { Entry } from './-entry-query.ts';
import { differencesOf, momentsOf, textOf } from './-history.ts';
import type { Moment } from './-history.ts';
import '../../../ui/form/form.css';

interface EntryHistoryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** As many moments as are told with what stood there before: each is a call. */
const MOMENTS = 10;

/** The last change of each field with what it replaced, and the entry as it was at any moment. */
export function EntryHistory({ type, entry, fields }: EntryHistoryProps) {
  const { data, error } = useQuery(touchedQuery(entry.id, fields));
  const moments = useMemo(() => momentsOf(data ?? []).slice(0, MOMENTS), [data]);
  const nameOf = useNames(moments.flatMap(({ by }) => by ?? []));
  const rowsBefore = useQueries({
    queries: moments.map(({ at }) => ({
      queryKey: [{ _id: 'readHistoricalData', entryId: entry.id, before: at }],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await readRowAt(type, entry.id, new Date(Date.parse(at) - 1).toISOString(), signal)) ?? null,
      staleTime: Infinity,
    })),
  });
  return (
    <Card title="History">
      {error && <p className="ent-line field-error">{toServiceError(error).message}</p>}
      {!data && !error && <SkeletonRows rows={3} />}
      {moments.map((moment, at) => (
        <Change
          key={`${moment.at} ${moment.by ?? ''}`}
          {...{ moment, entry, fields }}
          who={moment.by === undefined ? 'a calculation' : nameOf(moment.by)}
          before={rowsBefore[at]?.data}
        />
      ))}
      <AsItWas {...{ type, entry, fields }} />
      <p className="ent-line ent-quiet">
        The interface tells the last change of each field. What was changed before that shows in the values at
        a moment; through which proxy it was done is told in the activity report, not here.
      </p>
    </Card>
  );
}

interface ChangeProps {
  moment: Moment;
  entry: Entry;
  fields: readonly Field[];
  who: string;
  /** Undefined while it is being read; null: the entry was not there yet. */
  before: RowVm | null | undefined;
}

const SHOWN = 12;
const CUT = 200;
const brief = (text: string): string => (text.length > CUT ? `${text.slice(0, CUT)}…` : text);

function Change({ moment, entry, fields, who, before }: ChangeProps) {
  const touched = fields.filter(({ id }) => moment.fieldIds.includes(id));
  const created = before === null;
  return (
    <div className="ent-line">
      <p>
        {created ? 'Created' : 'Changed'} by {who}, <MomentText at={moment.at} />
      </p>
      {!created && (
        <ul>
          {touched.slice(0, SHOWN).map((field) => {
            const was = before ? textOf(valueIn(before, field), field) : undefined;
            const is = textOf(valueIn(entry.row, field), field);
            return (
              <li key={field.id}>
                <strong>{field.name}</strong>{' '}
                {was !== undefined && was !== is && (
                  <>
                    <del>{was === '' ? 'no data' : <bdi>{brief(was)}</bdi>}</del>
                    <span aria-label="became"> → </span>
                  </>
                )}
                {is === '' ? <span className="ent-quiet">no data</span> : <bdi>{brief(is)}</bdi>}
              </li>
            );
          })}
          {touched.length > SHOWN && <li className="ent-quiet">and {touched.length - SHOWN} more fields</li>}
        </ul>
      )}
    </div>
  );
}

/** The entry at a moment of one's choice, as far as it differs from now. */
function AsItWas({ type, entry, fields }: EntryHistoryProps) {
  const [at, setAt] = useState('');
  const fromDate = at === '' ? '' : `${at}:00.000Z`;
  const { data, error, isFetching } = useQuery({
    queryKey: [{ _id: 'readHistoricalData', entryId: entry.id, at: fromDate }],
    queryFn: async ({ signal }) => (await readRowAt(type, entry.id, fromDate, signal)) ?? null,
    enabled: fromDate !== '',
    placeholderData: keepPreviousData,
  });
  const differences = data ? differencesOf(data, entry.row, fields) : [];
  return (
    <div className="ent-line">
      <label className="ent-moment">
        As it was on
        <input
          className="input"
          type="datetime-local"
          value={at}
          onChange={({ target }) => setAt(target.value)}
        />
        UTC
      </label>
      <div aria-live="polite" aria-busy={isFetching}>
        {error && <p className="field-error">{toServiceError(error).message}</p>}
        {fromDate !== '' && data === null && <p>It was not there yet on {dateWords(fromDate, false)} UTC.</p>}
        {fromDate !== '' && data && differences.length === 0 && <p>Its values were the same as now.</p>}
        <ul>
          {differences.map(({ field, before, after }) => (
            <li key={field.id}>
              <strong>{field.name}</strong> {before === '' ? 'no data' : <bdi>{brief(before)}</bdi>}{' '}
              <span className="ent-quiet">now {after === '' ? 'no data' : <bdi>{brief(after)}</bdi>}</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
