/** Kinds of imports that run in the browser. */
type ImportKind = 'entries';

/** Loads the executor of one kind of import, an `ImportExecutor` of areas/import, for a type of entries. */
type LoadImporter = (typeId: number) => Promise<unknown>;

const importers = new Map<ImportKind, LoadImporter>();

/** Registers how the rows of one kind of import are written; called at start by `area.ts` of the kind's area. */
export function registerImporter(kind: ImportKind, load: LoadImporter): void {
  importers.set(kind, load);
}

/** Loads the executor of an import. @throws Error if no area registered the kind */
export async function loadImporter(kind: ImportKind, typeId: number): Promise<unknown> {
  const load = importers.get(kind);
  if (!load) throw new Error(`No area imports ${kind}`);
  return load(typeId);
}
