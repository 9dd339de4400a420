import { FIELD } from '../../../../contract/rules/fields.ts';
import { nearKey } from '../../../../contract/rules/near-names.ts';
import type { RowVm } from '../../../api/generated/types.gen.ts';
import { createBoard } from '../../import/board.ts';
import type { Counts } from '../../import/plan.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { addTo, bookOf, choicesOf, copyOf } from './book.ts';
import type { Book, Named } from './book.ts';
import { checkRows } from './check.ts';
import type { Entry, Work } from './check.ts';
import { columnsOf } from './columns.ts';
import { comparedFields, foldKey, keyIn, MOST_KEY, namedRows, NO_BOOK, wishesOf } from './question.ts';
import type { Question } from './question.ts';
import { canHold } from './rows-among.ts';
import { heldIn } from './stored.ts';
import type { Held } from './stored.ts';
import { splitNames } from '../../../files/name-list.ts';
import type { Row } from '../../../files/parse.ts';
import type { Columns, FieldCells } from './columns.ts';
import { cellsOf } from './wish.ts';

/** What has to be looked up before the rows can be checked, beyond what is here already. */
export interface Needs {
  references: readonly (NamedNeeds & { keys: readonly (string | number)[] })[];
  users: boolean;
  /** Values of the key: ids, or what its field holds. */
  keys: readonly (string | number)[];
  /** The fields of entries that are compared, by apiName. */
  compared: readonly string[];
  /** Names of everything there is, to tell near-duplicates. */
  names: boolean;
}

const canHoldOwn = (types: readonly number[], { entryTypeId }: Field): boolean =>
  types.length === 0 || types.includes(entryTypeId);

/** Names that can be what the key field holds. */
const keysAmong = (names: readonly string[], { fieldType }: Field): (string | number)[] =>
  fieldType === FIELD.number
    ? names.filter((name) => name.trim() !== '' && Number.isFinite(Number(name))).map(Number)
    : [...names];

/** Where a file of entries lies while it is prepared: it is checked again whenever its columns or rules change. */
export function createDesk() {
  const board = createBoard<Work>();
  const references = new Map<string, Book>();
  const asked = new Set<string>();
  let users: Book | undefined;
  let near: Map<string, { id: number; name: string }> | undefined;
  let comparedAs = '';
  let entries = new Map<string | number, Entry[]>();

  /** What fields can name; `rows` are entries of this type that the file makes or names otherwise. */
  const bookFor = (rows: readonly Named[] = []) => {
    const choices = new Map<number, Book>();
    const withRows = new Map<string, Book>();
    const referenceBook = (field: Field): Book => {
      const key = typesKey(field);
      const book = references.get(key) ?? NO_BOOK;
      if (rows.length === 0 || !canHold(field, field.entryTypeId)) return book;
      const made = withRows.get(key) ?? copyOf(book);
      if (!withRows.has(key)) addTo(made, rows);
      withRows.set(key, made);
      return made;
    };
    return (field: Field): Book => {
      if (field.fieldType === FIELD.reference) return referenceBook(field);
      if (field.fieldType === FIELD.user) return users ?? NO_BOOK;
      const known = choices.get(field.id);
      if (known) return known;
      const made = field.fieldType === FIELD.choice ? choicesOf(field) : NO_BOOK;
      choices.set(field.id, made);
      return made;
    };
  };

  const ask = (kind: string, value: string | number): boolean => {
    const key = `${kind}\n${value}`;
    if (asked.has(key)) return false;
    asked.add(key);
    return true;
  };

  return {
    open: board.open,
    some: board.some,
    problems: board.problems,
    toSend: board.toSend,

    /** What has to be lent before the next check; each thing is asked for once. */
    needs(question: Question): Needs {
      const { fields, mapping, rules, key } = question;
      const { rows } = board.table();
      const columns = columnsOf(mapping, fields);
      const compared = comparedFields(question).map(({ apiName }) => apiName);
      const as = [key, ...compared].join('\n');
      if (as !== comparedAs) {
        for (const one of asked) if (one.startsWith('key\n')) asked.delete(one);
        entries = new Map();
        comparedAs = as;
      }
      const keys = new Map(
        wishesOf(rows, question, bookFor()).flatMap((wish) => {
          const value = keyIn(wish, question);
          return value === undefined || String(value).length > MOST_KEY ? [] : [[value, value] as const];
        }),
      );
      const keyed = fields.find(({ apiName, isKey }) => apiName === key && !isKey);
      return {
        references: referenceNeeds(rows, columns).map(({ types, ids, names }) => {
          const of = types.toSorted((a, b) => a - b).join();
          return {
            types,
            ids: ids.filter((id) => ask(`id ${of}`, id)),
            names: names.filter((name) => ask(`name ${of}`, name.toLowerCase())),
            // Entries of the type itself may be named by what tells its rows apart.
            keys:
              keyed && canHoldOwn(types, keyed)
                ? keysAmong(names, keyed).filter((one) => ask(`also ${of} ${key}`, one))
                : [],
          };
        }),
        users: users === undefined && columns.fields.some(({ field }) => field.fieldType === FIELD.user),
        keys: [...keys.keys()].filter((value) => ask('key', value)),
        compared,
        names: near === undefined && rules.near === 'refuse',
      };
    },

    /** Where something could not be looked up, everything is asked for again: what is not known is not gone. */
    forget(): void {
      asked.clear();
      users = undefined;
      near = undefined;
    },
    lendReferences(types: readonly number[], things: readonly Named[]): void {
      const key = types.toSorted((a, b) => a - b).join();
      const book = references.get(key) ?? bookOf([]);
      addTo(book, things);
      references.set(key, book);
    },
    lendUsers(people: readonly Named[]): void {
      users = bookOf(people);
    },
    /** Names of what is there, a portion at a time. */
    lendNames(names: readonly { id: number; name: string }[]): void {
      near ??= new Map();
      for (const one of names) {
        const key = nearKey(one.name);
        if (key !== undefined && !near.has(key)) near.set(key, one);
      }
    },
    lendEntries(rows: readonly RowVm[], question: Question): void {
      const compared = comparedFields(question);
      const keyed = question.fields.find(({ apiName }) => apiName === question.key);
      for (const row of rows) {
        const held = new Map<number, Held>();
        for (const field of compared) {
          const value = heldIn(valueIn(row, field), field);
          if (value !== undefined) held.set(field.id, value);
        }
        const key = question.key === ENTRY_ID ? row.EntryId : foldKey(keyed && held.get(keyed.id));
        if (key === undefined) continue;
        const entry = { id: row.EntryId, held };
        const same = entries.get(key);
        if (!same) entries.set(key, [entry]);
        else if (!same.some(({ id }) => id === entry.id)) same.push(entry);
      }
    },

    check(question: Question): Counts {
      const { fields, key, rules } = question;
      const { rows } = board.table();
      const books = bookFor(namedRows(rows, question, entries));
      return board.put(
        checkRows(wishesOf(rows, question, books), {
          fields,
          bookOf: books,
          keyField: key,
          keyOf: (wish) => {
            const value = keyIn(wish, question);
            return value === undefined ? undefined : String(value);
          },
          entriesOf: (wish) => {
            const value = keyIn(wish, question);
            return value === undefined ? undefined : (entries.get(value) ?? []);
          },
          near: rules.near === 'refuse' ? (near ?? new Map()) : undefined,
        }),
      );
    },
  };
}

/** Entries that cells name and that have to be looked up, for fields that refer to the same types. */
interface NamedNeeds {
  /** Which types, as a key; none: any. */
  types: readonly number[];
  ids: number[];
  names: string[];
}

// Longer ones cannot be asked for (the bound of a row query).
const MOST_NAME = 10_000;
const IDS = /\d{1,10}/g;

/** The key of the types that a field refers to. */
const typesKey = ({ entryLists }: Field): string => (entryLists ?? []).toSorted((a, b) => a - b).join();

function readNeeds(rows: readonly Row[], place: FieldCells, ids: Set<number>, names: Map<string, string>) {
  const { field } = place;
  for (const { cells } of rows) {
    const { all, isEmpty } = cellsOf(cells, place);
    if (isEmpty) continue;
    const said = field.isMultiSelect ? splitNames(all.value) : [all.value.trim()];
    const numbers = all.id.trim() === '' ? said.filter((text) => /^#?\d{1,10}$/.test(text)) : [all.id];
    for (const number of numbers.join(' ').match(IDS) ?? []) if (Number(number) > 0) ids.add(Number(number));
    // Where ids stand beside names, they are what counts.
    if (all.id.trim() !== '') continue;
    for (const name of said) if (name !== '' && name.length <= MOST_NAME) names.set(name.toLowerCase(), name);
  }
}

/** What has to be looked up before references of these rows can be read. */
function referenceNeeds(rows: readonly Row[], { fields }: Columns): readonly NamedNeeds[] {
  const references = fields.filter(({ field }) => field.fieldType === FIELD.reference);
  return [...Map.groupBy(references, ({ field }) => typesKey(field)).values()].map((places) => {
    const ids = new Set<number>();
    const names = new Map<string, string>();
    for (const place of places) readNeeds(rows, place, ids, names);
    return { types: places[0]?.field.entryLists ?? [], ids: [...ids], names: [...names.values()] };
  });
}
