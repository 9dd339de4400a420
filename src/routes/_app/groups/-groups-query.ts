import { queryOptions } from '@tanstack/react-query';
import { listGroupsQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { listGroups } from '../../../api/generated/sdk.gen.ts';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';

const PAGE = 1000;

/** Every group of the site by name: pages in order until one is not full, for lists carry no totals (shapes 1). */
export const groupsQuery = queryOptions({
  queryKey: [{ ...listGroupsQueryKey()[0], all: true }],
  async queryFn({ signal }) {
    const groups: GroupInfoResponse[] = [];
    for (let pageNumber = 1; ; pageNumber += 1) {
      // Each page is asked for only when the one before it says that there is more.
      // oxlint-disable-next-line no-await-in-loop
      const { data } = await listGroups({ signal, query: { pageNumber, pageSize: PAGE } });
      groups.push(...data);
      if (data.length < PAGE) return groups.toSorted(byName);
    }
  },
});

const collator = new Intl.Collator(undefined, { numeric: true });

/** The order of groups wherever nothing else is asked for. */
export const byName = (a: { name: string }, b: { name: string }): number => collator.compare(a.name, b.name);
