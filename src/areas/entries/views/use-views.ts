import { useQuery } from '@tanstack/react-query';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { listViewsOptions } from '../../../api/generated/queries/views.gen.ts';
import { useViewRights } from '../../../app/views/view-rights.ts';

const NO_VIEWS: readonly SavedView[] = [];

/** The saved views of a type that the user can see; empty until `isLoaded`. */
export function useViews(typeId: number) {
  const { data, error } = useQuery(listViewsOptions({ path: { entryTypeId: String(typeId) } }));
  return { views: data ?? NO_VIEWS, isLoaded: data !== undefined, error };
}

/** Permissions of the user on saved views, with the reason if denied (contract, createView and updateView). */
export const useEntryViewRights = () => useViewRights(['Write Data', 'Manage Schema'], 'Manage Schema');
