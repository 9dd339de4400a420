/** What an API key may read of a topic: the topics and fields that it is limited to (T23). Pure. */
import type { StoredTopicType } from '../../kernel/db/tables/publications.ts';
import type { StoredMessage } from './messages.store.ts';

/** Fields of a topic that a subscriber may read; null for all. */
export type VisibleFields = readonly StoredTopicType[] | null;

/** Properties of an event that tell nothing about its content. */
const OUTER_PROPERTIES = [
  'eventId',
  'modifiedAt',
  'entityType',
  'entityFormatType',
  'schemaVersion',
  'isCalculated',
  'partNumber',
  'isLastPart',
];

interface Change {
  entryListId?: unknown;
  cells?: readonly { fieldId?: unknown }[];
  entries?: readonly unknown[];
}

/** A change with the visible cells only; undefined when nothing of it is visible. Rows have no field ids, so that none is visible. */
function limitChange(change: Change, types: ReadonlyMap<unknown, ReadonlySet<unknown> | undefined>) {
  if (!types.has(change.entryListId)) return undefined;
  const fields = types.get(change.entryListId);
  if (!change.cells) return change.entries && change;
  const cells = fields ? change.cells.filter(({ fieldId }) => fields.has(fieldId)) : change.cells;
  return cells.length > 0 ? { ...change, cells } : undefined;
}

/**
 * A stored message with the visible fields only. A message of which nothing is visible keeps its place, so that offsets have no
 * gaps, but has neither entities nor author.
 */
export function limitMessage(message: StoredMessage, visible: VisibleFields): StoredMessage {
  if (!visible) return message;
  const event = JSON.parse(message.body) as {
    payload: { entities: Readonly<Record<string, readonly Change[]>> };
  };
  const types = new Map<unknown, ReadonlySet<unknown> | undefined>(
    visible.map(({ entryTypeId, fieldIds }) => [entryTypeId, fieldIds && new Set(fieldIds)]),
  );
  const entities = Object.fromEntries(
    Object.entries(event.payload.entities).flatMap(([kind, changes]) => {
      const limited = changes
        .map((change) => limitChange(change, types))
        .filter((each) => each !== undefined);
      return limited.length > 0 ? [[kind, limited]] : [];
    }),
  );
  const outer =
    Object.keys(entities).length > 0
      ? event
      : Object.fromEntries(Object.entries(event).filter(([name]) => OUTER_PROPERTIES.includes(name)));
  return { ...message, body: JSON.stringify({ ...outer, payload: { entities } }) };
}
