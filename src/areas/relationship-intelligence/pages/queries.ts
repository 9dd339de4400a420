import { queryOptions } from '@tanstack/react-query';
import { withEtag } from '../../../api/etag.ts';
import {
  getImportBudgetOptions,
  getImportSettingsOptions,
  getImportStatusOptions,
  getRelationshipSettingsQueryKey,
} from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { getRelationshipSettings } from '../../../api/generated/sdk/relationship-intelligence.gen.ts';

/** Preconditions, limits and the close of the month, as every importer may read them. */
export const importSettingsQuery = { ...getImportSettingsOptions(), staleTime: 10_000 };

/** Enabled users with their last imports. */
export const importStatusQuery = { ...getImportStatusOptions(), staleTime: 10_000 };

const BUDGET_INTERVAL_MS = 5_000;

/** The shared limit; reading it does not count to it. */
export const budgetQuery = {
  ...getImportBudgetOptions(),
  staleTime: 0,
  refetchInterval: BUDGET_INTERVAL_MS,
};

/** Settings with their entity tag, for those who may change them. */
export const relationshipSettingsQuery = queryOptions({
  queryKey: [{ ...getRelationshipSettingsQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await getRelationshipSettings({ signal })),
});
