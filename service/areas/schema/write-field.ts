import { FIELD, isFileField } from '../../../contract/rules/fields.ts';
import { renameField } from '../../../contract/rules/formula/rename.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, invalid } from '../../kernel/http/errors.ts';
import { brokenFields, draftFaults, isNameTaken, type Plan, type PlannedField } from './check.ts';
import * as choices from './choices.store.ts';
import { draftOf, type Draft } from './draft.ts';
import { calculationsOf, formulaField } from './formulas.ts';
import type { EntryType, SchemaField, SiteSchema, Slot } from './schema.ts';
import * as store from './store.ts';

/** A field that does not exist yet, among those that do. */
const NEW_FIELD = 0;

const planned = (field: SchemaField): PlannedField => ({
  ...formulaField(field),
  requiredWhen: field.requiredWhen,
  choiceIds: new Set(draftOf(field).choiceValues.flatMap(({ id }) => id ?? [])),
});

/** The fields of a type as they are to be, with one as a request wants it. */
export function planOf(schema: SiteSchema, type: EntryType, draft: Draft, before?: SchemaField): Plan {
  const names = new Map(draft.choiceValues.map(({ id, name }) => [id, name]));
  const field: PlannedField = {
    ...draft,
    id: before?.id ?? NEW_FIELD,
    choiceName: (id) => names.get(id),
    choiceIds: before ? planned(before).choiceIds : new Set(),
  };
  // Others refer to the choices that will be there, the request itself to those that are.
  const left = new Set([...field.choiceIds].filter((id) => names.has(id)));
  const others = type.fields
    .filter(({ id }) => id !== before?.id)
    .map(planned)
    .map((other) => ({ ...other, formula: followed(other.formula, draft, before) }));
  return { schema, type, draft, field, fields: [...others, { ...field, choiceIds: left }] };
}

/** The formula of another field, in which this one may have a new name. */
const followed = (formula: string | null, { apiName }: Draft, before?: SchemaField): string | null =>
  formula === null || !before || before.apiName === apiName
    ? formula
    : renameField(formula, before.apiName, apiName);

/** @throws ApiError 400 with every fault; 409 when nothing but what others have stands against it */
export function requireSound(plan: Plan, entryCount: number, before?: SchemaField): void {
  const faults = draftFaults(plan);
  const taken = isNameTaken(plan) ? [{ path: 'apiName', message: 'is the name of another field' }] : [];
  if (faults.length > 0) throw invalid([...faults, ...taken]);
  const { draft, type } = plan;
  if (taken.length > 0) throw conflict(`${type.apiName} has a field named ${draft.apiName} already`, taken);
  requireSettled(plan, entryCount, before);
  const broken = brokenFields(plan);
  if (broken.length > 0)
    throw conflict(
      `The formulas or conditions of these fields need ${draft.apiName} as it is: ${broken.join(', ')}`,
    );
}

/** The traits that say how a value is stored, as far as they change. */
export const shapeChanges = (
  before: SchemaField,
  draft: Draft,
): ('isMultiSelect' | 'isMoney' | 'isDateOnly')[] =>
  (['isMultiSelect', 'isMoney', 'isDateOnly'] as const).filter((trait) => before[trait] !== draft[trait]);

/** What cannot change while there are entries: their values would not fit. */
function requireSettled({ draft, type }: Plan, entryCount: number, before?: SchemaField): void {
  if (entryCount === 0) return;
  const frozen = before ? shapeChanges(before, draft) : [];
  const becomesKey = draft.isKey && !before?.isKey;
  const becomesCalculated = before !== undefined && draft.formula !== null && before.formula === null;
  const paths = [...frozen, ...(becomesKey ? ['isKey'] : []), ...(becomesCalculated ? ['formula'] : [])];
  if (paths.length === 0) return;
  throw conflict(
    `${type.apiName} has entries`,
    paths.map((path) => ({ path, message: `cannot change while ${type.apiName} has entries` })),
  );
}

/** Everything that is stored when a field is written; answers its id. */
export async function writeField(
  tx: Tx,
  { schema: { siteId }, type, draft }: Plan,
  entryCount: number,
  before?: SchemaField,
): Promise<number> {
  if (draft.isKey && !before?.isKey) await moveKey(tx, siteId, type);
  const taken = await store.takenSlots(tx, siteId, type.id);
  const state = stateOf(draft, taken, entryCount, before);
  if (before) await store.updateField(tx, siteId, before.id, draft, state);
  const id = before?.id ?? (await store.insertField(tx, siteId, type.id, draft, state));
  if (draft.fieldType === FIELD.choice) await choices.writeChoices(tx, siteId, id, draft.choiceValues);
  if (!before && draft.fieldType === FIELD.counter) await store.insertCounter(tx, siteId, id);
  if (before && before.apiName !== draft.apiName) await renameInFormulas(tx, siteId, type, before, draft);
  if (entryCount > 0) await leaveJobs(tx, siteId, id, type, draft, state, before);
  return id;
}

/** The key goes to another field, in a type without entries: the one that had it becomes a text like others. */
async function moveKey(tx: Tx, siteId: number, type: EntryType): Promise<void> {
  const taken = await store.takenSlots(tx, siteId, type.id);
  await store.releaseKey(tx, siteId, type.key.id, slotFor({ ...type.key, isKey: false }, null, taken));
}

type State = Parameters<typeof store.insertField>[4];

function stateOf(draft: Draft, taken: ReadonlySet<Slot>, entryCount: number, before?: SchemaField): State {
  const fresh = entryCount === 0 ? 'ready' : 'filling';
  const slot = slotFor(draft, before?.slot ?? null, taken);
  const keeps = before?.slot === slot && before.isSlotReady;
  const found = before?.isSearchable && before.isSearchReady;
  return {
    slot,
    slotState: slot && (keeps ? 'ready' : fresh),
    searchState: draft.isSearchable ? (found ? 'ready' : fresh) : null,
  };
}

/** What has to be done with the entries that are there, a piece at a time after this. */
async function leaveJobs(
  tx: Tx,
  siteId: number,
  id: number,
  type: EntryType,
  draft: Draft,
  state: State,
  before?: SchemaField,
): Promise<void> {
  if (state.slotState === 'filling') await store.addJob(tx, siteId, id, 'slot');
  if (draft.isSearchable !== (before?.isSearchable ?? false)) await leaveSearch(tx, siteId, id, draft);
  const isRecalculated = draft.formula !== null && draft.formula !== before?.formula;
  if (isRecalculated) await store.addJob(tx, siteId, id, 'calculate');
  if (!before || !renamesChoices(before, draft)) return;
  for (const { field, formula } of calculationsOf(type))
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    if (formula.reads.includes(id)) await store.addJob(tx, siteId, field.id, 'calculate');
}

/** Texts that are being taken out are no longer followed: they must be gone before they come in again. */
async function leaveSearch(tx: Tx, siteId: number, id: number, draft: Draft): Promise<void> {
  if (draft.isSearchable && (await store.hasJob(tx, siteId, id, 'search')))
    throw conflict(
      `${draft.apiName} was searchable a moment ago and is still being cleared. Try again later.`,
    );
  await store.addJob(tx, siteId, id, 'search');
}

const renamesChoices = (before: SchemaField, draft: Draft): boolean =>
  draft.choiceValues.some(({ id, name }) => id !== undefined && before.choices.get(id)?.name !== name);

async function renameInFormulas(
  tx: Tx,
  siteId: number,
  type: EntryType,
  before: SchemaField,
  draft: Draft,
): Promise<void> {
  for (const { field, formula } of calculationsOf(type)) {
    const text = followed(field.formula, draft, before);
    if (field.id === before.id || text === null || !formula.reads.includes(before.id)) continue;
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await store.updateFormula(tx, siteId, field.id, text);
  }
}

const NUMBER_SLOTS = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11', 'n12'] as const;
const TEXT_SLOTS = ['t1', 't2', 't3', 't4', 't5', 't6'] as const;

type Slotted = Pick<Draft, 'fieldType' | 'isMultiSelect' | 'isKey'>;

/** The slots that a field may have; none for several values and files, which filters do not compare. */
function slotsFor({ fieldType, isMultiSelect, isKey }: Slotted): readonly Slot[] {
  if (isKey) return ['name'];
  if (isMultiSelect || isFileField(fieldType)) return [];
  return fieldType === FIELD.text ? TEXT_SLOTS : NUMBER_SLOTS;
}

/** The slot of a field: the one it has, if that still fits, else the first that no other field of the type has. */
function slotFor(field: Slotted, has: Slot | null, taken: ReadonlySet<Slot>): Slot | null {
  const fitting = slotsFor(field);
  return fitting.find((slot) => slot === has) ?? fitting.find((slot) => !taken.has(slot)) ?? null;
}
