import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { stagedIn } from '../editing/changes.ts';
import { useRememberFields } from '../editing/last-known.ts';
import { useChanges } from '../editing/store.ts';
import { currentQuery, ruled } from '../editing/use-current.ts';
import type { EntryColumn } from '../model/columns.ts';
import { useType } from '../model/use-type.ts';
import { useZone } from '../model/zone.ts';
import type { Editing } from './sheet.ts';

/**
 * What is staged for the type of the address, and who may stage more. Where a rule asks for fields that no column
 * shows, they are read of the entries that are staged: without them nobody knows whether the rule holds.
 */
export function useEditing(columns?: readonly EntryColumn[]): Editing {
  const { schema, type, fields } = useType();
  useRememberFields(fields);
  const changes = useChanges(type.id);
  const { reason: refusal } = useAllowed('updateEntries');
  const { name: zone } = useZone();
  const cells = useMemo(() => stagedIn(changes), [changes]);
  const shown = new Set(columns?.map(({ field }) => field.id));
  const lacks = columns !== undefined && ruled(fields).some(({ id }) => !shown.has(id));
  const { data: current } = useQuery({
    ...currentQuery(type.id, cells, fields),
    enabled: lacks && cells.some(({ entryId }) => entryId > 0),
    placeholderData: keepPreviousData,
  });
  return useMemo(
    () => ({ typeId: type.id, schema, fields, changes, refusal, zone, current }),
    [type.id, schema, fields, changes, refusal, zone, current],
  );
}
