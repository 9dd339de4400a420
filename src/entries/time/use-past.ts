import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../api/errors.ts';
import { queryRowsAsOf } from '../../api/generated/sdk.gen.ts';
import type { PastDifference } from '../../api/generated/types.gen.ts';
import type { RowQuestion } from '../use-rows.ts';
import { PAGE } from './past-view.ts';
import type { PastView } from './past-view.ts';

type Asked = Pick<PastView, 'asOf' | 'only' | 'page'>;

/** A page of a list as it was; the one before stays until the next is there. */
export function usePast(
  typeId: number,
  question: RowQuestion,
  { asOf, only, page }: Asked,
  enabled: boolean,
) {
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: [{ _id: 'queryRowsAsOf', typeId, question, asOf, only, page }],
    queryFn: async ({ signal }) =>
      (
        await queryRowsAsOf({
          path: { entryTypeId: String(typeId) },
          body: {
            ...question,
            asOf: asOf ?? '',
            ...(only && { only }),
            limit: PAGE,
            skip: (page - 1) * PAGE,
            wrapIntoArrays: true,
          },
          signal,
        })
      ).data,
    enabled: enabled && asOf !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const differences = useMemo(
    () => new Map<number, PastDifference>(data?.differences.map((each) => [each.entryId, each])),
    [data],
  );
  return {
    past: data,
    differences,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    stale: isPlaceholderData,
    refetch: () => void refetch(),
  };
}
