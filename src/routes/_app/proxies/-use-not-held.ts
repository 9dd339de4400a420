import { useMemo } from 'react';
import { useSession } from '../../../api/session.ts';
import { lackingFor } from '../../../directory/groups.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { useGroupCapabilities } from '../users/-group-capabilities.ts';
import { passedOn } from './-reach.ts';

/** Why nobody can be assigned to these users: whoever assigns holds all that they pass on (contract, updateProxies). */
export function useNotHeld(users: readonly DirectoryRow[]): string | undefined {
  const { capabilities } = useSession();
  const groups = useMemo(() => [...new Set(users.flatMap((user) => user.groups))], [users]);
  const missing = lackingFor(capabilities, passedOn(users, useGroupCapabilities(groups)));
  return missing && `They pass on ${missing}, which you do not have`;
}
