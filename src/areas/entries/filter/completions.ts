import { foldText } from '../../../../contract/rules/fold-text.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { findField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { formatOperator, getOperations } from './operators.ts';
import type { TextRange, CaretContext } from './scan-query.ts';

/** A suggestion for the caret position. */
export interface Completion {
  /** Replaces the typed text. */
  insert: string;
  label: string;
  hint: string;
}

const MAX_COMPLETIONS = 30;
const GROUP_COMPLETIONS: readonly Completion[] = [
  { insert: '$or: [', label: '$or', hint: 'Any of these match' },
  { insert: '$and: [', label: '$and', hint: 'All of these match' },
];

const buildFieldCompletions = (fields: readonly Field[]): Completion[] => [
  ...fields.map(({ apiName, name }) => ({ insert: `${apiName}: `, label: apiName, hint: name })),
  { insert: `${ENTRY_ID}: `, label: ENTRY_ID, hint: 'Entry id' },
];

function buildOperatorCompletions(field: Field | undefined, before = '', after = ''): Completion[] {
  return getOperations(field?.fieldType)
    .filter(({ operand }) => operand !== 'none')
    .map(({ rowOperator, operand }) => ({
      insert: `${before}${rowOperator}: ${operand === 'one' ? '' : '['}${after}`,
      label: rowOperator,
      hint: formatOperator(rowOperator, field?.fieldType),
    }));
}

function buildValueCompletions(field: Field | undefined): Completion[] {
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

const buildMarkerCompletions = (field: Field | undefined): Completion[] =>
  getOperations(field?.fieldType)
    .filter(({ operand }) => operand === 'none')
    .map(({ rowOperator }) => ({
      insert: `"${rowOperator}"`,
      label: rowOperator,
      hint: formatOperator(rowOperator, field?.fieldType),
    }));

function buildCompletions({ kind, keyPath }: CaretContext, fields: readonly Field[]): Completion[] {
  const [name, operator] = keyPath;
  if (name === undefined)
    return kind === 'key' ? [...buildFieldCompletions(fields), ...GROUP_COMPLETIONS] : [];
  const field = name.toLowerCase() === ENTRY_ID.toLowerCase() ? undefined : findField(fields, name);
  if (!field && name.toLowerCase() !== ENTRY_ID.toLowerCase()) return [];
  if (kind === 'key') return buildOperatorCompletions(field);
  if (operator !== undefined) return buildValueCompletions(field);
  return [
    ...buildValueCompletions(field),
    ...buildMarkerCompletions(field),
    ...buildOperatorCompletions(field, '{'),
  ];
}

/** Suggestions for the caret: fields, operators and choices; those that start with the typed text come first. */
export function getCompletions(context: CaretContext, fields: readonly Field[]): readonly Completion[] {
  const typed = foldText(context.typed);
  const found = buildCompletions(context, fields).filter(({ label, hint }) =>
    foldText(`${label} ${hint}`).includes(typed),
  );
  const startsWithTyped = ({ label }: Completion) =>
    foldText(label).replace(/^\$/, '').startsWith(typed.replace(/^\$/, ''));
  return [
    ...found.filter(startsWithTyped),
    ...found.filter((completion) => !startsWithTyped(completion)),
  ].slice(0, MAX_COMPLETIONS);
}

/** Inserts a completion; returns the new text and caret position. */
export function applyCompletion(
  text: string,
  { from, to }: TextRange,
  { insert }: Completion,
): { text: string; caret: number } {
  const rest = text.slice(to);
  // A key that already has its colon keeps it.
  const inserted = /^\s*:/.test(rest) ? insert.replace(/: ?[[]?$/, '') : insert;
  return { text: `${text.slice(0, from)}${inserted}${rest}`, caret: from + inserted.length };
}
