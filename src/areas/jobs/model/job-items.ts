import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Job, JobItem, JobItemState, JobReason } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listJobItemsQueryKey } from '../../../api/generated/queries/jobs.gen.ts';
import { listJobItems } from '../../../api/generated/sdk/jobs.gen.ts';
import { createPagedRows } from '../../../ui/table/paged-rows.ts';
import type { PagedRows } from '../../../ui/table/paged-rows.ts';
import { getProcessed, isActive } from './progress.ts';
import type { JobView } from './view.ts';

const PAGE_SIZE = 100;
/** Largest page of the service; a search shows no more. */
export const MAX_FOUND = 1000;
const REFRESH_INTERVAL_MS = 2_000;

/** Number of items in a state. */
export function countByState(job: Job, state: JobItemState | 'all'): number {
  if (state === 'all') return job.total;
  if (state === 'open') return job.total - getProcessed(job);
  return state === 'conflict' ? job.conflicts : job[state];
}

/** Number of items of a view; undefined for a search, whose number the service does not tell. */
function countItems(
  job: Job,
  { state, reason, q }: JobView,
  reasons: readonly JobReason[],
): number | undefined {
  if (q !== '') return undefined;
  if (reason === '') return countByState(job, state);
  return reasons
    .filter((one) => one.reason === reason && (state === 'all' || one.state === state))
    .reduce((sum, { count }) => sum + count, 0);
}

/**
 * Items of a view, read page by page as they come into view. While the job runs they are read again; those on screen stay
 * until then.
 */
export function useJobItems(job: Job, view: JobView, reasons: readonly JobReason[]) {
  const { id } = job;
  const { state, reason, q } = view;
  const query = useMemo(
    () => ({
      ...(state !== 'all' && { state }),
      ...(reason !== '' && { reason }),
      ...(q !== '' && { search: q }),
    }),
    [state, reason, q],
  );
  const pageSize = q === '' ? PAGE_SIZE : MAX_FOUND;
  const { data, error, isFetching, refetch, isPlaceholderData } = useQuery({
    queryKey: [{ ...listJobItemsQueryKey({ path: { jobId: id }, query })[0], pageSize }],
    queryFn: async ({ signal }) =>
      (await listJobItems({ signal, path: { jobId: id }, query: { ...query, pageNumber: 1, pageSize } }))
        .data,
    staleTime: 0,
    refetchInterval: isActive(job) ? REFRESH_INTERVAL_MS : false,
    placeholderData: keepPreviousData,
  });
  const length = countItems(job, view, reasons);
  const [pages] = useState(() => new Map<object, PagedRows<JobItem>>());
  const rows = useMemo(() => {
    if (!data || length === undefined) return data;
    const source = createPagedRows<JobItem>({
      // The counts may be older or newer than the page.
      length: data.length < PAGE_SIZE ? data.length : Math.max(data.length, length),
      pageSize: PAGE_SIZE,
      firstPage: data,
      loadPage: async (pageNumber) =>
        (
          await listJobItems({
            path: { jobId: id },
            query: { ...query, pageNumber, pageSize: PAGE_SIZE },
          })
        ).data,
      stalePages: pages.get(query)?.getPages(),
    });
    pages.clear();
    pages.set(query, source);
    return source;
  }, [data, length, id, query, pages]);
  return {
    rows,
    isDimmed: isPlaceholderData,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    refetch: () => void refetch(),
  };
}
