import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { findPeople, useDirectory } from './directory.ts';

/** People whose name, e-mail or id matches the text, the best first; nobody for a blank text. */
export function useFoundPeople(text: string, maxResults: number) {
  const query = useDeferredValue(text.trim());
  const { version } = useDirectory();
  const { data: people = [] } = useQuery({
    queryKey: ['people', query, version, maxResults],
    queryFn: () => findPeople(query, maxResults),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  return { query, people };
}
