/** JSON Schema 2020-12 of the messages of a topic, and the AsyncAPI 3 document of a site. Pure. */
import { FIELD, holdsMoney, isFileField } from '../../../contract/rules/schema/fields.ts';
import type { FieldDefinition, SiteSchema } from '../schema/index.ts';
import type { StoredTopic } from './publications.store.ts';

type Schema = Readonly<Record<string, unknown>>;

const INTEGER = { type: 'integer' } as const;
const TEXT = { type: 'string' } as const;
const NULL = { type: 'null' } as const;
const LARGE_TEXT = object({ isLargeText: { const: true } }, ['isLargeText']);

/** Messages may get further properties (spec 9.5), so that no object is closed. */
function object(properties: Schema, required: readonly string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}
/** Any of the schemas; nothing is valid without one, such as on a site without entry types. */
const anyOf = (schemas: readonly Schema[]): Schema => (schemas.length > 0 ? { anyOf: schemas } : { not: {} });
const list = (items: Schema): Schema => ({ type: 'array', items });

/** One value or item of a field, as messages have it (shapes 4). */
function itemSchema(field: FieldDefinition): Schema {
  const named = { id: INTEGER, name: TEXT, entryListId: INTEGER };
  const { fieldType } = field;
  if (isFileField(fieldType))
    return object(
      { id: INTEGER, name: TEXT, contentType: TEXT, size: INTEGER, seqNumber: INTEGER, url: TEXT },
      ['id', 'name', 'url'],
    );
  if (holdsMoney(field))
    return object({ value: { type: 'number' }, currencyCode: TEXT }, ['value', 'currencyCode']);
  if (fieldType === FIELD.choice) return object({ ...named, seqNumber: INTEGER }, ['id', 'name']);
  if (fieldType === FIELD.reference) return object({ ...named, type: { const: 0 } }, ['id', 'name']);
  if (fieldType === FIELD.user) return object({ ...named, url: TEXT }, ['id', 'name']);
  if (fieldType === FIELD.boolean) return { type: 'boolean' };
  if (fieldType === FIELD.date) return { type: 'string', format: 'date-time' };
  return fieldType === FIELD.text ? { type: 'string', maxLength: 10_000 } : { type: 'number' };
}

/** The value of a field in a message; null when it was cleared. */
const valueSchema = (field: FieldDefinition): Schema => ({
  anyOf: [field.isMultiSelect ? list(itemSchema(field)) : itemSchema(field), NULL],
});

interface ChosenField {
  typeId: number;
  field: FieldDefinition;
}

/** Entry types of a version of the schema. */
type TypeDefinitions = readonly { id: number; fields: readonly FieldDefinition[] }[];

/** Fields that a topic streams; all of the site for default-data. */
function listChosenFields(types: TypeDefinitions, { definition }: StoredTopic): ChosenField[] {
  const byId = new Map(types.map((type) => [type.id, type]));
  const chosen = definition?.entryTypes ?? types.map(({ id }) => ({ entryTypeId: id, fieldIds: undefined }));
  return chosen.flatMap(({ entryTypeId, fieldIds }) =>
    (byId.get(entryTypeId)?.fields ?? [])
      .filter(({ id }) => !fieldIds || fieldIds.includes(id))
      .map((field) => ({ typeId: entryTypeId, field })),
  );
}

/** Entities of a data topic in CELLS format: the cells of each field have a schema of their own. */
function cellEntities(fields: readonly ChosenField[]): Schema {
  const listed = list(
    object({ entries: list(object({ EntryId: INTEGER }, ['EntryId'])), entryListId: INTEGER }, [
      'entries',
      'entryListId',
    ]),
  );
  const cells = fields.map(({ typeId, field }) => {
    const head = {
      EntryId: INTEGER,
      EntryListId: { const: typeId },
      fieldId: { const: field.id },
      apiName: TEXT,
    };
    const names = ['EntryId', 'EntryListId', 'fieldId', 'apiName'];
    const cell = object({ ...head, value: valueSchema(field) }, [...names, 'value']);
    const large = object({ ...head, isLargeText: { const: true } }, [...names, 'isLargeText']);
    return field.fieldType === FIELD.text ? { anyOf: [cell, large] } : cell;
  });
  const changes = object({ cells: list(anyOf(cells)), entryListId: INTEGER }, ['cells', 'entryListId']);
  return object({ created: listed, updated: list(changes), deleted: listed });
}

/** Entities of a custom topic in ROWS format: a row of each type with its chosen fields by apiName. */
function rowEntities(fields: readonly ChosenField[]): Schema {
  const rows = [...Map.groupBy(fields, ({ typeId }) => typeId)].map(([typeId, chosen]) =>
    object(
      {
        ...Object.fromEntries(
          chosen.map(({ field }) => [
            field.apiName,
            field.fieldType === FIELD.text ? { anyOf: [valueSchema(field), LARGE_TEXT] } : valueSchema(field),
          ]),
        ),
        EntryName: TEXT,
        EntryId: INTEGER,
        EntryListId: { const: typeId },
      },
      ['EntryName', 'EntryId', 'EntryListId'],
    ),
  );
  const changes = list(
    object({ entryFields: list(anyOf(rows)), entryListId: INTEGER }, ['entryFields', 'entryListId']),
  );
  return object({ created: changes, updated: changes, deleted: changes });
}

/** Entities of default-users and default-schema. */
function otherEntities(name: string): Schema {
  const entity =
    name === 'default-users'
      ? object({ id: INTEGER, UserGroupEntryID: { type: ['integer', 'null'] } }, ['id'])
      : object({ entryListId: INTEGER, fieldId: INTEGER, apiName: TEXT, name: TEXT }, ['entryListId']);
  return object({ created: list(entity), updated: list(entity), deleted: list(entity) });
}

const ENTITY_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['default-users', ['Users', 'UserGroups']],
  ['default-schema', ['EntryLists']],
]);

/** JSON Schema 2020-12 of the messages of a topic at a version of the schema with these entry types (spec 6.2, shapes 7). */
export function buildMessageSchema(types: TypeDefinitions, topic: StoredTopic): Schema {
  const { name, definition } = topic;
  const isData = !ENTITY_TYPES.has(name);
  const format = definition?.format ?? (isData ? 'Cells' : 'None');
  const fields = isData ? listChosenFields(types, topic) : [];
  const dataEntities = format === 'Rows' ? rowEntities(fields) : cellEntities(fields);
  const userId = { type: ['integer', 'null'] };
  const userEmail = { type: ['string', 'null'] };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Message of ${name}`,
    ...object(
      {
        eventId: { type: 'string', format: 'uuid' },
        modifiedAt: { type: 'string', format: 'date-time' },
        topicName: { const: name },
        topicOffset: { type: 'integer', minimum: 0 },
        entityType: { enum: ENTITY_TYPES.get(name) ?? ['Data'] },
        entityFormatType: { const: format },
        modifiedById: userId,
        modifiedByUserEmail: userEmail,
        proxyUserId: INTEGER,
        proxyUserEmail: TEXT,
        schemaVersion: { type: 'integer' },
        isCalculated: { type: 'boolean' },
        partNumber: { type: 'integer', minimum: 1 },
        isLastPart: { type: 'boolean' },
        payload: object({ entities: isData ? dataEntities : otherEntities(name) }, ['entities']),
      },
      [
        'eventId',
        'modifiedAt',
        'topicName',
        'topicOffset',
        'entityType',
        'entityFormatType',
        ...(isData ? ['schemaVersion', 'isCalculated'] : []),
        'payload',
      ],
    ),
  };
}

/** AsyncAPI 3 document of the topics of a site: what a consumer can receive, and how it polls. */
export function buildAsyncApi(
  schema: SiteSchema,
  topics: readonly StoredTopic[],
  publicUrl: string,
): Record<string, unknown> {
  const { host, protocol } = new URL(publicUrl);
  // Names of channels and messages are keys of the document: custom topics have letters, digits and hyphens only.
  const byName = (build: (topic: StoredTopic) => object): object =>
    Object.fromEntries(topics.map((topic) => [topic.name, build(topic)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Steward publications',
      version: String(schema.version),
      description:
        'Change events of a site. Poll `POST /api/rest/v1/publication/poll` with a bearer token of the scope `publish`, and acknowledge with `POST /api/rest/v1/publication/acknowledge`. The version is the schemaVersion of the site.',
    },
    defaultContentType: 'application/json',
    servers: {
      steward: {
        host,
        protocol: protocol.replace(':', ''),
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: byName(({ name }) => ({
      address: '/api/rest/v1/publication/poll',
      title: name,
      messages: { [name]: { $ref: `#/components/messages/${name}` } },
    })),
    operations: byName(({ name }) => ({
      action: 'send',
      channel: { $ref: `#/channels/${name}` },
      messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
      bindings: { http: { method: 'POST' } },
    })),
    components: {
      messages: byName((topic) => ({
        name: topic.name,
        title: `Message of ${topic.name}`,
        contentType: 'application/json',
        payload: {
          schemaFormat: 'application/schema+json;version=draft-2020-12',
          schema: buildMessageSchema(schema.types, topic),
        },
      })),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}
