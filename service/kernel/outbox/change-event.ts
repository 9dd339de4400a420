import { randomUUID } from 'node:crypto';

type ChangeKind = 'created' | 'updated' | 'deleted';

/** Value of a cell after a change; text over MAX_TEXT_LENGTH is left out (shapes 7). */
export interface EventCell {
  fieldId: number;
  apiName: string;
  /** In the format of shapes 4; null when the cell was cleared; absent for large text. */
  value?: unknown;
  isLargeText?: true;
}

/** An entry of a data event with the cells that the change wrote. */
export interface EntryChange {
  entryId: number;
  /** Name at the time of the change. Kept for custom topics; messages of default topics do not carry it (spec 6.4). */
  entryName: string;
  cells: readonly EventCell[];
}

/** A change of entries of one type (spec 6). */
export interface DataEvent {
  topic: 'default-data';
  entityType: 'Data';
  kind: ChangeKind;
  /** Whether a calculation changed the values (spec 6.3). */
  isCalculated: boolean;
  entryListId: number;
  entries: readonly EntryChange[];
}

/** A change of a user, a user group, an entry type or a field (spec 6). */
interface EntityEvent {
  topic: 'default-users' | 'default-schema';
  entityType: 'Users' | 'UserGroups' | 'EntryLists';
  kind: ChangeKind;
  entity: Readonly<Record<string, unknown>>;
}

/** An event of a default topic. */
export type ChangeEvent = DataEvent | EntityEvent;

export interface EventAuthor {
  siteId: number;
  userId: number | null;
  email: string | null;
  proxy?: { userId: number; email: string } | undefined;
}

/** Text over this number of characters is left out of events (shapes 7). */
const MAX_TEXT_LENGTH = 10_000;
/** Upper bounds of one data event; a larger change becomes several events. */
const MAX_ENTRIES_PER_PART = 500;
const MAX_PART_CHARACTERS = 500_000;

/** A cell of an event; long text is replaced by `isLargeText`. */
export const createEventCell = (fieldId: number, apiName: string, value: unknown): EventCell =>
  typeof value === 'string' && value.length > MAX_TEXT_LENGTH
    ? { fieldId, apiName, isLargeText: true }
    : { fieldId, apiName, value: value ?? null };

/** An event, or a part of a data event that is too large for one message. */
interface EventPart {
  event: ChangeEvent;
  /** Entries of this part; their cells may be a part of those of the event. */
  entries: readonly EntryChange[];
  /** Ids of entries of which an earlier part has the first cells. */
  continuedIds: ReadonlySet<number>;
  /** From 1. */
  partNumber: number;
  isLastPart: boolean;
}

/** Splits an event into parts of bounded size. A data event without entries has none. */
export function splitEvent(event: ChangeEvent): EventPart[] {
  if (event.entityType !== 'Data')
    return [{ event, entries: [], continuedIds: new Set(), partNumber: 1, isLastPart: true }];
  const parts: { entries: EntryChange[]; continuedIds: Set<number> }[] = [];
  let part: (typeof parts)[number] | undefined;
  let characters = 0;
  const startPart = () => {
    part = { entries: [], continuedIds: new Set() };
    characters = 0;
    parts.push(part);
    return part;
  };
  for (const { cells, ...entry } of event.entries) {
    if (!part || part.entries.length >= MAX_ENTRIES_PER_PART || characters >= MAX_PART_CHARACTERS)
      part = startPart();
    let added: EventCell[] = [];
    part.entries.push({ ...entry, cells: added });
    for (const cell of cells) {
      if (characters >= MAX_PART_CHARACTERS) {
        part = startPart();
        added = [];
        part.entries.push({ ...entry, cells: added });
        part.continuedIds.add(entry.entryId);
      }
      added.push(cell);
      characters += JSON.stringify(cell).length;
    }
  }
  return parts.map((each, index) => ({
    event,
    ...each,
    partNumber: index + 1,
    isLastPart: index === parts.length - 1,
  }));
}

/** `payload.entities` of a message in CELLS format: created and deleted entries, and the cells that were written. */
function toCellEntities(event: DataEvent, { entries, continuedIds }: EventPart): Record<string, unknown> {
  const { kind, entryListId } = event;
  const listed = entries.filter(({ entryId }) => !continuedIds.has(entryId));
  const cells = entries.flatMap(({ entryId, cells: written }) =>
    written.map((cell) => ({ EntryId: entryId, EntryListId: entryListId, ...cell })),
  );
  return {
    ...(kind !== 'updated' &&
      listed.length > 0 && {
        [kind]: [{ entries: listed.map(({ entryId }) => ({ EntryId: entryId })), entryListId }],
      }),
    ...(cells.length > 0 && { updated: [{ cells, entryListId }] }),
  };
}

/**
 * The stored form of a message: the envelope of shapes 7 without topic and offset, which are columns of its row. The database adds
 * `modifiedAt`, and `schemaVersion` where an event has one (`hasSchemaVersion`), when it gives the event its offset.
 */
export function createEnvelope(author: EventAuthor, part: EventPart): Record<string, unknown> {
  const { event } = part;
  return {
    eventId: randomUUID(),
    entityType: event.entityType,
    entityFormatType: event.entityType === 'Data' ? 'Cells' : 'None',
    modifiedById: author.userId,
    modifiedByUserEmail: author.email,
    ...(author.proxy && { proxyUserId: author.proxy.userId, proxyUserEmail: author.proxy.email }),
    ...(event.entityType === 'Data' && { isCalculated: event.isCalculated }),
    ...((part.partNumber > 1 || !part.isLastPart) && {
      partNumber: part.partNumber,
      isLastPart: part.isLastPart,
    }),
    payload: {
      entities: event.entityType === 'Data' ? toCellEntities(event, part) : { [event.kind]: [event.entity] },
    },
  };
}

/** Whether messages of the event have a `schemaVersion` (spec 6.2). */
export const hasSchemaVersion = ({ entityType }: ChangeEvent): boolean =>
  entityType === 'Data' || entityType === 'EntryLists';

/** Names of the entries of a data event by id, for custom topics in ROWS format; messages of default topics have none (spec 6.4). */
export const listEntryNames = ({ event, entries }: EventPart): Record<string, string> | undefined =>
  event.entityType === 'Data'
    ? Object.fromEntries(entries.map(({ entryId, entryName }) => [entryId, entryName]))
    : undefined;
