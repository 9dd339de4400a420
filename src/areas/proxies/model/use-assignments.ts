import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { listProxiesQueryKey } from '../../../api/generated/queries/proxies.gen.ts';
import { listProxies } from '../../../api/generated/sdk/proxies.gen.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import { readAllPages } from '../../../directory/read-all-pages.ts';
import { buildAssignments } from './assignments.ts';
import type { Assignments, PersonStates } from './assignments.ts';

/** Loads all assignments of the site. */
export const proxiesQuery = queryOptions({
  queryKey: [{ ...listProxiesQueryKey()[0], all: true }],
  queryFn: async ({ signal }) =>
    buildAssignments(await readAllPages((query) => listProxies({ signal, query }))),
  // Structural sharing does not compare maps.
  structuralSharing: false,
});

const NO_IDS: readonly number[] = [];

/** All assignments of the site, with the state of the people involved from the directory. */
export function useAssignments(): {
  assignments: Assignments | undefined;
  states: PersonStates;
  error: ReturnType<typeof toServiceError> | undefined;
  isFetching: boolean;
  dataUpdatedAt: number;
  refetch: () => void;
} {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery(proxiesQuery);
  const ids = useMemo(() => (data ? [...data.people.keys()] : NO_IDS), [data]);
  const states = usePeopleById(ids);
  return {
    assignments: data,
    states,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    dataUpdatedAt,
    refetch: () => void refetch(),
  };
}
