import type { Remote } from 'comlink';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { OpenResult } from '../../../files/import-plan/plan-store.ts';
import type { OutcomeCounts } from '../../../files/import-plan/plan.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import type { FileSession } from '../../import-view/index.ts';
import { openWorkerClient } from '../../import/index.ts';
import type { Schema } from '../model/schema.ts';
import type { CheckRequest } from './check-request.ts';
import type { ColumnGuess } from './guess-field.ts';
import { loadAliases, loadAllNames, loadEntriesByValues, loadNames, loadUserNames } from './load-names.ts';
import { normalizeName } from './name-index.ts';
import type { ChoiceCount, listChoiceColumns } from './new-fields.ts';
import type { createRowChecker, MissingLookups } from './row-checker.ts';
// The bundler makes this module.
// oxlint-disable-next-line import/default
import workerUrl from './worker.ts?worker&url';

type RowChecker = ReturnType<typeof createRowChecker>;

/** For types with more entries only the service finds near-duplicates. */
export const MAX_NAMES_TO_COMPARE = 100_000;

/** Input of a check; a type that does not exist yet has the id 0. */
interface CheckInput {
  schema: Schema;
  type: { id: number; entryCount?: number | undefined };
  request: CheckRequest;
}

/** Connection to the worker that holds a file of entries. */
export interface EntryFileSession extends FileSession {
  /** Kinds of fields that fit the columns; empty before the file was opened. */
  getGuesses: () => readonly ColumnGuess[];
  /** Names in columns of choices. */
  listNames: (columns: ReturnType<typeof listChoiceColumns>) => Promise<ChoiceCount[][]>;
  /** Checks all rows and reports the current step. */
  check: (
    against: CheckInput,
    report: (doing: string) => void,
    signal: AbortSignal,
  ) => Promise<OutcomeCounts>;
}

export function openSession(schema: Schema): EntryFileSession {
  const client = openWorkerClient<RowChecker>(workerUrl);
  const { remote, close, runExclusive } = client;
  let guesses: readonly ColumnGuess[] = [];

  async function check(against: CheckInput, report: (doing: string) => void): Promise<OutcomeCounts> {
    const needs = await remote.getMissingLookups(against.request);
    try {
      await sendLookups(remote, needs, against, report);
    } catch (thrown) {
      await remote.clearLookups();
      throw thrown;
    }
    report('Checking every row…');
    return remote.check(against.request);
  }

  return {
    client: remote,
    async open(file: Blob, onProgress: (share: number) => void, as?: ReadOptions): Promise<OpenResult> {
      const opened = await client.open(file, onProgress, as);
      if ('error' in opened) return opened;
      guesses = await guessReferences(schema, opened.headings, await remote.guessColumns());
      return opened;
    },
    close,
    getGuesses: () => guesses,
    listNames: (columns) => remote.listNames(columns),
    check: (against, report, signal) => runExclusive(() => check(against, report), signal),
  };
}

/** Share of the names of a column that must be entries of the type which its heading names. */
const KNOWN_NAMES_SHARE = 0.5;

/** Turns texts into references if their heading names an entry type that has entries with these names. */
async function guessReferences(
  schema: Schema,
  headings: readonly string[],
  guesses: readonly ColumnGuess[],
): Promise<readonly ColumnGuess[]> {
  const resolved: ColumnGuess[] = [];
  // One after the other: the service is kept free for others.
  for (const [at, guess] of guesses.entries()) {
    const heading = foldText((headings[at] ?? '').trim());
    const type = schema.types.find((one) =>
      [one.apiName, one.singularName, one.pluralName].some((name) => foldText(name) === heading),
    );
    const isText = guess.kind === 'text' || guess.kind === 'choice';
    const isReference = type && isText && (await areNamesOf(schema, type.id, guess.sample));
    resolved.push(isReference ? { ...guess, kind: 'reference', typeId: type.id } : guess);
  }
  return resolved;
}

async function areNamesOf(schema: Schema, typeId: number, sample: readonly string[]): Promise<boolean> {
  if (
    sample.length === 0 ||
    !schema.getFields(typeId).some(({ isKey, fieldType }) => isKey && fieldType === FIELD.text)
  )
    return false;
  const found = new Set<string>();
  try {
    for await (const entries of loadNames(schema, typeId, { ids: [], names: sample }))
      for (const { name } of entries) found.add(normalizeName(name));
  } catch {
    // The guess is a convenience; without the entries it stays a text.
    return false;
  }
  return sample.filter((name) => found.has(normalizeName(name))).length >= sample.length * KNOWN_NAMES_SHARE;
}

// One after the other: the service and the page are kept free for others.
async function sendLookups(
  checker: Remote<RowChecker>,
  needs: MissingLookups,
  { schema, type, request }: CheckInput,
  report: (doing: string) => void,
): Promise<void> {
  if (needs.users) {
    report('Loading users…');
    await checker.setUsers(await loadUserNames());
  }
  for (const { types, ids, names, keys } of needs.references) {
    if (ids.length + names.length > 0) report('Looking up references…');
    for (const typeId of types.length === 0 ? schema.types.map(({ id }) => id) : types)
      for await (const things of loadNames(schema, typeId, { ids, names }))
        await checker.addReferences(types, things);
    for await (const things of loadAliases(schema, type.id, request.key, keys))
      await checker.addReferences(types, things);
  }
  if (needs.keys.length > 0) {
    report('Looking up existing entries…');
    for await (const rows of loadEntriesByValues(type.id, request.key, needs.keys, needs.comparedFields))
      await checker.addEntries(rows, request);
  }
  if (!needs.names) return;
  await checker.addNames([]);
  if ((type.entryCount ?? 0) > MAX_NAMES_TO_COMPARE) return;
  report('Loading existing names…');
  for await (const names of loadAllNames(schema, type.id)) await checker.addNames(names);
}
