/**
 * The language of placeholders. It has no expressions: a placeholder names a field, or a field of the entry that a reference field
 * names, and formats of a closed list.
 */
import { findFormat, formatValue, type FormatContext } from './formats.ts';
import type { ReportRecord, ReportValue } from './values.ts';

/** A format with its arguments. */
interface AppliedFormat {
  name: string;
  args: readonly string[];
}

/** A parsed placeholder. */
export type Placeholder =
  | { kind: 'value'; path: string; formats: readonly AppliedFormat[] }
  | { kind: 'rows' | 'endRows' | 'endIf' }
  | { kind: 'if'; path: string; isNegated: boolean };

/** Longest placeholder, in UTF-16 units. */
const MAX_PLACEHOLDER_LENGTH = 300;
const MAX_FORMATS = 3;

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const PATH = new RegExp(String.raw`^(?:\$${NAME}|${NAME}(?:\.${NAME})?)$`, 'u');
const IF = /^#\s*if\s+(not\s+)?(.*)$/isu;
/** Word replaces straight quotes by typographic ones while the author types. */
const QUOTES = `'"‘’‚‛“”„`;
const ARGUMENT = new RegExp(
  String.raw`^\s*(?:'([^']*)'|"([^"]*)"|[‘’‚‛]([^‘’‚‛]*)[‘’‚‛]|[“”„]([^“”„]*)[“”„]|([^\s,|${QUOTES}]+))\s*(,|$)`,
  'u',
);

type Parsed =
  | { placeholder: Placeholder; fault?: undefined }
  | { placeholder?: undefined; fault: ParseFault };

/** Why a placeholder cannot be read. */
interface ParseFault {
  code: 'invalid-placeholder' | 'unknown-format' | 'wrong-format';
  message: string;
  /** The unknown format. */
  format?: string;
}

const fail = (message: string, code: ParseFault['code'] = 'invalid-placeholder'): Parsed => ({
  fault: { code, message },
});

/** Parses a placeholder without its braces. */
export function parsePlaceholder(text: string): Parsed {
  const content = text.trim();
  if (content.length > MAX_PLACEHOLDER_LENGTH)
    return fail(`A placeholder has at most ${MAX_PLACEHOLDER_LENGTH} characters.`);
  if (/^#\s*rows$/i.test(content)) return { placeholder: { kind: 'rows' } };
  if (/^\/\s*rows$/i.test(content)) return { placeholder: { kind: 'endRows' } };
  if (/^\/\s*if$/i.test(content)) return { placeholder: { kind: 'endIf' } };
  const condition = IF.exec(content);
  if (condition) {
    const path = condition[2]?.trim() ?? '';
    if (!PATH.test(path))
      return fail(`"${path}" is not the name of a field. {#if Field} tests whether it has a value.`);
    return { placeholder: { kind: 'if', path, isNegated: condition[1] !== undefined } };
  }
  if (/^[#/^@-]/.test(content))
    return fail(`Only {#rows}, {/rows}, {#if Field} and {/if} begin with "${content.charAt(0)}".`);
  const [name = '', ...formats] = splitOutsideQuotes(content);
  const path = name.trim();
  if (path === '') return fail('A placeholder names a field, as in {Name}.');
  if (path.split('.').length > 2)
    return fail(
      `"${path}" takes more than one step: a placeholder reaches the fields of a referenced entry only.`,
    );
  if (!PATH.test(path)) return fail(`"${path}" is not the name of a field.`);
  if (formats.length > MAX_FORMATS) return fail(`A placeholder has at most ${MAX_FORMATS} formats.`);
  const applied: AppliedFormat[] = [];
  for (const format of formats) {
    const parsed = parseFormat(format.trim());
    if ('fault' in parsed) return parsed;
    applied.push(parsed);
  }
  return { placeholder: { kind: 'value', path, formats: applied } };
}

/** Splits at bars that are not within quotes. */
function splitOutsideQuotes(text: string): string[] {
  const parts = [''];
  let closing = '';
  for (const sign of text) {
    if (closing !== '') closing = closing.includes(sign) ? '' : closing;
    else if (sign === "'" || sign === '"') closing = sign;
    else if ('‘’‚‛'.includes(sign)) closing = '‘’‚‛';
    else if ('“”„'.includes(sign)) closing = '“”„';
    if (sign === '|' && closing === '') parts.push('');
    else parts.push((parts.pop() ?? '') + sign);
  }
  return parts;
}

function parseFormat(text: string): AppliedFormat | { fault: ParseFault } {
  const [, name = '', rest] = /^([^:]*)(?::([^]*))?$/u.exec(text) ?? [];
  const format = findFormat(name.trim());
  if (!format)
    return {
      fault: { code: 'unknown-format', message: `There is no format "${name.trim()}".`, format: name.trim() },
    };
  const args = rest === undefined ? [] : parseArguments(rest);
  if (!args)
    return {
      fault: {
        code: 'wrong-format',
        message: `What follows ${format.name}: cannot be read. Write ${format.example}.`,
      },
    };
  const fault =
    args.length < format.minArguments || args.length > format.maxArguments
      ? `${format.name} is written as ${format.example}`
      : format.findFault?.(args);
  if (fault !== undefined) return { fault: { code: 'wrong-format', message: `${fault}.` } };
  return { name: format.name, args };
}

function parseArguments(text: string): string[] | undefined {
  const args: string[] = [];
  let rest = text;
  for (;;) {
    const match = ARGUMENT.exec(rest);
    if (!match) return undefined;
    args.push(match.slice(1, 6).find((group) => group !== undefined) ?? '');
    rest = rest.slice(match[0].length);
    if (match[6] !== ',') return rest === '' ? args : undefined;
  }
}

/** Value that a placeholder shows, after its formats; undefined without one. */
export function evaluate(
  { path, formats }: Extract<Placeholder, { kind: 'value' }>,
  record: ReportRecord,
  context: FormatContext,
): ReportValue | undefined {
  let value: ReportValue | undefined = findValue(record, path);
  for (const { name, args } of formats) value = findFormat(name)?.apply(value, args, context);
  return value;
}

const findValue = (record: ReportRecord, path: string): ReportValue | undefined => {
  const key = path.toLowerCase();
  return Object.hasOwn(record, key) ? record[key] : undefined;
};

/** Text that a placeholder shows. */
export const evaluateText = (
  placeholder: Extract<Placeholder, { kind: 'value' }>,
  record: ReportRecord,
  context: FormatContext,
): string => formatValue(evaluate(placeholder, record, context), context);

/** Whether the part between `{#if Field}` and `{/if}` is shown: the field has a value other than No and 0. */
export function holds(
  { path, isNegated }: Extract<Placeholder, { kind: 'if' }>,
  record: ReportRecord,
): boolean {
  const value = findValue(record, path);
  const isTrue =
    value !== undefined &&
    !(value.kind === 'boolean' && !value.value) &&
    !((value.kind === 'number' || value.kind === 'money') && value.value === 0) &&
    !(value.kind === 'text' && value.text === '') &&
    !(value.kind === 'list' && value.items.length === 0);
  return isTrue !== isNegated;
}

/** A pair of braces in a text. */
export interface Mark {
  /** In UTF-16 units of the text. */
  offset: number;
  length: number;
  /** With its braces. */
  text: string;
  /** Whether it is the alternative text of a picture. */
  isPicture?: boolean;
  /** Why it is no placeholder: a brace without the other one. */
  fault?: 'missing-end' | 'missing-start';
}

/** Finds the placeholders of a text, and braces without the other one. */
export function findMarks(text: string): Mark[] {
  const marks: Mark[] = [];
  let start = -1;
  const add = (offset: number, end: number, fault?: Mark['fault']) =>
    marks.push({ offset, length: end - offset, text: text.slice(offset, end), ...(fault && { fault }) });
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '{') {
      if (start >= 0) add(start, at, 'missing-end');
      start = at;
    } else if (sign === '}') {
      if (start < 0) add(at, at + 1, 'missing-start');
      else add(start, at + 1);
      start = -1;
    }
  }
  if (start >= 0) add(start, Math.min(text.length, start + 40), 'missing-end');
  return marks;
}
