/** Companies, contacts and deals of a sample site: their entry types, their entries, and the stages that deals went through. */
import type { EntryTypeIcon, NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD, FILTER } from '../../../contract/rules/schema/fields.ts';
import { DEFAULT_TYPE_ICON } from '../../../contract/rules/schema/type-icons.ts';
import {
  createEntryType,
  createField,
  type EntryType,
  getCalculations,
  lockSchemaShared,
  type StoredValue,
  type StoredValues,
} from '../../areas/schema/index.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { CITIES, drawAmount, drawCompanyName, drawMoney, drawSentence, formatDay } from '../load/draw.ts';
import { createRandom, type Random } from '../load/random.ts';
import type { LoadedEntry } from '../load/rows.ts';
import { CONTACT_ROLES, DEAL_STAGES, ENTRY_TYPES, type SampleEntryType, type SampleField } from './data.ts';
import { drawName } from './people.ts';
import {
  insertCellChanges,
  insertEntries,
  type SampleCellChange,
  setFieldCounter,
  type Site,
  takeEntryIds,
} from './sample.store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HISTORY_MS = 6 * 365 * DAY_MS;
const STAGE_WON = DEAL_STAGES.indexOf('Won');
const STAGE_LOST = DEAL_STAGES.indexOf('Lost');

interface EntryTypes {
  company: EntryType;
  contact: EntryType;
  deal: EntryType;
}

/** The sample has no author: its entry types leave no audit rows and no events. */
const recordNothing: Recorder = () => {};

async function readType(tx: Tx, siteId: number, typeId: number): Promise<EntryType> {
  const type = (await lockSchemaShared(tx, siteId)).typesById.get(typeId);
  if (!type) throw new Error(`Entry type ${typeId} does not exist`);
  return type;
}

async function resolveCondition(
  tx: Tx,
  siteId: number,
  typeId: number,
  { field: fieldName, equals }: NonNullable<SampleField['requiredWhen']>,
): Promise<NonNullable<NewFieldInfo['requiredWhen']>> {
  const field = (await readType(tx, siteId, typeId)).fieldsByName.get(fieldName.toLowerCase());
  const choice = [...(field?.choices.values() ?? [])].find(({ name }) => name === equals);
  if (!field || !choice)
    throw new Error(`The condition ${fieldName} = ${equals} has no such field or choice`);
  return {
    match: 'all',
    conditions: [{ fieldId: field.id, operation: FILTER.equals, value: choice.id }],
  };
}

const ICONS: Readonly<Record<string, EntryTypeIcon>> = {
  Company: 'building',
  Contact: 'contact',
  Deal: 'handshake',
};

async function createSampleType(
  tx: Tx,
  siteId: number,
  apiName: string,
  { singularName, pluralName, fields }: SampleEntryType,
  typeIds: Readonly<Record<string, number>> = {},
): Promise<EntryType> {
  const { id: typeId } = await createEntryType(
    tx,
    siteId,
    { apiName, singularName, pluralName, icon: ICONS[apiName] ?? DEFAULT_TYPE_ICON },
    recordNothing,
  );
  for (const { fieldType, choices, entryTypes, requiredWhen, ...rest } of fields) {
    // The order of the calls decides ids and storage columns.
    const field: NewFieldInfo = {
      ...rest,
      fieldType: FIELD[fieldType],
      ...(choices && { choiceValues: choices.map((name) => ({ name })) }),
      ...(entryTypes && { entryLists: entryTypes.flatMap((name) => typeIds[name] ?? []) }),
      ...(requiredWhen && { requiredWhen: await resolveCondition(tx, siteId, typeId, requiredWhen) }),
    };
    await createField(tx, siteId, String(typeId), field, recordNothing);
  }
  return readType(tx, siteId, typeId);
}

async function createEntryTypes(tx: Tx, siteId: number): Promise<EntryTypes> {
  const company = await createSampleType(tx, siteId, 'Company', ENTRY_TYPES.Company);
  const companyId = { Company: company.id };
  const contact = await createSampleType(tx, siteId, 'Contact', ENTRY_TYPES.Contact, companyId);
  const ids = { ...companyId, Contact: contact.id };
  return { company, contact, deal: await createSampleType(tx, siteId, 'Deal', ENTRY_TYPES.Deal, ids) };
}

interface DrawContext {
  random: Random;
  siteId: number;
  types: EntryTypes;
  /** Ids of the users who create and own entries. */
  userIds: readonly number[];
  asOf: number;
  /** Ids of the entries to draw. */
  ids: { company: readonly number[]; contact: readonly number[]; deal: readonly number[] };
}

/** Values by field id, from values by API name; calculated fields are computed. */
function toStoredValues(
  type: EntryType,
  valuesByName: Readonly<Record<string, StoredValue | undefined>>,
): StoredValues {
  const vals: Record<string, StoredValue> = {};
  for (const field of type.fields) {
    const value = valuesByName[field.apiName];
    if (value !== undefined) vals[field.id] = value;
  }
  for (const { field, formula } of getCalculations(type)) {
    const value = formula.run(vals);
    if (value !== undefined) vals[field.id] = value;
  }
  return vals;
}

const getChoiceIds = (type: EntryType, apiName: string): number[] => [
  ...(type.fieldsByName.get(apiName.toLowerCase())?.choices.keys() ?? []),
];

function drawSubset<T>(random: Random, items: readonly T[], probability: number): T[] | undefined {
  const subset = items.filter(() => random.chance(probability));
  return subset.length > 0 ? subset : undefined;
}

/** Up to three ids of very many. */
function drawFewIds(random: Random, ids: readonly number[], probability: number): number[] | undefined {
  const candidates = new Set(Array.from({ length: 3 }, () => random.pick(ids)));
  return drawSubset(random, [...candidates], probability);
}

/** Creation times are spread evenly over six years, in the order of the entries. */
const getCreationTime = ({ asOf }: DrawContext, index: number, count: number): Date =>
  new Date(asOf - Math.round(HISTORY_MS * (1 - index / count)) - DAY_MS);

function drawCompanies(context: DrawContext): LoadedEntry[] {
  const { random, siteId, types, userIds, asOf, ids } = context;
  const sectorIds = getChoiceIds(types.company, 'Sector');
  const tagIds = getChoiceIds(types.company, 'Tags');
  return ids.company.map((entryId, index) => {
    const name = drawCompanyName(random);
    const vals = toStoredValues(types.company, {
      Name: name,
      Sector: random.pick(sectorIds),
      City: random.pick(CITIES),
      Website: `https://www.${name.slice(0, name.indexOf(' ')).toLowerCase()}.example`,
      Employees: drawAmount(random, 20),
      Revenue: random.chance(0.85) ? drawMoney(random, 800) : undefined,
      Founded: formatDay(asOf - random.between(2 * 365, 90 * 365) * DAY_MS),
      IsListed: random.chance(0.15),
      Owner: random.pick(userIds),
      Tags: drawSubset(random, tagIds, 0.2),
      LastContact: random.chance(0.8)
        ? new Date(asOf - random.between(0, 500 * 24 * 60) * MINUTE_MS).toISOString()
        : undefined,
      Summary: drawSentence(random),
    });
    const createdAt = getCreationTime(context, index, ids.company.length);
    return { siteId, entryId, vals, createdAt, createdBy: random.pick(userIds) };
  });
}

function drawContacts(context: DrawContext): LoadedEntry[] {
  const { random, siteId, types, userIds, asOf, ids } = context;
  return ids.contact.map((entryId, index) => {
    const { first, last, latin } = drawName(random);
    const vals = toStoredValues(types.contact, {
      Name: `${first} ${last}`,
      Company: random.pick(ids.company),
      Role: random.pick(CONTACT_ROLES),
      Email: `${latin.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@contact.example`,
      Phone: random.chance(0.7) ? `+44 20 5550 ${random.between(1000, 9999)}` : undefined,
      LastMeeting: random.chance(0.6)
        ? new Date(asOf - random.between(0, 900 * 24 * 2) * 30 * MINUTE_MS).toISOString()
        : undefined,
      Newsletter: random.chance(0.4),
      KnownBy: drawFewIds(random, userIds, 0.5),
    });
    const createdAt = getCreationTime(context, index, ids.contact.length);
    return { siteId, entryId, vals, createdAt, createdBy: random.pick(userIds) };
  });
}

/** Indexes of the stages that a deal went through; the last one is its current stage. */
function drawStages(random: Random): number[] {
  const stages = [...DEAL_STAGES.keys()];
  const last = random.between(0, stages.length - 1);
  const open = stages.slice(0, STAGE_WON);
  if (last === STAGE_WON) return stages.slice(0, STAGE_LOST);
  if (last === STAGE_LOST) return [...open.slice(0, random.between(1, open.length)), STAGE_LOST];
  return open.slice(0, last + 1);
}

function drawDeals(context: DrawContext): { entries: LoadedEntry[]; changes: SampleCellChange[] } {
  const { random, siteId, types, userIds, asOf, ids } = context;
  const type = types.deal;
  const stageFieldId = type.fieldsByName.get('stage')?.id ?? 0;
  const stageIds = getChoiceIds(type, 'Stage');
  const reasonIds = getChoiceIds(type, 'LostReason');
  const changes: SampleCellChange[] = [];
  const entries = ids.deal.map((entryId, index): LoadedEntry => {
    const path = drawStages(random).map((stage) => stageIds[stage] ?? 0);
    const current = path.at(-1) ?? 0;
    const createdAt = getCreationTime(context, index, ids.deal.length);
    const team = drawSubset(random, userIds.slice(0, 40), 0.06);
    let at = createdAt.getTime();
    for (const [step, stageId] of path.slice(1).entries()) {
      at = Math.min(
        at + random.between(5, 45) * DAY_MS + random.between(0, DAY_MS),
        asOf - MINUTE_MS * (path.length - step),
      );
      changes.push({
        typeId: type.id,
        entryId,
        fieldId: stageFieldId,
        at: new Date(at),
        old: path[step] ?? null,
        new: stageId,
        userId: random.pick(team ?? userIds),
      });
    }
    const isLost = current === stageIds[STAGE_LOST];
    const isClosed = isLost || current === stageIds[STAGE_WON];
    const vals = toStoredValues(type, {
      Name: `Project ${random.pick(CITIES)} ${index + 1}`,
      Number: index + 1,
      Company: random.pick(ids.company),
      Stage: current,
      LostReason: isLost ? random.pick(reasonIds) : undefined,
      Amount: drawMoney(random, 1500),
      Probability: isClosed ? undefined : random.between(1, 19) * 5,
      Multiple: random.chance(0.9) ? random.between(30, 160) / 10 : undefined,
      ExpectedClose: isClosed ? undefined : formatDay(asOf + random.between(5, 300) * DAY_MS),
      Contacts: drawFewIds(random, ids.contact, 0.6),
      Team: team,
    });
    return { siteId, entryId, vals, createdAt, createdBy: random.pick(userIds) };
  });
  return { entries, changes: changes.toSorted((one, other) => one.at.getTime() - other.at.getTime()) };
}

/** Creates the entry types of a site and fills them with entries of these users. */
export async function writeEntries(
  tx: Tx,
  { siteId }: Site,
  userIds: readonly number[],
  options: { userCount: number; seed: number; asOf: Date },
): Promise<void> {
  const types = await createEntryTypes(tx, siteId);
  const { userCount, seed } = options;
  const ids = {
    company: await takeEntryIds(tx, Math.min(userCount, 5000)),
    contact: await takeEntryIds(tx, Math.min(userCount * 2, 10_000)),
    deal: await takeEntryIds(tx, Math.min(Math.ceil(userCount / 2), 2500)),
  };
  const asOf = options.asOf.getTime();
  const context: DrawContext = { random: createRandom(seed), siteId, types, userIds, asOf, ids };
  // The order decides which random numbers each type gets.
  const deals = drawDeals(context);
  await insertEntries(tx, types.company, drawCompanies(context));
  await insertEntries(tx, types.contact, drawContacts(context));
  await insertEntries(tx, types.deal, deals.entries);
  await insertCellChanges(tx, siteId, deals.changes);
  const number = types.deal.fieldsByName.get('number');
  if (number) await setFieldCounter(tx, siteId, number.id, ids.deal.length + 1);
}
