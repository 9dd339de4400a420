import { formatRelativeDifference } from '../../../lib/percentages.ts';

/** A part of two texts: what both have, or what one has. */
interface TextPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Characters of unchanged text that stay around a difference. */
const CONTEXT = 60;
/** Shorter texts are shown as a whole, before and after. */
const MIN_LENGTH = 40;

/**
 * The changed middle of two longer texts with some unchanged text around it; undefined for short texts and for those that have
 * nothing in common, which are easier to read one after the other.
 */
export function compareTexts(before: string, after: string): readonly TextPart[] | undefined {
  if (before.length < MIN_LENGTH || after.length < MIN_LENGTH) return undefined;
  // Words, and the characters between them.
  const [a, b] = [before, after].map((text) => text.match(/\s+|\S+/g) ?? []);
  if (!a || !b) return undefined;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  if (start + end === 0) return undefined;
  const head = a.slice(0, start).join('');
  const tail = a.slice(a.length - end).join('');
  const parts: TextPart[] = [
    { kind: 'same', text: head.length > CONTEXT ? `…${head.slice(-CONTEXT)}` : head },
    { kind: 'removed', text: a.slice(start, a.length - end).join('') },
    { kind: 'added', text: b.slice(start, b.length - end).join('') },
    { kind: 'same', text: tail.length > CONTEXT ? `${tail.slice(0, CONTEXT)}…` : tail },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Formats the relative change of two numbers or amounts of one currency: "+13.7%"; undefined for other values. */
export function formatChange(before: unknown, after: unknown): string | undefined {
  const [a, b] = [toAmount(before), toAmount(after)];
  if (!a || !b || a.currency !== b.currency || a.value === 0) return undefined;
  return formatRelativeDifference((b.value - a.value) / Math.abs(a.value));
}

function toAmount(value: unknown): { value: number; currency: string } | undefined {
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof single === 'number') return { value: single, currency: '' };
  if (typeof single !== 'object' || single === null) return undefined;
  const { value: amount, currencyCode } = single as { value?: unknown; currencyCode?: unknown };
  return typeof amount === 'number' && typeof currencyCode === 'string'
    ? { value: amount, currency: currencyCode }
    : undefined;
}
