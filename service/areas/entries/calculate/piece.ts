/** Calculation of a piece of entries. Runs in a worker thread (calculator-worker.ts), so it imports neither schema nor database. */
import { isDeepStrictEqual } from 'node:util';
import {
  compileFormula,
  type Formula,
  FormulaLimitError,
} from '../../../../contract/rules/formula/formula.ts';
import type { FormulaField } from '../../../../contract/rules/formula/values.ts';

/** Limits of one piece. The time is processor time of the thread, so that a busy machine does not fail innocent formulas. */
export const PIECE_LIMITS = { readBytes: 4_000_000, madeBytes: 16_000_000, timeMs: 250, memoryMb: 64 };

/** A field as it is sent to the thread: the choices as names by id instead of a function. */
type FieldDefinition = Omit<FormulaField, 'getChoiceName'> & {
  choiceNames: ReadonlyMap<number, string>;
};

/** What the calculated fields of an entry type need. */
export interface TypeDefinition {
  /** The calculated fields and those that they read. */
  fields: readonly FieldDefinition[];
  /** Ids of the calculated fields, each after the calculated fields that it reads. */
  calculatedFieldIds: readonly number[];
}

/** An entry with the values of the fields of the definition by field id, as JSON. */
export interface PieceEntry {
  entryId: number;
  vals: string;
}

type CalculatedValue = string | number | boolean;

/** An entry of which calculated values changed, with the values of all its calculated fields: a piece is stored with one set of columns. */
export interface CalculatedEntry {
  entryId: number;
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, CalculatedValue>>;
  changedFieldIds: readonly number[];
}

/** A value that could not be calculated; the entry has no data in the field. */
export interface FailedValue {
  entryId: number;
  fieldId: number;
  reason: string;
}

export type PieceResult =
  /** The first `count` entries were calculated within the limits. */
  | { count: number; changed: readonly CalculatedEntry[]; failed: readonly FailedValue[] }
  /** The first entry alone exceeds the time; `fieldId` is the field that took longest. */
  | { slowFieldId: number };

interface CompiledField {
  id: number;
  formula: Formula;
}

/** Compiles the calculated fields in their order. @throws Error for an invalid formula, which the schema does not accept */
export function compileDefinition({ fields, calculatedFieldIds }: TypeDefinition): readonly CompiledField[] {
  const formulaFields = fields.map(({ choiceNames, ...field }): FormulaField => ({
    ...field,
    getChoiceName: (id) => choiceNames.get(id),
  }));
  return calculatedFieldIds.flatMap((id) => {
    const field = formulaFields.find((each) => each.id === id);
    if (!field || field.formula === null) return [];
    const compiled = compileFormula(field.formula, field, formulaFields);
    if ('issue' in compiled)
      throw new Error(`The formula of field ${id} is invalid: ${compiled.issue.message}`);
    return [{ id, formula: compiled.formula }];
  });
}

/** Normalizes a value as jsonb stores it: no -0 and no lone surrogates. */
function toStoredValue(value: CalculatedValue): CalculatedValue {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Reason of a result that would make the entry too large to be read for its next calculation. */
const ENTRY_TOO_LARGE = `The values that the formulas of this entry read and calculate exceed ${PIECE_LIMITS.readBytes / 1_000_000} MB.`;

/** Size of a value as the database measures it (readEntries), whose JSON has spaces between members. */
const getJsonSize = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value, undefined, isList(value) ? 1 : 0));
const isList = (value: unknown): boolean => typeof value === 'object' && value !== null;

const sumSizes = (values: readonly unknown[]): number =>
  values.reduce((sum: number, value) => sum + getJsonSize(value), 0);

const describeFailure = (error: unknown): string =>
  error instanceof FormulaLimitError
    ? error.message
    : `The calculation failed: ${error instanceof Error ? error.message : String(error)}`;

interface PieceOptions {
  /** Fields that are not calculated: the entries have no data in them. */
  skippedFieldIds: ReadonlySet<number>;
  /** Milliseconds of processor time that the thread has used. */
  getTimeMs: () => number;
  /** Called before each calculation with the index of the entry and of the calculated field. */
  onProgress: (entryIndex: number, fieldIndex: number) => void;
}

/**
 * Calculates entries in order until the time or the bytes of their results reach the limit of a piece; the rest is for the next piece.
 * A field that fails has no data, and the fields that read it are calculated without it.
 */
export function calculatePiece(
  fields: readonly CompiledField[],
  entries: readonly PieceEntry[],
  options: PieceOptions,
): PieceResult {
  const endsAtMs = options.getTimeMs() + PIECE_LIMITS.timeMs;
  const changed: CalculatedEntry[] = [];
  const failed: FailedValue[] = [];
  let madeBytes = 0;
  for (const [entryIndex, entry] of entries.entries()) {
    const result = calculateEntry(fields, entry, { ...options, entryIndex, endsAtMs });
    if ('slowFieldId' in result) return entryIndex > 0 ? { count: entryIndex, changed, failed } : result;
    madeBytes += result.bytes;
    // The results of a single entry are below the limit (calculateEntry).
    if (entryIndex > 0 && madeBytes > PIECE_LIMITS.madeBytes) return { count: entryIndex, changed, failed };
    failed.push(...result.failed);
    if (result.changed) changed.push(result.changed);
  }
  return { count: entries.length, changed, failed };
}

interface EntryResult {
  /** Undefined when all values are as before. */
  changed: CalculatedEntry | undefined;
  failed: readonly FailedValue[];
  /** Size of the calculated values of a changed entry. */
  bytes: number;
}

function calculateEntry(
  fields: readonly CompiledField[],
  { entryId, vals }: PieceEntry,
  options: PieceOptions & { entryIndex: number; endsAtMs: number },
): EntryResult | { slowFieldId: number } {
  const { skippedFieldIds, getTimeMs, onProgress, entryIndex, endsAtMs } = options;
  const before = parseValues(vals);
  const calculatedIds = new Set(fields.map(({ id }) => String(id)));
  const values = { ...before };
  const after: Record<string, CalculatedValue> = {};
  const failed: FailedValue[] = [];
  let slowest = { id: 0, ms: -1 };
  const readValues = Object.entries(before).flatMap(([id, value]) => (calculatedIds.has(id) ? [] : [value]));
  let entryBytes = sumSizes(readValues);
  for (const [fieldIndex, { id, formula }] of fields.entries()) {
    const startedAtMs = getTimeMs();
    if (startedAtMs > endsAtMs) return { slowFieldId: slowest.id };
    onProgress(entryIndex, fieldIndex);
    const result = skippedFieldIds.has(id) ? {} : runFormula(formula, values);
    const bytes = getJsonSize(result.value);
    const isTooLarge = entryBytes + bytes > PIECE_LIMITS.readBytes;
    const reason = isTooLarge ? ENTRY_TOO_LARGE : result.reason;
    if (reason !== undefined) failed.push({ entryId, fieldId: id, reason });
    if (result.value === undefined || isTooLarge) {
      delete values[id];
    } else {
      values[id] = after[id] = result.value;
      entryBytes += bytes;
    }
    const ms = getTimeMs() - startedAtMs;
    if (ms > slowest.ms) slowest = { id, ms };
  }
  const changedFieldIds = fields
    .map(({ id }) => id)
    .filter((id) => !isDeepStrictEqual(before[id], after[id]));
  const changed =
    changedFieldIds.length > 0
      ? { entryId, before: pickValues(before, calculatedIds), after, changedFieldIds }
      : undefined;
  return { changed, failed, bytes: sumSizes(Object.values(changed?.after ?? {})) };
}

function parseValues(json: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(json);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

function runFormula(
  formula: Formula,
  values: Readonly<Record<string, unknown>>,
): { value?: CalculatedValue; reason?: string } {
  try {
    const value = formula.run(values);
    return value === undefined ? {} : { value: toStoredValue(value) };
  } catch (error) {
    return { reason: describeFailure(error) };
  }
}

const pickValues = (
  values: Readonly<Record<string, unknown>>,
  ids: ReadonlySet<string>,
): Record<string, unknown> => Object.fromEntries(Object.entries(values).filter(([id]) => ids.has(id)));
