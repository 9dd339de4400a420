import { FIELD } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import { fold } from '../../../lib/fold.ts';
import { fieldCalled } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { operatorWords, operatorsFor } from './operators.ts';
import type { Range, Spot } from './scan.ts';

/** Something that can stand at the caret. */
export interface Completion {
  /** What takes the place of what was typed. */
  insert: string;
  label: string;
  hint: string;
}

const MOST = 30;
const GROUPS: readonly Completion[] = [
  { insert: '$or: [', label: '$or', hint: 'One of these holds' },
  { insert: '$and: [', label: '$and', hint: 'All of these hold' },
];

const fieldOptions = (fields: readonly Field[]): Completion[] => [
  ...fields.map(({ apiName, name }) => ({ insert: `${apiName}: `, label: apiName, hint: name })),
  { insert: `${ENTRY_ID}: `, label: ENTRY_ID, hint: 'Entry id' },
];

function operatorOptions(field: Field | undefined, before = '', after = ''): Completion[] {
  return operatorsFor(field?.fieldType)
    .filter(({ operand }) => operand !== 'none')
    .map(({ rowOperator, operand }) => ({
      insert: `${before}${rowOperator}: ${operand === 'one' ? '' : '['}${after}`,
      label: rowOperator,
      hint: operatorWords(rowOperator, field?.fieldType),
    }));
}

function valueOptions(field: Field | undefined): Completion[] {
  if (field?.fieldType === FIELD.boolean)
    return [
      { insert: 'true', label: 'true', hint: 'Yes' },
      { insert: 'false', label: 'false', hint: 'No' },
    ];
  if (field?.fieldType !== FIELD.choice) return [];
  return (field.choiceValues ?? []).map(({ id, name }) => ({
    insert: String(id),
    label: name,
    hint: String(id),
  }));
}

const markerOptions = (field: Field | undefined): Completion[] =>
  operatorsFor(field?.fieldType)
    .filter(({ operand }) => operand === 'none')
    .map(({ rowOperator }) => ({
      insert: `"${rowOperator}"`,
      label: rowOperator,
      hint: operatorWords(rowOperator, field?.fieldType),
    }));

function optionsAt({ kind, chain }: Spot, fields: readonly Field[]): Completion[] {
  const [name, operator] = chain;
  if (name === undefined) return kind === 'key' ? [...fieldOptions(fields), ...GROUPS] : [];
  const field = name.toLowerCase() === ENTRY_ID.toLowerCase() ? undefined : fieldCalled(fields, name);
  if (!field && name.toLowerCase() !== ENTRY_ID.toLowerCase()) return [];
  if (kind === 'key') return operatorOptions(field);
  if (operator !== undefined) return valueOptions(field);
  return [...valueOptions(field), ...markerOptions(field), ...operatorOptions(field, '{')];
}

/** What can stand at the caret, what begins as typed in front: fields, operators, choices by their names. */
export function completionsAt(spot: Spot, fields: readonly Field[]): readonly Completion[] {
  const typed = fold(spot.typed);
  const found = optionsAt(spot, fields).filter(({ label, hint }) => fold(`${label} ${hint}`).includes(typed));
  const begins = ({ label }: Completion) =>
    fold(label).replace(/^\$/, '').startsWith(typed.replace(/^\$/, ''));
  return [...found.filter(begins), ...found.filter((one) => !begins(one))].slice(0, MOST);
}

/** The text with a completion in it, and where the caret is then. */
export function completed(
  text: string,
  { from, to }: Range,
  { insert }: Completion,
): { text: string; caret: number } {
  const rest = text.slice(to);
  // A name that has its colon already keeps it.
  const put = /^\s*:/.test(rest) ? insert.replace(/: ?[[]?$/, '') : insert;
  return { text: `${text.slice(0, from)}${put}${rest}`, caret: from + put.length };
}
