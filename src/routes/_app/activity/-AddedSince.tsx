import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { InvestigationVm } from '../../../api/generated/types.gen.ts';
import { clockTime } from '../../../lib/dates.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { serverNow } from './-clock.ts';
import { COLUMNS } from './-columns.tsx';
import { comparisonQuery } from './-investigations.ts';
import type { Comparison } from './-investigations.ts';
import { activityId, rowLabel } from './-row.ts';

function wordsFor({ added, ofNewest, beyond }: Comparison): string {
  return [
    `${counted(added.length, 'row matches', 'rows match')} now and did not then`,
    ...(ofNewest === undefined ? [] : [`the newest ${count(ofNewest)} were compared`]),
    ...(beyond === 0 ? [] : [`${counted(beyond, 'row', 'rows')} of then the report no longer reaches`]),
  ].join(' · ');
}

/** What matches an investigation now and did not when its rows were kept. */
export function AddedSince({ info, rows }: InvestigationVm) {
  const client = useQueryClient();
  const [now, setNow] = useState(() => serverNow(client));
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(info, rows, now));
  return (
    <DataTable
      label="Added since"
      columns={COLUMNS}
      rows={data?.added}
      rowId={activityId}
      rowLabel={rowLabel}
      error={error === null ? undefined : toServiceError(error)}
      refetching={isFetching}
      onRetry={() => void refetch()}
      empty={
        <EmptyState title="Nothing was added">
          What matches now is what matched when the rows were kept
          {info.query.dateTo === undefined ? '.' : ': its period was over by then.'}
        </EmptyState>
      }
      footer={
        data && (
          <>
            <span>
              {wordsFor(data)} · as of {clockTime(now)}
            </span>
            <Button size="small" pending={isFetching} onClick={() => setNow(serverNow(client))}>
              Compare again
            </Button>
          </>
        )
      }
    />
  );
}
