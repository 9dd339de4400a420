import { getRouteApi, Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ChangesOfUser } from './ChangesOfUser.tsx';
import { WHOLE_VIEW, writeView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { clockTime } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { serverNow } from '../model/clock.ts';
import { COLUMNS } from './columns.tsx';
import { useActivity } from '../model/data.ts';
import { questionOf } from '../model/question.ts';
import { boundsOf } from '../model/range.ts';
import { activityId, rowLabel } from '../model/row.ts';
import { readerZone } from '../../../lib/site-zone.ts';
import './user-activity.css';

const route = getRouteApi('/_app/users/$userId/activity');

const SIDES = [
  { value: 'by', label: 'By them' },
  { value: 'to', label: 'To them' },
  { value: 'proxy', label: 'As their proxy' },
] as const;
export type Side = (typeof SIDES)[number]['value'];

const WORDS: Readonly<Record<Side, string>> = {
  by: 'What this person did in the last 90 days, for themselves or for somebody else.',
  to: 'What was changed on this person, by whom, with its values before and after.',
  proxy: 'What proxies did for this person in the last 90 days.',
};

/** What somebody did, what was done to them, and what was done in their name. */
export function UserActivityTab() {
  const { userId } = route.useParams();
  const { view: side = 'by' } = route.useSearch();
  const navigate = route.useNavigate();
  const { allowed, reason } = useAllowed('queryUserActivity');
  if (!allowed) return <Banner title="You may not see activity">{reason}.</Banner>;
  const view: ActivityView = {
    ...WHOLE_VIEW,
    ...(side === 'proxy' ? { principals: [userId] } : { people: [userId] }),
  };
  return (
    <div className="user-act">
      <header className="user-act-head">
        <Choice
          label="Which activity"
          options={SIDES}
          value={side}
          onChange={(next) =>
            void navigate({ search: next === 'by' ? {} : { view: next }, resetScroll: false })
          }
        />
        <p>{WORDS[side]}</p>
        {side !== 'to' && (
          <Link to="/activity" search={writeView(view)}>
            Open in the full report
          </Link>
        )}
      </header>
      {side === 'to' ? <ChangesOfUser userId={userId} /> : <RowsOfUser key={side} {...{ side, view }} />}
    </div>
  );
}

const EMPTY = {
  by: 'Sign-ins, sign-outs and exports of this person are told here for 90 days.',
  proxy: 'Whoever is assigned as a proxy can act for this person, and what they do is told here for 90 days.',
};

/** The rows of the report that are about somebody, as far as it reaches. */
function RowsOfUser({ side, view }: { side: 'by' | 'proxy'; view: ActivityView }) {
  const client = useQueryClient();
  const [now, setNow] = useState(() => serverNow(client));
  // The same filters are the same question, however the view came about.
  const key = JSON.stringify(view);
  // oxlint-disable-next-line react/exhaustive-deps
  const question = useMemo(() => questionOf(view, boundsOf(view.range, now, readerZone()), now), [key, now]);
  const { rows, stale, isFetching, error, refetch } = useActivity(question);
  return (
    <DataTable
      label={side === 'by' ? 'By them' : 'As their proxy'}
      columns={COLUMNS}
      rows={rows}
      rowId={activityId}
      rowLabel={rowLabel}
      refetching={stale || (isFetching && error !== undefined)}
      error={error}
      onRetry={refetch}
      empty={
        <EmptyState
          icon={Activity}
          title={side === 'by' ? 'Nothing in the last 90 days' : 'No proxy did anything in the last 90 days'}
        >
          {EMPTY[side]}
        </EmptyState>
      }
      footer={
        rows && (
          <>
            <span>
              {counted(rows.length, 'row', 'rows')} · as of {clockTime(now)}
            </span>
            <Button size="small" pending={isFetching} onClick={() => setNow(serverNow(client))}>
              Read again
            </Button>
          </>
        )
      }
    />
  );
}
