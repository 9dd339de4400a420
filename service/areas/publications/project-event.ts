import type { StoredTopicType } from '../../kernel/db/tables/publications.ts';

/** What a custom topic streams: entry types, and of each all fields or the chosen ones (spec 6.1). */
export interface TopicContent {
  format: 'Rows' | 'Cells';
  entryTypes: readonly StoredTopicType[];
}

interface CellMessage {
  EntryId: number;
  EntryListId: number;
  fieldId: number;
  apiName: string;
  value?: unknown;
  isLargeText?: boolean;
}
interface CellChanges {
  cells: readonly CellMessage[];
  entryListId: number;
}
interface EntryList {
  entries: readonly { EntryId: number }[];
  entryListId: number;
}
interface RowChanges {
  entryFields: readonly Record<string, unknown>[];
  entryListId: number;
}

/** The stored form of an event of default-data (kernel/outbox/change-event.ts). */
export interface StoredDataEvent {
  entityType: string;
  payload: {
    entities: {
      created?: readonly EntryList[];
      updated?: readonly CellChanges[];
      deleted?: readonly EntryList[];
    };
  };
  entryNames?: Readonly<Record<string, string>>;
}

type Entities = Readonly<Record<string, readonly object[]>>;

/** Entities without lists that are empty; undefined when nothing is left. */
function dropEmpty(entities: Entities): Entities | undefined {
  const filled = Object.entries(entities).filter(([, list]) => list.length > 0);
  return filled.length > 0 ? Object.fromEntries(filled) : undefined;
}

const mapTypes = ({ entryTypes }: Pick<TopicContent, 'entryTypes'>) =>
  new Map(entryTypes.map(({ entryTypeId, fieldIds }) => [entryTypeId, fieldIds && new Set(fieldIds)]));

/** The function that tells whether a topic streams an event of default-data, for which `createProjection` makes a message. Pure. */
export function createFilter(
  content: Pick<TopicContent, 'entryTypes'>,
): (event: Pick<StoredDataEvent, 'payload'>) => boolean {
  const types = mapTypes(content);
  const isOfType = ({ entryListId }: EntryList): boolean => types.has(entryListId);
  return ({ payload: { entities } }) =>
    (entities.updated ?? []).some(({ entryListId, cells }) => {
      const fields = types.get(entryListId);
      return types.has(entryListId) && (!fields || cells.some(({ fieldId }) => fields.has(fieldId)));
    }) ||
    (entities.created ?? []).some(isOfType) ||
    (entities.deleted ?? []).some(isOfType);
}

/**
 * The function that makes the message of a custom topic from an event of default-data; undefined when the topic does not stream it.
 * Pure: the same function serves the readers of topics and rehearses topics on past events. The message has the `eventId` of its source.
 */
export function createProjection({
  format,
  entryTypes,
}: TopicContent): (event: StoredDataEvent) => Record<string, unknown> | undefined {
  const types = mapTypes({ entryTypes });
  const isOfType = ({ entryListId }: { entryListId: number }): boolean => types.has(entryListId);
  return ({ entryNames = {}, ...envelope }) => {
    const { created = [], updated = [], deleted = [] } = envelope.payload.entities;
    const changes = updated.filter(isOfType).flatMap(({ cells, entryListId }) => {
      const fields = types.get(entryListId);
      const chosen = fields ? cells.filter(({ fieldId }) => fields.has(fieldId)) : cells;
      return chosen.length > 0 ? [{ cells: chosen, entryListId }] : [];
    });
    const lists = { created: created.filter(isOfType), deleted: deleted.filter(isOfType) };
    const entities = dropEmpty(
      format === 'Cells' ? { ...lists, updated: changes } : toRows(lists, changes, entryNames),
    );
    return entities && { ...envelope, entityFormatType: format, payload: { entities } };
  };
}

/** Entities in ROWS format: one row for each entry, the values of a created entry in its row under `created`. */
function toRows(
  lists: { created: readonly EntryList[]; deleted: readonly EntryList[] },
  changes: readonly CellChanges[],
  names: Readonly<Record<string, string>>,
): Entities {
  const cellsByEntry = Map.groupBy(
    changes.flatMap(({ cells }) => cells),
    ({ EntryId }) => EntryId,
  );
  const toRow = (entryId: number, entryListId: number): Record<string, unknown> => ({
    ...Object.fromEntries(
      (cellsByEntry.get(entryId) ?? []).map(({ apiName, value, isLargeText }) => [
        apiName,
        isLargeText ? { isLargeText } : value,
      ]),
    ),
    EntryName: names[String(entryId)] ?? '',
    EntryId: entryId,
    EntryListId: entryListId,
  });
  const toRowChanges = ({ entries, entryListId }: EntryList): RowChanges => ({
    entryFields: entries.map(({ EntryId }) => toRow(EntryId, entryListId)),
    entryListId,
  });
  const createdIds = new Set(lists.created.flatMap(({ entries }) => entries.map(({ EntryId }) => EntryId)));
  const updated = changes.flatMap(({ cells, entryListId }) => {
    const ids = new Set(cells.map(({ EntryId }) => EntryId)).difference(createdIds);
    return ids.size > 0 ? [{ entryFields: [...ids].map((id) => toRow(id, entryListId)), entryListId }] : [];
  });
  return { created: lists.created.map(toRowChanges), updated, deleted: lists.deleted.map(toRowChanges) };
}
