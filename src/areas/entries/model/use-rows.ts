import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { queryRowsByBody } from '../../../api/generated/sdk.gen.ts';
import type { RowQueryRequest } from '../../../api/generated/types.gen.ts';
import { beginRows } from './begin-rows.ts';
import { WINDOW } from './rows.ts';
import type { EntryRows } from './rows.ts';
import { TEXT_LIMIT } from './whole.ts';

/** What is asked for of a type, without the place in the list. */
export type RowQuestion = Pick<RowQueryRequest, 'query' | 'fields' | 'orderBy'>;

/** One call for rows, with the number of all that match. */
export const readRows = async (typeId: number, body: RowQueryRequest, signal?: AbortSignal) =>
  (
    await queryRowsByBody({
      path: { entryTypeId: String(typeId) },
      body: { ...body, wrapIntoArrays: true },
      ...(signal && { signal }),
    })
  ).data;

async function begin(typeId: number, question: RowQuestion, signal: AbortSignal): Promise<EntryRows> {
  const ask = (skip: number, stop: AbortSignal) =>
    readRows(typeId, { ...question, limit: WINDOW, skip, textLimit: TEXT_LIMIT }, stop);
  return (await beginRows(ask, signal)).rows;
}

// Of the page, not of the list in view: who comes back to it finds what was read last.
let newest = 0;

/**
 * The rows of one question. The turn is a part of what is asked: it is drawn together with a schema that was read just
 * before, whereas a refetch would ask once more for fields that are gone.
 */
export const rowsQuery = (typeId: number, question: RowQuestion, turn = newest) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeId, question, turn }],
    queryFn: ({ signal }) => begin(typeId, question, signal),
    gcTime: 60_000,
    structuralSharing: false,
  });

/** The entries that match, read where somebody looks, long texts as far as a cell shows them (isCut); those of the last question stay until the next are there. */
export function useRows(typeId: number, question: RowQuestion, enabled: boolean) {
  const [turn, setTurn] = useState(newest);
  const readAgain = () => {
    newest += 1;
    setTurn(newest);
  };
  const { data, error, dataUpdatedAt, isFetching, isPlaceholderData } = useQuery({
    ...rowsQuery(typeId, question, turn),
    enabled,
    placeholderData: keepPreviousData,
    // Rows must not move under somebody who reads; there is a button that reads anew.
    refetchOnWindowFocus: false,
  });
  const failure = useMemo(() => (error === null ? undefined : toServiceError(error)), [error]);
  return {
    rows: data,
    stale: isPlaceholderData,
    isFetching,
    asOf: dataUpdatedAt,
    error: failure,
    readAgain,
  };
}
