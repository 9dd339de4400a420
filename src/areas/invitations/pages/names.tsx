import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { GroupInfoResponse, InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { directoryQuery, useDirectory, usePeople } from '../../../directory/directory.ts';

const NOBODY: ReadonlyMap<number, { name: string }> = new Map();
const NO_ROWS: readonly InvitationInfoResponse[] = [];

/** What the cells of the list look up: an invitation holds ids alone. */
export interface Names {
  people: ReadonlyMap<number, { name: string }>;
  groups: ReadonlyMap<number, string>;
}

const NamesContext = createContext<Names>({ people: NOBODY, groups: new Map() });

/** Whoever accepted one of these, and the groups of the site. */
export function useNames(
  invitations: readonly InvitationInfoResponse[] = NO_ROWS,
  groups: readonly GroupInfoResponse[],
): Names {
  const ids = useMemo(() => [...new Set(invitations.flatMap(({ userId }) => userId ?? []))], [invitations]);
  const people = usePeople(ids);
  const client = useQueryClient();
  const { complete } = useDirectory();
  // Whoever has just accepted is not in the copy of the site's users yet.
  const missing = complete ? ids.filter((id) => !people.has(id)).join() : '';
  useEffect(() => {
    if (missing !== '') void client.invalidateQueries({ queryKey: directoryQuery.queryKey });
  }, [missing, client]);
  return useMemo(
    () => ({ people, groups: new Map(groups.map(({ id, name }) => [id, name])) }),
    [people, groups],
  );
}

/** Tells the cells under it what people and groups are called. */
export function NamesOf({ names, children }: { names: Names; children: ReactNode }) {
  return <NamesContext value={names}>{children}</NamesContext>;
}

/** The groups of an invitation: the first by name, the others in the hover. */
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
