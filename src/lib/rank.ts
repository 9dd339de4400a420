import { fold } from './fold.ts';

/** How well a label answers what was typed: 3 begins with it, 2 a word of it does, 1 has it inside, 0 not at all. */
function fit(label: string, typed: string): number {
  const at = label.indexOf(typed);
  if (at <= 0) return at === 0 ? 3 : 0;
  return label.includes(` ${typed}`) ? 2 : 1;
}

/** The items whose label answers what was typed, best first; accents and case do not count. */
export function rank<Item extends { label: string }>(items: readonly Item[], typed: string): Item[] {
  const wanted = fold(typed.trim());
  return items
    .map((item) => ({ item, score: fit(fold(item.label), wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
