import { foldText } from '../../../contract/rules/fold-text.ts';

/** Scores a label: 3 starts with the text, 2 one of its words does, 1 contains it, 0 no match. */
function scoreLabel(label: string, typed: string): number {
  const at = label.indexOf(typed);
  if (at <= 0) return at === 0 ? 3 : 0;
  return label.includes(` ${typed}`) ? 2 : 1;
}

/** Returns the items whose label matches the typed text, best first; case and accents are ignored. */
export function rankByLabel<Item extends { label: string }>(items: readonly Item[], typed: string): Item[] {
  const folded = foldText(typed.trim());
  return items
    .map((item) => ({ item, score: scoreLabel(foldText(item.label), folded) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ item }) => item);
}
