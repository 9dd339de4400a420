import { useQuery } from '@tanstack/react-query';
import { listViewsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SavedView } from '../../../api/generated/types.gen.ts';
import { can, useSession } from '../../../api/session.ts';

const NONE: readonly SavedView[] = [];

/** The saved views of a type that this person sees; undefined until they are known. */
export function useViews(typeId: number) {
  const { data, error } = useQuery(listViewsOptions({ path: { entryTypeId: String(typeId) } }));
  return { views: data ?? NONE, known: data !== undefined, error };
}

/** What this person may do with views, with the sentence where they may not (contract, createView and updateView). */
export function useViewRights() {
  const session = useSession();
  const me = session.acting ? session.acting.principal.id : session.user.id;
  const schema = can(session, ['Manage Schema']);
  const share = can(session, ['Write Data', 'Manage Schema']);
  return {
    isMine: ({ ownerId }: SavedView) => ownerId === me,
    whyNotShare: share ? undefined : 'Needs one of the capabilities Write Data or Manage Schema',
    whyNotChange: ({ ownerId }: SavedView) =>
      ownerId === me || schema
        ? undefined
        : 'Somebody else shares it: changing it needs the capability Manage Schema',
  };
}
