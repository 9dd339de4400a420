import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD, FILTER } from '../../../contract/rules/fields.ts';
import { addField, createType, type EntryType, holdSchema } from '../../areas/schema/index.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';

/** Entry types of a firm that invests: whom it knows, and what it works on. */
export interface SampleTypes {
  company: EntryType;
  contact: EntryType;
  deal: EntryType;
}

const choices = (...names: string[]) => names.map((name) => ({ name }));

export const STAGES = ['Sourced', 'Contacted', 'Meeting', 'Diligence', 'Offer', 'Won', 'Lost'] as const;

const company = (): NewFieldInfo[] => [
  {
    apiName: 'Sector',
    name: 'Sector',
    fieldType: FIELD.choice,
    choiceValues: choices(
      'Consumer',
      'Energy',
      'Health',
      'Industry',
      'Logistics',
      'Materials',
      'Media',
      'Software',
    ),
  },
  { apiName: 'City', name: 'City', fieldType: FIELD.text },
  { apiName: 'Website', name: 'Website', fieldType: FIELD.text },
  { apiName: 'Employees', name: 'Employees', fieldType: FIELD.number },
  {
    apiName: 'Revenue',
    name: 'Revenue',
    fieldType: FIELD.number,
    isMoney: true,
    description: 'Of the last full year',
  },
  { apiName: 'Founded', name: 'Founded', fieldType: FIELD.date, isDateOnly: true },
  { apiName: 'IsListed', name: 'Listed', fieldType: FIELD.boolean },
  { apiName: 'Owner', name: 'Owner', fieldType: FIELD.user, description: 'Who looks after the company' },
  {
    apiName: 'Tags',
    name: 'Tags',
    fieldType: FIELD.choice,
    isMultiSelect: true,
    choiceValues: choices(
      'Family-owned',
      'Founder-led',
      'Carve-out',
      'Export',
      'Recurring revenue',
      'Regulated',
    ),
  },
  { apiName: 'LastContact', name: 'Last contact', fieldType: FIELD.date },
  { apiName: 'Summary', name: 'Summary', fieldType: FIELD.text, isSearchable: true },
];

const contact = (companyId: number): NewFieldInfo[] => [
  { apiName: 'Company', name: 'Company', fieldType: FIELD.reference, entryLists: [companyId] },
  { apiName: 'Role', name: 'Role', fieldType: FIELD.text },
  { apiName: 'Email', name: 'E-mail', fieldType: FIELD.text },
  { apiName: 'Phone', name: 'Phone', fieldType: FIELD.text },
  { apiName: 'LastMeeting', name: 'Last meeting', fieldType: FIELD.date },
  { apiName: 'Newsletter', name: 'Newsletter', fieldType: FIELD.boolean },
  { apiName: 'KnownBy', name: 'Known by', fieldType: FIELD.user, isMultiSelect: true },
];

const deal = (companyId: number, contactId: number): NewFieldInfo[] => [
  { apiName: 'Number', name: 'Number', fieldType: FIELD.counter },
  {
    apiName: 'Company',
    name: 'Company',
    fieldType: FIELD.reference,
    entryLists: [companyId],
    isRequired: true,
  },
  {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: FIELD.choice,
    choiceValues: choices(...STAGES),
    isRequired: true,
  },
  { apiName: 'Amount', name: 'Amount', fieldType: FIELD.currency },
  { apiName: 'Probability', name: 'Probability', fieldType: FIELD.number, description: 'Percent' },
  {
    apiName: 'Multiple',
    name: 'Multiple',
    fieldType: FIELD.number,
    description: 'Price over yearly earnings',
  },
  {
    apiName: 'Attractiveness',
    name: 'Attractiveness',
    description: 'A high probability at a low multiple',
    fieldType: FIELD.number,
    formula: 'round(Probability / Multiple, 1)',
  },
  { apiName: 'ExpectedClose', name: 'Expected close', fieldType: FIELD.date, isDateOnly: true },
  {
    apiName: 'Contacts',
    name: 'Contacts',
    fieldType: FIELD.reference,
    isMultiSelect: true,
    entryLists: [contactId],
  },
  { apiName: 'Team', name: 'Team', fieldType: FIELD.user, isMultiSelect: true },
];

/** Nobody made the sample: it leaves no rows of audit and no events. */
const unrecorded: Recorder = () => {};

async function make(
  tx: Tx,
  siteId: number,
  names: [string, string, string],
  fields: readonly NewFieldInfo[],
) {
  const [apiName, singularName, pluralName] = names;
  const id = await createType(tx, siteId, { apiName, singularName, pluralName }, unrecorded);
  for (const field of fields)
    // oxlint-disable-next-line no-await-in-loop -- their ids and slots are in this order
    await addField(tx, siteId, String(id), field, unrecorded);
  return readType(tx, siteId, id);
}

async function readType(tx: Tx, siteId: number, id: number): Promise<EntryType> {
  const type = (await holdSchema(tx, siteId)).typesById.get(id);
  if (!type) throw new Error(`Type ${id} was not made`);
  return type;
}

/** Makes Company, Contact and Deal; a lost deal needs a reason. */
export async function makeSampleTypes(tx: Tx, siteId: number): Promise<SampleTypes> {
  const companies = await make(tx, siteId, ['Company', 'Company', 'Companies'], company());
  const contacts = await make(tx, siteId, ['Contact', 'Contact', 'Contacts'], contact(companies.id));
  const deals = await make(tx, siteId, ['Deal', 'Deal', 'Deals'], deal(companies.id, contacts.id));
  const stage = deals.byName.get('stage');
  const lost = [...(stage?.choices.values() ?? [])].find(({ name }) => name === 'Lost');
  if (!stage || !lost) throw new Error('The stages of deals were not made');
  const reason: NewFieldInfo = {
    apiName: 'LostReason',
    name: 'Reason of the loss',
    fieldType: FIELD.choice,
    choiceValues: choices('Price', 'Timing', 'Findings', 'Another buyer'),
    requiredWhen: {
      match: 'all',
      conditions: [{ fieldId: stage.id, operation: FILTER.equals, value: lost.id }],
    },
  };
  await addField(tx, siteId, String(deals.id), reason, unrecorded);
  return { company: companies, contact: contacts, deal: await readType(tx, siteId, deals.id) };
}
