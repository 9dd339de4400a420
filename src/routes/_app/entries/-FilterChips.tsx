import type { Condition, QueryFault } from '../../../../contract/rules/query/tree.ts';
import { EMPTY, changed, toDraft, toQuery } from '../../../entries/find/draft.ts';
import type { QueryObject } from '../../../entries/find/draft.ts';
import { useNameOf } from '../../../entries/find/use-name-of.ts';
import { nodeWords } from '../../../entries/find/words.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { counted } from '../../../lib/numbers.ts';
import { RemovableChip } from '../../../ui/table/RemovableChip.tsx';

interface FilterChipsProps {
  condition: Condition | undefined;
  faults: readonly QueryFault[] | undefined;
  fields: readonly Field[];
  schema: Schema;
  onChange: (query: QueryObject | undefined) => void;
}

const LONGEST = 90;
const short = (words: string): string =>
  words.length <= LONGEST ? words : `${words.slice(0, LONGEST - 1)}…`;

/** The filter in words: a chip for each condition that must hold; what may hold in one of several ways is one chip. */
export function FilterChips({ condition, faults, fields, schema, onChange }: FilterChipsProps) {
  const draft = condition ? toDraft(condition) : EMPTY;
  const nameOf = useNameOf(draft, fields, schema);
  if (faults)
    return (
      <RemovableChip
        label={`The filter has ${counted(faults.length, 'fault', 'faults')}`}
        onRemove={() => onChange(undefined)}
      />
    );
  if (draft.match === 'any' && draft.of.length > 1)
    return (
      <RemovableChip label={short(nodeWords(draft, fields, nameOf))} onRemove={() => onChange(undefined)} />
    );
  return draft.of.map((node, at) => {
    const words = short(nodeWords(node, fields, nameOf));
    return (
      <RemovableChip
        // Two conditions may be the same, or begin alike: a condition has no other identity than its place.
        // oxlint-disable-next-line react/no-array-index-key
        key={`${at} ${words}`}
        label={words}
        onRemove={() => onChange(toQuery(changed(draft, [at], undefined)))}
      />
    );
  });
}
