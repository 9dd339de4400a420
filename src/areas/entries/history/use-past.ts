import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { queryRowsAsOf } from '../../../api/generated/sdk.gen.ts';
import type { RowsAsOfRequest, RowVm } from '../../../api/generated/types.gen.ts';
import type { PastMarks, RowMark } from '../grid/marks.ts';
import { beginRows } from '../model/begin-rows.ts';
import { WINDOW } from '../model/rows.ts';
import type { EntryRows } from '../model/rows.ts';
import type { Field } from '../model/schema.ts';
import type { RowQuestion } from '../model/use-rows.ts';
import { TEXT_LIMIT, isCut, readWholeBy } from '../model/whole.ts';
import { markFrom } from './marks.ts';
import type { PastView } from './past-view.ts';

export type PastQuestion = RowQuestion & Pick<RowsAsOfRequest, 'asOf' | 'only' | 'withAdded'>;

/** A list as it was, read by windows, and how it is different today. */
export interface PastList {
  rows: EntryRows;
  marks: PastMarks;
  counts: { added: number; removed: number; changed: number };
}

const ENTRY_ID = 'EntryId';
// A text has a million characters at most, an answer 32 MiB.
const AT_ONCE = 8;

/** One call for rows as they were. @throws ServiceError */
export const readPastRows = async (typeId: number, body: RowsAsOfRequest, signal?: AbortSignal) =>
  (
    await queryRowsAsOf({
      path: { entryTypeId: String(typeId) },
      body: { ...body, wrapIntoArrays: true },
      ...(signal && { signal }),
    })
  ).data;

async function begin(typeId: number, question: PastQuestion, signal: AbortSignal): Promise<PastList> {
  const known = new WeakMap<RowVm, RowMark>();
  // What was added since is shown as it is, and its texts are those of today.
  const whole = async (those: readonly RowVm[], fields: readonly Field[], stop?: AbortSignal) => {
    const cut = those.filter((row) => fields.some((field) => isCut(row, field)));
    const byId = new Map<number, RowVm>();
    const names = fields.map(({ apiName }) => apiName);
    for (let at = 0; at < cut.length; at += AT_ONCE) {
      const query = { [ENTRY_ID]: { $in: cut.slice(at, at + AT_ONCE).map(({ EntryId }) => EntryId) } };
      const asked = { asOf: question.asOf, query, fields: names, limit: AT_ONCE, withAdded: true };
      // oxlint-disable-next-line no-await-in-loop -- one answer after the other: each may be large
      const read = await readPastRows(typeId, asked, stop);
      for (const row of read.rows) byId.set(row.EntryId, row);
    }
    return those.map((row) => {
      const found = byId.get(row.EntryId);
      return found
        ? { ...row, ...found, $cut: row.$cut?.filter((name) => !names.includes(name)) ?? [] }
        : row;
    });
  };
  const ask = async (skip: number, stop: AbortSignal) => {
    const answer = await readPastRows(
      typeId,
      { ...question, limit: WINDOW, skip, textLimit: TEXT_LIMIT },
      stop,
    );
    const differences = new Map(answer.differences.map((each) => [each.entryId, each]));
    for (const row of answer.rows) {
      const difference = differences.get(row.EntryId);
      if (difference) known.set(row, markFrom(difference));
    }
    readWholeBy(answer.rows, whole);
    return answer;
  };
  const { rows, first } = await beginRows(ask, signal);
  const { added, removed, changed } = first;
  return {
    rows,
    marks: { at: question.asOf, markOf: (row) => known.get(row) },
    counts: { added, removed, changed },
  };
}

/** The entries as they were, read where somebody looks; those of the last question stay until the next are there. */
export function usePast(
  typeId: number,
  question: RowQuestion,
  { asOf = '', only, withAdded }: Pick<PastView, 'asOf' | 'only' | 'withAdded'>,
  enabled: boolean,
) {
  const asked = { ...question, asOf, ...(only && { only }), ...(withAdded && { withAdded }) };
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryRowsAsOf', typeId, asked }],
    queryFn: ({ signal }) => begin(typeId, asked, signal),
    enabled: enabled && asOf !== '',
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    structuralSharing: false,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return {
    list: data,
    question: asked,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    stale: isPlaceholderData,
    refetch: () => void refetch(),
  };
}
