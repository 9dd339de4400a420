import { useMemo } from 'react';
import { useAllowed } from '../../api/session.ts';
import { useChanges } from '../editing/store.ts';
import { useType } from '../use-type.ts';
import { useZone } from '../zone.ts';
import type { Editing } from './sheet.ts';

/** What is staged for the type of the address, and who may stage more. */
export function useEditing(): Editing {
  const { schema, type, fields } = useType();
  const changes = useChanges(type.id);
  const { reason: refusal } = useAllowed('updateEntries');
  const { name: zone } = useZone();
  return useMemo(
    () => ({ typeId: type.id, schema, fields, changes, refusal, zone }),
    [type.id, schema, fields, changes, refusal, zone],
  );
}
