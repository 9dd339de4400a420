import { useQueryClient } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import { useMemo, useState } from 'react';
import { clockTime } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { serverNow } from './-clock.ts';
import { COLUMNS } from './-columns.tsx';
import { useActivity } from './-data.ts';
import { questionOf } from './-question.ts';
import { boundsOf } from './-range.ts';
import { activityId, rowLabel } from './-row.ts';
import type { ActivityView } from './-view.ts';
import { readerZone } from './-zone.ts';

const EMPTY = {
  by: 'Sign-ins, sign-outs and exports of this person are told here for 90 days.',
  proxy: 'Whoever is assigned as a proxy can act for this person, and what they do is told here for 90 days.',
};

/** The rows of the report that are about somebody, as far as it reaches. */
export function RowsOfUser({ side, view }: { side: 'by' | 'proxy'; view: ActivityView }) {
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
