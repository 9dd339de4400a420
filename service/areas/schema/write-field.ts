import { renameField } from '../../../contract/rules/formula/formula.ts';
import { FIELD, isFileField } from '../../../contract/rules/schema/fields.ts';
import { conflict, badRequest } from '../../kernel/api-error.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { deleteFailuresOfField } from './calculation-failures.store.ts';
import { toDraft, type FieldDraft } from './field-draft.ts';
import { getCalculations, toFormulaField } from './formulas.ts';
import * as store from './schema.store.ts';
import type { EntryType, SchemaField, SiteSchema, Slot } from './schema.ts';
import {
  findBrokenFields,
  validateField,
  isNameTaken,
  type FieldPlan,
  type PlannedField,
} from './validate-field.ts';

/** Id of a new field among the planned fields of its type. */
const NEW_FIELD_ID = 0;

const toPlannedField = (field: SchemaField): PlannedField => ({
  ...toFormulaField(field),
  requiredWhen: field.requiredWhen,
  choiceIds: new Set(toDraft(field).choiceValues.flatMap(({ id }) => id ?? [])),
});

/** The fields of a type as they will be once the draft is stored in place of `before`, or as a new field. */
export function planField(
  schema: SiteSchema,
  type: EntryType,
  draft: FieldDraft,
  before?: SchemaField,
): FieldPlan {
  const names = new Map(draft.choiceValues.map(({ id, name }) => [id, name]));
  const field: PlannedField = {
    ...draft,
    id: before?.id ?? NEW_FIELD_ID,
    getChoiceName: (id) => names.get(id),
    choiceIds: before ? toPlannedField(before).choiceIds : new Set(),
  };
  // Conditions of other fields are checked against the choices that remain, the draft itself against the existing ones.
  const remainingChoiceIds = new Set([...field.choiceIds].filter((id) => names.has(id)));
  const others = type.fields
    .filter(({ id }) => id !== before?.id)
    .map(toPlannedField)
    .map((other) => ({ ...other, formula: renameInFormula(other.formula, draft, before) }));
  return { schema, type, draft, field, fields: [...others, { ...field, choiceIds: remainingChoiceIds }] };
}

/** Formula of another field with the new apiName of this one. */
const renameInFormula = (
  formula: string | null,
  { apiName }: FieldDraft,
  before?: SchemaField,
): string | null =>
  formula === null || !before || before.apiName === apiName
    ? formula
    : renameField(formula, before.apiName, apiName);

/**
 * Rejects an invalid plan.
 * @throws ApiError 400 with all validation errors; 409 when only other fields or existing entries stand against it
 */
export function requireValidPlan(plan: FieldPlan, entryCount: number, before?: SchemaField): void {
  const errors = validateField(plan);
  const nameErrors = isNameTaken(plan) ? [{ path: 'apiName', message: 'is the name of another field' }] : [];
  if (errors.length > 0) throw badRequest([...errors, ...nameErrors]);
  const { draft, type } = plan;
  if (nameErrors.length > 0)
    throw conflict(`${type.apiName} already has a field named ${draft.apiName}`, nameErrors);
  requireShapeUnchanged(plan, entryCount, before);
  const broken = findBrokenFields(plan);
  if (broken.length > 0)
    throw conflict(
      `The formulas or conditions of these fields depend on ${draft.apiName}: ${broken.join(', ')}`,
    );
}

/** Properties that decide the stored form of a value and differ in the draft. */
export const listShapeChanges = (
  before: SchemaField,
  draft: FieldDraft,
): ('isMultiSelect' | 'isMoney' | 'isDateOnly')[] =>
  (['isMultiSelect', 'isMoney', 'isDateOnly'] as const).filter((trait) => before[trait] !== draft[trait]);

/** Rejects changes that the stored values of existing entries would not fit. @throws ApiError 409 */
function requireShapeUnchanged({ draft, type }: FieldPlan, entryCount: number, before?: SchemaField): void {
  if (entryCount === 0) return;
  const changedTraits = before ? listShapeChanges(before, draft) : [];
  const becomesKey = draft.isKey && !before?.isKey;
  const becomesCalculated = before !== undefined && draft.formula !== null && before.formula === null;
  const paths = [
    ...changedTraits,
    ...(becomesKey ? ['isKey'] : []),
    ...(becomesCalculated ? ['formula'] : []),
  ];
  if (paths.length === 0) return;
  throw conflict(
    `${type.apiName} has entries`,
    paths.map((path) => ({ path, message: `cannot change while ${type.apiName} has entries` })),
  );
}

/** Stores a field with its choices, counter, renamed formulas and jobs. Returns its id. */
export async function writeField(
  tx: Tx,
  { schema: { siteId }, type, draft }: FieldPlan,
  entryCount: number,
  before?: SchemaField,
): Promise<number> {
  if (draft.isKey && !before?.isKey) await releaseKeyField(tx, siteId, type);
  const usedSlots = await store.listUsedSlots(tx, siteId, type.id);
  const state = planStorage(draft, usedSlots, entryCount, before);
  if (before) await store.updateField(tx, siteId, before.id, draft, state);
  const id = before?.id ?? (await store.insertField(tx, siteId, type.id, draft, state));
  if (draft.fieldType === FIELD.choice) await store.saveChoices(tx, siteId, id, draft.choiceValues);
  if (!before && draft.fieldType === FIELD.counter) await store.insertCounter(tx, siteId, id);
  if (before && hasNewCalculation(before, draft)) await deleteFailuresOfField(tx, siteId, id);
  if (before && before.apiName !== draft.apiName) await renameInFormulas(tx, siteId, type, before, draft);
  if (entryCount > 0) await queueFieldJobs(tx, siteId, id, type, draft, state, before);
  return id;
}

/** Turns the current key field into an ordinary text field; allowed only in a type without entries. */
async function releaseKeyField(tx: Tx, siteId: number, type: EntryType): Promise<void> {
  const usedSlots = await store.listUsedSlots(tx, siteId, type.id);
  await store.releaseKey(
    tx,
    siteId,
    type.keyField.id,
    chooseSlot({ ...type.keyField, isKey: false }, null, usedSlots),
  );
}

type FieldStorage = Parameters<typeof store.insertField>[4];

function planStorage(
  draft: FieldDraft,
  usedSlots: ReadonlySet<Slot>,
  entryCount: number,
  before?: SchemaField,
): FieldStorage {
  const initialState = entryCount === 0 ? 'ready' : 'filling';
  const slot = chooseSlot(draft, before?.slot ?? null, usedSlots);
  const keepsSlot = before?.slot === slot && before.isSlotReady;
  const keepsSearch = before?.isSearchable && before.isSearchReady;
  return {
    slot,
    slotState: slot && (keepsSlot ? 'ready' : initialState),
    searchState: draft.isSearchable ? (keepsSearch ? 'ready' : initialState) : null,
  };
}

const hasNewCalculation = (before: SchemaField, draft: FieldDraft): boolean =>
  before.formula !== draft.formula || before.formulaMaxLength !== draft.formulaMaxLength;

/** Queues the jobs that bring existing entries in line with the changed field. */
async function queueFieldJobs(
  tx: Tx,
  siteId: number,
  id: number,
  type: EntryType,
  draft: FieldDraft,
  state: FieldStorage,
  before?: SchemaField,
): Promise<void> {
  if (state.slotState === 'filling') await store.addJob(tx, siteId, id, 'slot');
  if (draft.isSearchable !== (before?.isSearchable ?? false)) await queueSearchJob(tx, siteId, id, draft);
  const isRecalculated = draft.formula !== null && (!before || hasNewCalculation(before, draft));
  if (isRecalculated) await store.addJob(tx, siteId, id, 'calculate');
  if (!before || !hasRenamedChoices(before, draft)) return;
  for (const { field, formula } of getCalculations(type))
    if (formula.fieldIds.includes(id)) await store.addJob(tx, siteId, field.id, 'calculate');
}

/**
 * Writers no longer maintain texts that are being cleared, so clearing must finish before the field is searchable
 * again.
 */
async function queueSearchJob(tx: Tx, siteId: number, id: number, draft: FieldDraft): Promise<void> {
  if (draft.isSearchable && (await store.hasJob(tx, siteId, id, 'search')))
    throw conflict(
      `${draft.apiName} was searchable a moment ago and is still being cleared. Try again later.`,
    );
  await store.addJob(tx, siteId, id, 'search');
}

const hasRenamedChoices = (before: SchemaField, draft: FieldDraft): boolean =>
  draft.choiceValues.some(({ id, name }) => id !== undefined && before.choices.get(id)?.name !== name);

async function renameInFormulas(
  tx: Tx,
  siteId: number,
  type: EntryType,
  before: SchemaField,
  draft: FieldDraft,
): Promise<void> {
  for (const { field, formula } of getCalculations(type)) {
    const text = renameInFormula(field.formula, draft, before);
    if (field.id === before.id || text === null || !formula.fieldIds.includes(before.id)) continue;
    await store.updateFormula(tx, siteId, field.id, text);
  }
}

const NUMBER_SLOTS = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11', 'n12'] as const;
const TEXT_SLOTS = ['t1', 't2', 't3', 't4', 't5', 't6'] as const;

type SlotTraits = Pick<FieldDraft, 'fieldType' | 'isMultiSelect' | 'isKey'>;

/** Slots that suit the field. Multi-select and file fields have none, because filters do not compare them. */
function listAllowedSlots({ fieldType, isMultiSelect, isKey }: SlotTraits): readonly Slot[] {
  if (isKey) return ['name'];
  if (isMultiSelect || isFileField(fieldType)) return [];
  return fieldType === FIELD.text ? TEXT_SLOTS : NUMBER_SLOTS;
}

/** The current slot if it still suits the field, otherwise the first free one; null when there is none. */
function chooseSlot(field: SlotTraits, current: Slot | null, usedSlots: ReadonlySet<Slot>): Slot | null {
  const fitting = listAllowedSlots(field);
  return fitting.find((slot) => slot === current) ?? fitting.find((slot) => !usedSlots.has(slot)) ?? null;
}
