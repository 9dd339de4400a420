import type { RehearsedPlace } from '../../../../contract/generated/types.gen.ts';

/** Groups places by user. */
export function groupByPerson(places: readonly RehearsedPlace[]) {
  const people = new Map<number, { person: RehearsedPlace; from: RehearsedPlace[] }>();
  for (const place of places) {
    const existing = people.get(place.userId);
    if (existing) existing.from.push(place);
    else people.set(place.userId, { person: place, from: [place] });
  }
  return [...people.values()];
}
