import type { Resolved } from '../../../directory/paste.ts';

/** Who is chosen in the panel, and what keeps others out. */
export interface Chosen {
  /** To be added, each once, in the order in which they came. */
  ids: readonly number[];
  /** In the group already. */
  already: readonly number[];
}

interface Choice {
  picked: readonly number[];
  resolved: Resolved | undefined;
  /** Of a name that several people have, those who are meant. */
  meant: ReadonlySet<number>;
  dropped: ReadonlySet<number>;
  isMember: (userId: number) => boolean;
}

/** Everybody picked, pasted or meant, without those taken out again and those who are members. */
export function chosenOf({ picked, resolved, meant, dropped, isMember }: Choice): Chosen {
  const all = new Set([
    ...picked,
    ...(resolved?.matched.flatMap(({ ids }) => ids) ?? []),
    ...(resolved?.ambiguous.flatMap(({ ids }) => ids.filter((id) => meant.has(id))) ?? []),
  ]);
  const wanted = [...all].filter((id) => !dropped.has(id));
  return { ids: wanted.filter((id) => !isMember(id)), already: wanted.filter(isMember) };
}
