import { createContext, useContext, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { GroupInfoResponse, InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { usePeopleById } from '../../../directory/directory.ts';

const NO_PEOPLE: ReadonlyMap<number, { name: string }> = new Map();
const NO_ROWS: readonly InvitationInfoResponse[] = [];

/** Names for the cells: invitations contain only ids. */
export interface NameLookup {
  people: ReadonlyMap<number, { name: string }>;
  groups: ReadonlyMap<number, string>;
}

const NamesContext = createContext<NameLookup>({ people: NO_PEOPLE, groups: new Map() });

/** Users who accepted, and the groups of the site. */
export function useNameLookup(
  invitations: readonly InvitationInfoResponse[] = NO_ROWS,
  groups: readonly GroupInfoResponse[],
): NameLookup {
  const ids = useMemo(() => [...new Set(invitations.flatMap(({ userId }) => userId ?? []))], [invitations]);
  const people = usePeopleById(ids);
  return useMemo(
    () => ({ people, groups: new Map(groups.map(({ id, name }) => [id, name])) }),
    [people, groups],
  );
}

/** Provides the names to the cells. */
export function NameLookupProvider({ names, children }: { names: NameLookup; children: ReactNode }) {
  return <NamesContext value={names}>{children}</NamesContext>;
}

/** Groups of an invitation: the first by name, the others in the tooltip. */
export function GroupList({ ids }: { ids: readonly number[] }) {
  const { groups } = useContext(NamesContext);
  const [first, ...others] = ids.map((id) => groups.get(id) ?? `Group ${id}`);
  if (first === undefined) return <span className="person-none">—</span>;
  return (
    <span className="inv-groups" title={[first, ...others].join(', ')}>
      <span>{first}</span>
      {others.length > 0 && <small> +{others.length}</small>}
    </span>
  );
}

export const usePersonName = (userId: number): string =>
  useContext(NamesContext).people.get(userId)?.name ?? `User ${userId}`;
