import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queryRowsByBody } from '../../../api/generated/sdk/entries.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { readDirectoryRows } from '../../../directory/directory.ts';
import { formatMessageValue } from '../model/messages.ts';
import type { TopicSchema } from '../model/schema.ts';
import type { TailRow } from './tail-buffer.ts';

/** Newest rows whose names are looked up; those of older rows were when they were new. */
const MAX_ROWS = 100;

export interface Names {
  entries: ReadonlyMap<number, string>;
  users: ReadonlyMap<number, string>;
}

const NO_NAMES: Names = { entries: new Map(), users: new Map() };

/** Ids that the newest rows show without a name. */
function collectIds(rows: readonly TailRow[]) {
  const entries = new Map<number, Set<number>>();
  const users = new Set<number>();
  for (const row of rows.slice(0, MAX_ROWS)) {
    const one = row.type === 'burst' ? row.events[0] : row.type === 'event' ? row : undefined;
    if (!one) continue;
    const { event, summary } = one;
    for (const id of [event.modifiedById, event.proxyUserId]) if (typeof id === 'number') users.add(id);
    const { first, entityCount } = summary;
    const isNameless = event.entityType === 'Data' && first?.name === undefined && first?.kind !== 'deleted';
    if (entityCount === 1 && isNameless && first?.id !== undefined && first.typeId !== undefined)
      entries.set(first.typeId, (entries.get(first.typeId) ?? new Set()).add(first.id));
  }
  return { entries, users };
}

/**
 * Names of entries and users of the newest rows, as far as the user may read them: messages of default-data have ids only (spec 6.4).
 * Names that were found are kept, so that each is read once.
 */
export function useNames(rows: readonly TailRow[], schema: TopicSchema): Names {
  const client = useQueryClient();
  const canReadEntries = usePermission('queryRowsByBody').allowed;
  const canReadUsers = usePermission('searchUsers').allowed;
  const ids = useMemo(() => collectIds(rows), [rows]);
  const known = client.getQueryData<Names>(NAMES_KEY) ?? NO_NAMES;
  const missingUsers = canReadUsers ? [...ids.users].filter((id) => !known.users.has(id)) : [];
  const missingEntries = canReadEntries
    ? [...ids.entries].flatMap(([typeId, all]) => {
        const missing = [...all].filter((id) => !known.entries.has(id));
        return missing.length > 0 ? [{ typeId, ids: missing }] : [];
      })
    : [];
  useQuery({
    queryKey: [{ _id: 'queryRowsByBody', tail: { missingUsers, missingEntries } }],
    async queryFn({ signal }) {
      const [people, entries] = await Promise.all([
        missingUsers.length > 0 ? readDirectoryRows(missingUsers) : [],
        Promise.all(missingEntries.map((type) => readEntryNames(type, schema, signal))),
      ]);
      client.setQueryData<Names>(NAMES_KEY, (before = NO_NAMES) => ({
        // Entries and users that are not found are not looked up again.
        entries: mergeNames(before.entries, entries.flat()),
        users: mergeNames(before.users, [
          ...missingUsers.map((id): [number, string] => [id, '']),
          ...people.map(({ id, name }): [number, string] => [id, name]),
        ]),
      }));
      return true;
    },
    enabled:
      missingUsers.length + missingEntries.length > 0 && (missingEntries.length === 0 || schema.isLoaded),
    gcTime: 0,
    retry: false,
  });
  // Read again when names have arrived.
  const { data = NO_NAMES } = useQuery<Names>({
    queryKey: NAMES_KEY,
    enabled: false,
    structuralSharing: false,
  });
  return data;
}

/** Names that are kept; the oldest are looked up again when they are shown again. */
const MAX_NAMES = 5_000;

const mergeNames = (before: ReadonlyMap<number, string>, added: readonly [number, string][]) =>
  new Map([...before, ...added].slice(-MAX_NAMES));

const NAMES_KEY = [{ _id: 'tailNames' }];

async function readEntryNames(
  { typeId, ids }: { typeId: number; ids: number[] },
  schema: TopicSchema,
  signal: AbortSignal,
): Promise<[number, string][]> {
  const unknown = ids.map((id): [number, string] => [id, '']);
  const key = schema.getFields(typeId).find(({ isKey }) => isKey);
  if (!key) return unknown;
  const { data } = await queryRowsByBody({
    path: { entryTypeId: String(typeId) },
    body: { query: { EntryId: { $in: ids } }, fields: [key.apiName], limit: ids.length },
    signal,
  });
  return [
    ...unknown,
    ...data.rows.map((row): [number, string] => [row.EntryId, formatMessageValue(row[key.apiName])]),
  ];
}
