import type { useRouter } from '@tanstack/react-router';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { toast } from '../../../ui/toast.ts';
import { loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';
import type { EntriesExportRequest } from './entries-export.ts';

interface ReportRange {
  rows: EntryRows;
  top: number;
  bottom: number;
}

/** Most entries that a report can name one by one (contract, ReportRunRequest). */
const MAX_SELECTED_ENTRIES = 1000;

/** Opens the page that generates a report of the selected rows, or of all that match. */
export async function openReport(
  router: Pick<ReturnType<typeof useRouter>, 'navigate'>,
  type: string,
  { query, filter }: Pick<EntriesExportRequest, 'query' | 'filter'>,
  range: ReportRange | undefined,
): Promise<void> {
  try {
    const ids = range && (await loadIds(range));
    const search = ids
      ? { type, ids: ids.join('-') }
      : { type, filter, query: query.query, orderBy: query.orderBy, asOf: query.asOf };
    await router.navigate({ to: '/reports/generate', search });
  } catch (thrown) {
    const { message: description } = toServiceError(thrown);
    toast({ title: 'The selected rows cannot be reported', description, tone: 'bad' });
  }
}

/** @throws Error for too many rows; ServiceError */
async function loadIds({ rows, top, bottom }: ReportRange): Promise<number[]> {
  if (bottom - top >= MAX_SELECTED_ENTRIES)
    throw new Error(`Select at most ${formatNumber(MAX_SELECTED_ENTRIES)} rows, or use a filter for more`);
  const loaded = await loadFullRange(rows, top, bottom, []);
  return loaded.map(({ EntryId }) => EntryId);
}
