import type { NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/fields.ts';

const choices = (...names: string[]) => names.map((name) => ({ name }));

/** An entry type as it is made for a load: its names, and its fields besides the name of the entry. */
export const companyType = (apiName: string) => ({
  names: { apiName, singularName: 'Company', pluralName: 'Companies' },
  fields: FIELDS,
});

/**
 * With the name of the entry twenty fields of every kind but files, counters and formulas. The first twelve that are
 * compared as numbers and the first six texts get slots; the last two have none, as in a type with very many fields.
 */
const FIELDS: readonly NewFieldInfo[] = [
  {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: FIELD.choice,
    choiceValues: choices(
      'Lead',
      'Contacted',
      'Qualified',
      'Meeting',
      'Proposal',
      'Diligence',
      'Negotiation',
      'Won',
      'Lost',
      'On hold',
    ),
  },
  {
    apiName: 'Region',
    name: 'Region',
    fieldType: FIELD.choice,
    choiceValues: choices('Africa', 'Americas', 'Asia', 'Europe', 'Middle East', 'Oceania'),
  },
  { apiName: 'Parent', name: 'Parent company', fieldType: FIELD.reference },
  { apiName: 'Owner', name: 'Owner', fieldType: FIELD.user },
  { apiName: 'Employees', name: 'Employees', fieldType: FIELD.number },
  { apiName: 'Score', name: 'Score', fieldType: FIELD.number },
  { apiName: 'Revenue', name: 'Revenue', fieldType: FIELD.number, isMoney: true },
  { apiName: 'Valuation', name: 'Valuation', fieldType: FIELD.currency },
  { apiName: 'LastContact', name: 'Last contact', fieldType: FIELD.date },
  { apiName: 'Founded', name: 'Founded', fieldType: FIELD.date, isDateOnly: true },
  { apiName: 'NextStep', name: 'Next step', fieldType: FIELD.date, isDateOnly: true },
  { apiName: 'IsClient', name: 'Client', fieldType: FIELD.boolean },
  { apiName: 'City', name: 'City', fieldType: FIELD.text },
  { apiName: 'Email', name: 'E-mail', fieldType: FIELD.text },
  { apiName: 'Phone', name: 'Phone', fieldType: FIELD.text },
  { apiName: 'Summary', name: 'Summary', fieldType: FIELD.text, isSearchable: true },
  {
    apiName: 'Tags',
    name: 'Tags',
    fieldType: FIELD.choice,
    isMultiSelect: true,
    choiceValues: choices('Family', 'Growth', 'Listed', 'Export', 'Software', 'Health', 'Energy', 'Retail'),
  },
  {
    apiName: 'Source',
    name: 'Source',
    fieldType: FIELD.choice,
    choiceValues: choices('Conference', 'Referral', 'Web', 'Cold call'),
  },
  { apiName: 'IsListed', name: 'Listed', fieldType: FIELD.boolean },
];
