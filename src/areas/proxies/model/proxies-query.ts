import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { listProxiesQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { listProxies } from '../../../api/generated/sdk.gen.ts';
import { usePeople } from '../../../directory/directory.ts';
import { everyPage } from '../../../directory/pages.ts';
import { delegationsOf } from './delegations.ts';
import type { Delegations, States } from './delegations.ts';

/** Every assignment of the site. */
export const proxiesQuery = queryOptions({
  queryKey: [{ ...listProxiesQueryKey()[0], all: true }],
  queryFn: async ({ signal }) => delegationsOf(await everyPage((query) => listProxies({ signal, query }))),
  // Maps are compared by nobody; the answer as a whole is new or it is not.
  structuralSharing: false,
});

const NOBODY: readonly number[] = [];

/** Everything assigned on the site, with what the directory knows of the people in it. */
export function useDelegations(): {
  delegations: Delegations | undefined;
  states: States;
  error: ReturnType<typeof toServiceError> | undefined;
  isFetching: boolean;
  refetch: () => void;
} {
  const { data, error, isFetching, refetch } = useQuery(proxiesQuery);
  const ids = useMemo(() => (data ? [...data.people.keys()] : NOBODY), [data]);
  const states = usePeople(ids);
  return {
    delegations: data,
    states,
    error: error === null ? undefined : toServiceError(error),
    isFetching,
    refetch: () => void refetch(),
  };
}
