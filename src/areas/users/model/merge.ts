/** A field that two people changed to different values. */
export interface Clash<Field extends string> {
  field: Field;
  theirs: string;
  mine: string;
}

export interface Merged<Field extends string> {
  /** What both changed: to be decided. */
  clashes: readonly Clash<Field>[];
  /** What only the other changed: taken over as it is. */
  taken: readonly { field: Field; theirs: string }[];
}

type Values<Field extends string> = Readonly<Record<Field, string>>;

/** Compares what I typed and what somebody else saved meanwhile, both against where I began. */
export function mergeFields<Field extends string>(
  fields: readonly Field[],
  { base, mine, theirs }: { base: Values<Field>; mine: Values<Field>; theirs: Values<Field> },
): Merged<Field> {
  const changed = fields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
  const both = changed.filter((field) => mine[field] !== base[field]);
  return {
    clashes: both.map((field) => ({ field, theirs: theirs[field], mine: mine[field] })),
    taken: changed
      .filter((field) => !both.includes(field))
      .map((field) => ({ field, theirs: theirs[field] })),
  };
}
