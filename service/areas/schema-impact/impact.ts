import type {
  BoundedCount,
  Capability,
  InvalidEntries,
  SchemaImpact,
  SchemaUse,
} from '../../../contract/generated/types.gen.ts';
import type { Comparison, Condition, Operand } from '../../../contract/rules/query/condition.ts';
import { parseQuery } from '../../../contract/rules/query/parse.ts';
import { FIELD, FILTER, findFilterOperation } from '../../../contract/rules/schema/fields.ts';
import { notFound } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { getAuthor } from '../../kernel/auth/caller.ts';
import type { Db } from '../../kernel/db/database.ts';
import { ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { countMatchesAmong, createQueryContext, UTC } from '../entries/index.ts';
import {
  applyChange,
  countChoiceUses,
  findField,
  getCalculations,
  loadSchema,
  requireEntryType,
  type EntryType,
  type SchemaField,
  type SiteSchema,
} from '../schema/index.ts';
import * as store from './impact.store.ts';

/** Entries that are examined for a count, so that its time has a bound. */
const MAX_EXAMINED_ENTRIES = 100_000;

/** Capabilities of which one lets the caller list what has the name (contract, x-capability of the lists). */
const NAME_CAPABILITIES: Partial<Record<SchemaUse['kind'], readonly Capability[]>> = {
  reportTemplate: ['Run Reports', 'Manage Report Templates'],
  topic: ['Read Publications', 'Manage Publications'],
  agentKey: ['Manage Settings'],
};

export const schemaImpactHandlers: Handlers<'readSchemaImpact'> = {
  async readSchemaImpact(call) {
    const { readDb: db, caller, body } = call;
    const schema = await loadSchema(db, caller.siteId);
    const type = requireEntryType(schema, String(body.entryTypeId));
    const change = toChange(body, type);
    const { uses, privateViews } = await listUses(db, caller, schema, change);
    const { filledEntries, invalidEntries } = await countEntries(db, caller.siteId, change);
    const impact: SchemaImpact = {
      uses: uses.map((use) => hideName(use, caller)),
      privateViews,
      filledEntries,
      invalidEntries,
    };
    return ok(impact);
  },
};

/** A change of a field, or of a type where there is no field. */
interface SchemaChange {
  type: EntryType;
  field: SchemaField | undefined;
  /** The changed field; undefined for a deletion, and for a change of the type. */
  after: ReturnType<typeof applyChange> | undefined;
  isDeletion: boolean;
  /** Whether stored names of the field stop to name it. */
  losesName: boolean;
}

/** @throws ApiError 404 for a field that the type does not have */
function toChange(
  { fieldId, field: info, entryType }: Call<'readSchemaImpact'>['body'],
  type: EntryType,
): SchemaChange {
  const field = fieldId === undefined ? undefined : type.fields.find(({ id }) => id === fieldId);
  if (fieldId !== undefined && !field) throw notFound(`Field ${fieldId}`);
  const after = field && info ? applyChange(field, info) : undefined;
  const isDeletion = field ? info === undefined : entryType === undefined;
  const isRenamed = after !== undefined && after.apiName.toLowerCase() !== field?.apiName.toLowerCase();
  return { type, field, after, isDeletion, losesName: isDeletion || isRenamed };
}

/** Removes the name of what the caller may not list. */
function hideName(use: SchemaUse, { capabilities }: Caller): SchemaUse {
  const required = NAME_CAPABILITIES[use.kind];
  return !required || required.some((capability) => capabilities.has(capability))
    ? use
    : { ...use, name: null };
}

/** Everything stored that uses the field or the type, by kind and name. */
async function listUses(
  db: Db,
  caller: Caller,
  schema: SiteSchema,
  change: SchemaChange,
): Promise<{ uses: SchemaUse[]; privateViews: number }> {
  const { siteId } = caller;
  const { type, field, isDeletion, losesName } = change;
  const target = { typeId: type.id, fieldId: field?.id };
  const { userId } = getAuthor(caller);
  const views = (await store.listViewsOfType(db, { siteId, userId, typeId: type.id })).filter(
    (view) => !field || usesField(view, field, type),
  );
  const templates = (await store.listTemplatePlaceholders(db, siteId)).filter((template) =>
    field ? namesField(template, field, schema) : template.typeId === type.id,
  );
  const topics = await store.listTopicsOfType(db, siteId, target);
  const keys = await store.listAgentKeysOfType(db, siteId, type.id);
  const isContact = await store.isContactType(db, siteId, target);
  return {
    uses: [
      ...listDependentFields(schema, change),
      ...views
        .filter(({ isVisible }) => isVisible)
        .map(({ id, name }) => ({ kind: 'view' as const, id, name, breaks: losesName })),
      ...(isContact ? [{ kind: 'import' as const, id: null, name: null, breaks: isDeletion }] : []),
      ...templates.map(({ id, name }) => ({ kind: 'reportTemplate' as const, id, name, breaks: losesName })),
      // Consumers read the values of a renamed field under another name.
      ...topics.map(({ id, name, isListed }) => ({
        kind: 'topic' as const,
        id,
        name,
        breaks: isDeletion ? isListed || !field : losesName,
      })),
      ...keys.map(({ id, name, isListed }) => ({
        kind: 'agentKey' as const,
        id,
        name,
        breaks: isDeletion && !field && isListed,
      })),
    ],
    privateViews: views.filter(({ isVisible }) => !isVisible).length,
  };
}

/** Fields whose formulas or conditions read the field, or that refer to the type. A rename adapts formulas. */
function listDependentFields(schema: SiteSchema, { type, field, isDeletion }: SchemaChange): SchemaUse[] {
  const toUse = (kind: SchemaUse['kind'], { id, name, typeId }: SchemaField): SchemaUse => ({
    kind,
    id,
    name,
    breaks: isDeletion,
    entryTypeId: typeId,
  });
  if (!field)
    return [...schema.fieldsById.values()]
      .filter(({ entryLists }) => entryLists.includes(type.id))
      .map((other) => toUse('reference', other));
  const formulas = getCalculations(type).filter(({ formula }) => formula.fieldIds.includes(field.id));
  const conditions = type.fields.filter(({ requiredWhen }) =>
    requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id),
  );
  return [
    ...formulas.map((formula) => toUse('formula', formula.field)),
    ...conditions.map((other) => toUse('condition', other)),
  ];
}

/** Ids of the fields that a condition compares. */
const listConditionFields = (condition: Condition): unknown[] =>
  condition.kind === 'group'
    ? condition.conditions.flatMap(listConditionFields)
    : [condition.field === 'EntryId' ? undefined : condition.field.id];

/** Whether a view filters or sorts by the field, or arranges its column. A filter that cannot be read is searched for the name. */
function usesField(
  { query, sort, columns, pinned }: store.StoredViewNames,
  field: SchemaField,
  type: EntryType,
): boolean {
  const key = field.apiName.toLowerCase();
  const names = [
    sort.replace(/^-/, ''),
    ...columns.order,
    ...columns.hidden,
    ...Object.keys(columns.widths),
    ...pinned.map((pin) => pin.field),
  ];
  if (names.some((name) => name.toLowerCase() === key)) return true;
  const { condition } = parseQuery(query, (name) => findField(type, name));
  return condition
    ? listConditionFields(condition).includes(field.id)
    : new RegExp(String.raw`\b${key}\b`, 'iu').test(query);
}

/** The path that a placeholder names: `{Name}`, `{#if Company.Name}`, `{Revenue | money}`. */
const PLACEHOLDER_PATH =
  /^\{\s*(?:#\s*if\s+(?:not\s+)?)?([\p{L}_][\p{L}\p{N}_]*)(?:\.([\p{L}_][\p{L}\p{N}_]*))?\s*[|}]/iu;

/** Whether a placeholder of the template names the field, of its own type or of a referenced one. */
function namesField(
  { typeId, placeholders }: store.StoredPlaceholders,
  field: SchemaField,
  schema: SiteSchema,
): boolean {
  const type = schema.typesById.get(typeId);
  const key = field.apiName.toLowerCase();
  return placeholders.some((placeholder) => {
    const [, first = '', second] = PLACEHOLDER_PATH.exec(placeholder) ?? [];
    if (typeId === field.typeId && first.toLowerCase() === key) return true;
    const reference = type && findField(type, first);
    return (
      second?.toLowerCase() === key &&
      reference?.fieldType === FIELD.reference &&
      (reference.entryLists.length === 0 || reference.entryLists.includes(field.typeId))
    );
  });
}

const toComparison = (field: SchemaField, code: number, value?: unknown): Comparison[] => {
  const operation = findFilterOperation(code);
  const operands = (value === undefined || value === null ? [] : [value].flat()) as Operand[];
  return operation ? [{ kind: 'comparison', field, operation, operands }] : [];
};

/** The entries that have no value although the changed field requires one; undefined if it requires none. */
function toMissingCondition({ type, field, after }: SchemaChange): Condition | undefined {
  if (!field || !after || (!after.isRequired && !after.requiredWhen)) return undefined;
  const missing = toComparison(field, FILTER.noData);
  if (after.isRequired || !after.requiredWhen) return { kind: 'group', match: 'all', conditions: missing };
  const { match, conditions } = after.requiredWhen;
  const rules = conditions.flatMap(({ fieldId, operation, value }) => {
    const compared = type.fields.find(({ id }) => id === fieldId);
    return compared ? toComparison(compared, operation, value) : [];
  });
  return {
    kind: 'group',
    match: 'all',
    conditions: [...missing, { kind: 'group', match, conditions: rules }],
  };
}

const toBounded = ({ count, examined }: { count: number; examined: number }): BoundedCount => ({
  count,
  isComplete: examined < MAX_EXAMINED_ENTRIES,
});

async function countEntries(
  db: Db,
  siteId: number,
  change: SchemaChange,
): Promise<Pick<SchemaImpact, 'filledEntries' | 'invalidEntries'>> {
  const { type, field, after } = change;
  const context = createQueryContext(siteId, 0, UTC);
  const count = async (condition: Condition) =>
    toBounded(await countMatchesAmong(db, { type, condition, context }, MAX_EXAMINED_ENTRIES));
  const filled = field ? toComparison(field, FILTER.notNoData) : [];
  const filledEntries = await count({ kind: 'group', match: 'all', conditions: filled });
  const invalidEntries: InvalidEntries[] = [];
  const missing = toMissingCondition(change);
  if (missing) invalidEntries.push({ reason: 'missing', ...(await count(missing)) });
  if (field && after) {
    const removed = await countRemovedChoices(db, siteId, field, after);
    if (removed > 0) invalidEntries.push({ reason: 'choice', count: removed, isComplete: true });
    const { entryLists } = after;
    if (field.fieldType === FIELD.reference && entryLists.length > 0) {
      const found = await store.countOtherReferences(db, siteId, field, entryLists, MAX_EXAMINED_ENTRIES);
      invalidEntries.push({ reason: 'reference', ...toBounded(found) });
    }
  }
  return { filledEntries, invalidEntries: invalidEntries.filter((entries) => entries.count > 0) };
}

/** Number of values that are a choice which the changed field no longer has. */
async function countRemovedChoices(
  db: Db,
  siteId: number,
  field: SchemaField,
  { choiceValues }: ReturnType<typeof applyChange>,
): Promise<number> {
  const remainingIds = new Set(choiceValues.map(({ id }) => id));
  const removed = [...field.choices.values()].filter(
    ({ id, isRemoved }) => !isRemoved && !remainingIds.has(id),
  );
  if (removed.length === 0) return 0;
  const uses = await countChoiceUses(
    db,
    siteId,
    field,
    removed.map(({ id }) => id),
  );
  return [...uses.values()].reduce((sum, n) => sum + n, 0);
}
