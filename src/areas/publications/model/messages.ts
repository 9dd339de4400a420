import type { PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { isFile, isMoney, isNamed } from '../../../../contract/rules/schema/values.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatNonZero } from '../../entries/index.ts';
import type { TopicSchema } from './schema.ts';

export const ENTITY_KINDS = ['created', 'updated', 'deleted'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export const KIND_LABELS: Readonly<Record<EntityKind, string>> = {
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
};

/** A property of a changed entity as the message has it. */
export interface MessageField {
  apiName: string;
  /** Id of the field; absent in rows and in entities without fields. */
  fieldId?: number;
  value: unknown;
  /** The text is too long for messages (shapes 7). */
  isLargeText: boolean;
}

/** A changed entry, user, group, entry type or field. */
export interface MessageEntity {
  kind: EntityKind;
  /** Entry type, in data and schema events. */
  typeId?: number;
  /** Entry, user, group or field. */
  id?: number;
  /** Name in the message; messages of default-data have none (spec 6.4). */
  name?: string;
  fields: MessageField[];
}

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toRecords = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const toId = (value: unknown): { id?: number } => (typeof value === 'number' ? { id: value } : {});
const toTypeId = (value: unknown): { typeId?: number } =>
  typeof value === 'number' ? { typeId: value } : {};

/** The changed entities of a message, in its order; an entry that was created with values appears once. */
export function readEntities({ payload, entityType, entityFormatType }: PublicationEvent): MessageEntity[] {
  const { entities } = payload;
  return ENTITY_KINDS.flatMap((kind) => {
    const list = toRecords(entities[kind]);
    if (entityType !== 'Data') return list.map((entity) => readOther(kind, entityType, entity));
    return entityFormatType === 'Rows' ? list.flatMap((change) => readRows(kind, change)) : [];
  }).concat(entityType === 'Data' && entityFormatType !== 'Rows' ? readCells(entities) : []);
}

const ENTRY_PROPERTIES = new Set(['EntryId', 'EntryListId', 'EntryName']);

const readRows = (kind: EntityKind, { entryFields, entryListId }: Json): MessageEntity[] =>
  toRecords(entryFields).map((row) => ({
    kind,
    ...toTypeId(entryListId),
    ...toId(row['EntryId']),
    ...(typeof row['EntryName'] === 'string' && { name: row['EntryName'] }),
    fields: Object.entries(row).flatMap(([apiName, value]) =>
      ENTRY_PROPERTIES.has(apiName) ? [] : [{ apiName, value, isLargeText: isLargeText(value) }],
    ),
  }));

const isLargeText = (value: unknown): boolean => isRecord(value) && value['isLargeText'] === true;

/** Entries in CELLS format: `created` and `deleted` have ids, and `updated` the cells of created entries too. */
function readCells(entities: PublicationEvent['payload']['entities']): MessageEntity[] {
  const found = new Map<unknown, MessageEntity>();
  for (const kind of ['created', 'deleted'] as const)
    for (const { entries, entryListId } of toRecords(entities[kind]))
      for (const { EntryId } of toRecords(entries))
        found.set(EntryId, { kind, ...toTypeId(entryListId), ...toId(EntryId), fields: [] });
  for (const { cells, entryListId } of toRecords(entities.updated))
    for (const { EntryId, fieldId, apiName, value, isLargeText: isLarge } of toRecords(cells)) {
      const entity: MessageEntity = found.get(EntryId) ?? {
        kind: 'updated',
        ...toTypeId(entryListId),
        ...toId(EntryId),
        fields: [],
      };
      found.set(EntryId, entity);
      entity.fields.push({
        apiName: String(apiName),
        ...(typeof fieldId === 'number' && { fieldId }),
        value,
        isLargeText: isLarge === true,
      });
    }
  return [...found.values()];
}

/** A user, a group, an entry type or a field: the message has its properties, not what changed. */
function readOther(
  kind: EntityKind,
  entityType: PublicationEvent['entityType'],
  entity: Json,
): MessageEntity {
  const { id, entryListId, fieldId, name, singularName, firstName, lastName, email } = entity;
  const person = [firstName, lastName].filter((part) => typeof part === 'string').join(' ');
  const label = [person, name, singularName, email].find((part) => typeof part === 'string' && part !== '');
  return {
    kind,
    ...(entityType === 'EntryLists' ? toTypeId(entryListId) : {}),
    ...toId(id ?? fieldId),
    ...(typeof label === 'string' && { name: label }),
    fields: Object.entries(entity).map(([apiName, value]) => ({ apiName, value, isLargeText: false })),
  };
}

const plainNumberFormat = new Intl.NumberFormat(undefined, { useGrouping: false, maximumFractionDigits: 15 });

/** Formats a value of a message as text. @param fieldType formats dates; without it they are shown as in the message */
export function formatMessageValue(value: unknown, fieldType?: number): string {
  if (value === null || value === undefined || value === '') return 'No value';
  if (Array.isArray(value))
    return value.length === 0
      ? 'No value'
      : value.map((item) => formatMessageValue(item, fieldType)).join(', ');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return formatNonZero(value, plainNumberFormat);
  if (isMoney(value)) return `${value.currencyCode} ${formatNonZero(value.value, amountFormat)}`;
  if (isNamed(value) || isFile(value)) return value.name;
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'string') return '';
  return fieldType === FIELD.date && !Number.isNaN(Date.parse(value)) ? formatExactDate(value) : value;
}

/** Amounts have all digits that are stored, as numbers do. */
const amountFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 15 });

/** Name of a field of a message: from the schema, or as the message has it. */
export function formatFieldName(
  { fieldId, apiName }: Pick<MessageField, 'fieldId' | 'apiName'>,
  typeId: number | undefined,
  schema: TopicSchema,
): string {
  const known =
    fieldId === undefined
      ? schema.getFields(typeId ?? 0).find((field) => field.apiName === apiName)
      : schema.fieldById.get(fieldId);
  return known?.name ?? apiName;
}

const OTHER_NAMES: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Users: ['User', 'users'],
  UserGroups: ['Group', 'groups'],
  EntryLists: ['Entry type', 'entry types'],
};

/** Name of an entity: its name, or its kind and id. `names` are names of entries by id that were looked up. */
export function formatEntity(
  entity: MessageEntity,
  { entityType }: Pick<PublicationEvent, 'entityType'>,
  schema: TopicSchema,
  names?: ReadonlyMap<number, string>,
): string {
  const { id, typeId, name = id === undefined ? undefined : names?.get(id) } = entity;
  if (name !== undefined && name !== '') return name;
  const kind =
    entityType === 'Data' ? schema.typeById.get(typeId ?? 0)?.singularName : OTHER_NAMES[entityType]?.[0];
  return `${kind ?? 'Entry'} ${id ?? ''}`.trim();
}

/** What filters and rows need of a message; computed once when it arrives. */
export interface MessageSummary {
  kinds: ReadonlySet<EntityKind>;
  /** Ids of entry types as text, or the kind of entity (`Users`). */
  types: ReadonlySet<string>;
  /** API names of the fields with values. */
  fields: ReadonlySet<string>;
  /** The only entity, or the first of several. */
  first: MessageEntity | undefined;
  entityCount: number;
}

export function summarize(event: PublicationEvent): MessageSummary {
  const entities = readEntities(event);
  const [first] = entities;
  return {
    kinds: new Set(entities.map(({ kind }) => kind)),
    types: new Set(
      entities.map(({ typeId }) => (event.entityType === 'Data' ? String(typeId) : event.entityType)),
    ),
    fields: new Set(
      event.entityType === 'Data'
        ? entities.flatMap(({ fields }) => fields.map(({ apiName }) => apiName))
        : [],
    ),
    // The values stay in the message.
    first: first && { ...first, fields: first.fields.slice(0, MAX_NAMED_FIELDS) },
    entityCount: entities.length,
  };
}

/** Fields that a row names; more are counted. */
const MAX_NAMED_FIELDS = 2;

/** Formats the entities of a message: the name of the only one, or how many there are. */
export function formatTitle(
  event: PublicationEvent,
  { first, entityCount, types }: MessageSummary,
  schema: TopicSchema,
  names?: ReadonlyMap<number, string>,
): string {
  if (!first) return 'Empty message';
  if (entityCount === 1) return formatEntity(first, event, schema, names);
  const [type] = types;
  const many =
    event.entityType === 'Data'
      ? types.size === 1
        ? schema.typeById.get(Number(type))?.pluralName
        : undefined
      : OTHER_NAMES[event.entityType]?.[1];
  return `${formatNumber(entityCount)} ${many ?? 'entries'}`;
}

/** Formats which fields a message writes: up to two names, or their number. */
export function formatFields({ first, fields }: MessageSummary, schema: TopicSchema): string {
  if (!first || fields.size === 0) return '';
  if (fields.size > MAX_NAMED_FIELDS) return `${formatNumber(fields.size)} fields`;
  const named = first.fields.filter(({ apiName }) => fields.has(apiName));
  return named.length === fields.size
    ? named.map((field) => formatFieldName(field, first.typeId, schema)).join(', ')
    : [...fields].join(', ');
}
