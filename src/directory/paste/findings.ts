import { fold } from '../../lib/fold.ts';

/** Who is meant by a pasted text. */
export interface Resolved {
  /** Entries that mean one person, each person once. */
  matched: { entry: string; ids: number[] }[];
  /** Names that several people have. */
  ambiguous: { entry: string; ids: number[] }[];
  /** What looks like an id, an address or a name and is nobody's. */
  unknown: string[];
  /** Whether the text was longer than `PASTE_LIMIT`; what comes after it was not read. */
  cut: boolean;
}

/** What reading a text has found so far. */
export class Findings {
  readonly #matched = new Map<number, string>();
  readonly #ambiguous = new Map<string, { entry: string; ids: number[] }>();
  readonly #unknown = new Map<string, string>();
  /** Of the line that is being read. */
  #people = new Set<number>();
  #doubtful: { entry: string; ids: readonly number[] }[] = [];
  /** Words alone on their line that are nobody's name: told where the line beside them is an entry as well. */
  #alone: string[] = [];
  #wasList = false;
  #lines = 0;

  note(entry: string, ids: readonly number[]): void {
    const [id] = ids;
    if (id === undefined) {
      if (!this.#unknown.has(fold(entry))) this.#unknown.set(fold(entry), entry);
      return;
    }
    if (ids.length > 1) {
      this.#doubtful.push({ entry, ids });
      return;
    }
    this.#people.add(id);
    if (!this.#matched.has(id)) this.#matched.set(id, entry);
  }

  /**
   * Notes the words of a line that may be names and are nobody's. In a list they are entries; in a letter they are
   * its signature, its place, a heading.
   */
  noteAlone(words: readonly string[], line: { isList: boolean; cells: number }): void {
    if (line.cells === 0) return;
    this.#lines += 1;
    const isAmongEntries = line.isList && (this.#wasList || line.cells > 1);
    if (isAmongEntries) for (const word of [...this.#alone, ...words]) this.note(word, []);
    this.#alone = line.isList && !isAmongEntries ? [...words] : [];
    this.#wasList = line.isList;
  }

  /** A name that several have means the one whose id or address stands beside it. */
  endLine(): void {
    for (const { entry, ids } of this.#doubtful)
      if (!ids.some((id) => this.#people.has(id))) this.#ambiguous.set(fold(entry), { entry, ids: [...ids] });
    if (this.#people.size > 0) this.#people = new Set();
    if (this.#doubtful.length > 0) this.#doubtful = [];
  }

  resolved(cut: boolean): Resolved {
    if (this.#lines === 1) for (const word of this.#alone) this.note(word, []);
    return {
      matched: Array.from(this.#matched, ([id, entry]) => ({ entry, ids: [id] })),
      ambiguous: [...this.#ambiguous.values()],
      unknown: [...this.#unknown.values()],
      cut,
    };
  }
}
